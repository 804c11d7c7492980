import { beforeEach } from "vitest";
import { World } from "../world.ts";

export let world: World;

export const json = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

export const counts = (some: { new?: number; changed?: number; unchanged?: number; keptUnsubscribed?: number }) => {
  const all = { new: 0, changed: 0, unchanged: 0, keptUnsubscribed: 0, ...some };
  return { imported: all.new + all.changed + all.unchanged, ...all };
};

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
  });
}
