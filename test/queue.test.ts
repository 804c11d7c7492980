/** A batch of jobs whose store fails: those that are left are retried, untried, and none is lost. */
import { beforeEach, expect, it } from "vitest";
import { World } from "./world.ts";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

/** D1 that refuses the calls with these places. @returns the number of calls so far */
function refuse(places: number[]): () => number {
  const { db } = world.deps;
  let calls = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    if (places.includes(calls++)) throw new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.");
    return db.batch(statements);
  };
  world.deps = { ...world.deps, db: { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database };
  return () => calls;
}

it.each<[refused: number[], calls: number, acknowledged: number]>([
  [[], 6, 6],
  [[0, 1], 6, 4],
  [[0, 1, 3, 4], 6, 2],
  [[0, 1, 2], 3, 0],
  [[0, 2, 3, 4], 5, 1],
])("of six jobs whose calls %j are refused, %d are tried and %d are done", async (refused, calls, acknowledged) => {
  const countCalls = refuse(refused);
  const jobs = Array.from({ length: 6 }, (_, index) => ({
    kind: "release",
    claim: `claim-${index}`,
    messageIds: ["m"],
  }));
  const ends = await world.deliver("textgate-messages", jobs);
  expect([countCalls(), ends]).toEqual([calls, { acknowledged, retried: 6 - acknowledged }]);
});
