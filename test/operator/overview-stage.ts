// An operator's look at all websites.
import { expect } from "vitest";
import { countLedgers } from "../../src/flows/operations/count-ledgers.ts";
import type { OverviewAnswers } from "../../src/operator/answers/overview.ts";
import { World } from "../world.ts";

export const [ADA, BOB] = ["+12125550100", "+12125550101"];

type Overview = OverviewAnswers["Overview"];

export let world: World;

export async function begin(): Promise<void> {
  world = await World.create();
}

/** After the sweep has counted. */
export async function look(query = ""): Promise<Overview> {
  await countLedgers(world.deps, world.now);
  return lookAsCounted(query);
}

export async function lookAsCounted(query = ""): Promise<Overview> {
  const answer = await world.operator("GET", `/overview${query}`);
  expect(answer.status).toBe(200);
  return answer.json();
}
