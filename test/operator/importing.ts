import { beforeEach } from "vitest";
import { World } from "../world.ts";

export let world: World;

export const json = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const DONE = ["newSubscribed", "newOptedOut", "becameSubscribed", "becameOptedOut", "newAddress", "unchanged"] as const;

export const counts = (
  some: { [Name in (typeof DONE)[number] | "keptUnsubscribed" | "unreadableOptOuts"]?: number },
) => ({
  ...{ ignoredColumns: [], keptUnsubscribed: 0, unreadableOptOuts: 0 },
  imported: DONE.reduce((sum, name) => sum + (some[name] ?? 0), 0),
  ...Object.fromEntries(DONE.map((name) => [name, 0])),
  ...some,
});

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
  });
}
