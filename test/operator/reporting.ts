import { beforeEach } from "vitest";
import type { Report } from "../../src/domain/operations/report.ts";
import { type TestClient, World } from "../world.ts";

export const ADA = "+12125550100";
export const DAY_SECONDS = 86_400;
export let world: World;
export let client: TestClient;

export async function get(path: string): Promise<Response> {
  const answer = await world.operator("GET", path);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer;
}

export const report = async (query = ""): Promise<Report> => (await get(`/websites/brand/report?${query}`)).json();

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
    client = await world.brand([ADA, "+12125550001", "+12125550002", "+12125550003", "+12125550199,,false"]);
  });
}
