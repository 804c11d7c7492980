/** The undo of an import of more numbers than a step has. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { countingDatabase } from "../../counting-database.ts";
import { failingDatabase } from "../../failing-database.ts";
import { World } from "../../world.ts";

const ROWS = 30_000;
const LINES = Array.from({ length: ROWS }, (_, index) => `+1212${5_600_000 + index}`);

let world: World;

beforeEach(async () => {
  world = await World.create();
  await world.website("brand");
});

const load = async () => (await world.subscribers("brand", LINES)).json<{ importId: string; newSubscribed: number }>();
const undo = async (importId: string) => (await world.operator("POST", `/imports/${importId}/undo`)).json();
const undone = (restored: number, restoredBefore: number, isComplete: boolean) => ({
  ...{ restored, changedSince: 0, restoredBefore, isComplete },
});

it("a large import is counted once, and undone once, though each transaction is run twice", async () => {
  const { deps } = world;
  const twice = () => {
    world.deps = { ...deps, db: failingDatabase(env.DB, 1, "after", undefined, "batches") };
  };
  twice();
  const stored = await load();
  expect(stored).toMatchObject({ newSubscribed: ROWS, unchanged: 0 });
  twice();
  expect(await undo(stored.importId)).toEqual(undone(ROWS, 0, true));
  expect(await world.rows("SELECT source, count(*) AS n FROM subscription_changes GROUP BY source")).toEqual([
    { source: "import", n: ROWS },
    { source: "undo", n: ROWS },
  ]);
});

it("a large import is undone by calls that begin no step after 20 seconds, with a call of D1 for 25,000 numbers", async () => {
  const { importId } = await load();
  const { db, take } = countingDatabase(env.DB);
  const batch = (statements: D1PreparedStatement[]) => {
    world.advance(21);
    return db.batch(statements);
  };
  world.deps = { ...world.deps, db: { prepare: (sql: string) => db.prepare(sql), batch } as unknown as D1Database };
  expect(await undo(importId)).toEqual(undone(25_000, 0, false));
  // The token, the import, the two entries of the audit log, and a step.
  expect(take().calls).toBeLessThanOrEqual(5);
  expect(await undo(importId)).toEqual(undone(5000, 25_000, true));
  expect(await world.rows("SELECT count(*) AS n FROM subscriptions")).toEqual([{ n: 0 }]);
});
