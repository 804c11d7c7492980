import { beforeEach } from "vitest";
import { bindDatabases } from "../databases.ts";
import { finishMove } from "../moves.ts";
import { World } from "../world.ts";

export let world: World;

export const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
  const answer = await world.operator(method, path, body);
  return { status: answer.status, ...((await answer.json()) as object) };
};
export const move = (database: string, websiteId = "brand") =>
  call("POST", `/websites/${websiteId}/move`, { database });
export const look = () => call("GET", "/websites/brand/move");
export const abort = () => call("POST", "/websites/brand/move/abort");
export const until = (state: string) => finishMove(world, "brand", (is) => is === state);

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
    await bindDatabases(world, 3);
    await world.sweep();
    for (const websiteId of ["brand", "near"]) await world.website(websiteId, { carrier: "sandbox", database: "DB" });
  });
}
