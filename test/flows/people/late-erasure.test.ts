/** A try of a request whose answer was lost may run after its recipient is erased: nothing of the person is stored again. */
import { beforeEach, expect, it } from "vitest";
import { losingFirst } from "../../late-tries.ts";
import { dumpStores } from "../../stores.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, BOB]);
});

const erase = async () => expect((await world.operator("DELETE", `/websites/brand/people/${ADA}`)).status).toBe(200);
const bulk = () => {
  const messages = [ADA, BOB].map((phone) => ({ ...SEND, phone }));
  return world.post("/text/bulk/message/send", client, { messages });
};
const inHours = (hours: number) => new Date(world.now + hours * 3_600_000).toISOString();

it.each<[string, () => Promise<unknown>]>([
  ["a send", () => world.send(client, { phone: ADA })],
  ["a send that is scheduled", () => world.send(client, { phone: ADA, sendAt: inHours(5) })],
  ["a bulk request", bulk],
])("%s", async (_, work) => {
  const runLate = await losingFirst(world, work);
  expect(await dumpStores(world)).toContain(ADA.slice(1));
  world.advance(10);
  await erase();
  const counted = await world.rows("SELECT sum(accepted) AS accepted FROM traffic_counts");
  await runLate();
  expect(await dumpStores(world)).not.toContain(ADA.slice(1));
  expect(await world.rows("SELECT sum(accepted) AS accepted FROM traffic_counts")).toEqual(counted);
});

it("a bulk request is accepted, of whose recipients one is erased between its tries", async () => {
  const { deps } = world;
  let tries = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    const results = await deps.db.batch(statements);
    if (++tries > 1) return results;
    world.deps = deps;
    await erase();
    throw new Error("D1_ERROR: Network connection lost.");
  };
  world.deps = { ...deps, db: { prepare: (sql: string) => deps.db.prepare(sql), batch } as unknown as D1Database };
  expect((await bulk()).status).toBe(200);
  expect(await dumpStores(world)).not.toContain(ADA.slice(1));
});
