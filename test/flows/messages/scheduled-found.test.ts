/** The sweep gives messages their jobs while somebody looks for them: each is in one of two indexes, and is found in any case. */
import { beforeEach, expect, it } from "vitest";
import { overtakenDatabase } from "../../failing-database.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const SOON_SECONDS = 480;

/** The statements that look for them. */
const LOOK_UP = /^\s*SELECT .*FROM.*messages/s;

let world: World;
let client: TestClient;
let messageIds: string[];

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  const sendAt = new Date(world.now + SOON_SECONDS * 1000).toISOString();
  messageIds = [];
  for (const place of [1, 2, 3])
    messageIds.push(await world.send(client, { ...SEND, phone: ADA, sendAt, text: `${place}` }));
  world.advance(120);
});

/** The sweep runs right before the nth look-up. */
async function sweepBefore<T>(nth: number, look: () => Promise<T>): Promise<T> {
  const { deps } = world;
  const isolate = await World.another(world);
  let hasSwept = false;
  const sweep = async () => {
    hasSwept = true;
    await isolate.sweep();
  };
  world.deps = { ...deps, db: overtakenDatabase(deps.db, LOOK_UP, nth, sweep) };
  const found = await look();
  world.deps = deps;
  expect(hasSwept || nth > 2).toBe(true);
  return found;
}

const read = async () => {
  const answer = await world.post("/text/message/statuses", client, { messageIds });
  return (await answer.json<{ messages: { status: string }[] }>()).messages.map(({ status }) => status);
};
const call = async (body: object) => (await world.operator("POST", "/websites/brand/cancel", body)).json();

it("by its client", async () => {
  const found = await sweepBefore(1, read);
  expect(found).toEqual(["PENDING_TO_SEND", "PENDING_TO_SEND", "PENDING_TO_SEND"]);
});

it.each([1, 2, 3, 4])("by an operator who cancels, before look-up no. %i", async (nth) => {
  const found = await sweepBefore(nth, () => call({}));
  expect(found).toEqual({ cancelled: 3 });
  expect(await world.rows("SELECT DISTINCT status, reason_code FROM messages")).toEqual([
    { status: "FAILED_TO_SEND", reason_code: "CANCELLED" },
  ]);
});

it.each([1, 2, 3, 4])("by an operator who cancels as many as were seen, before look-up no. %i", async (nth) => {
  const found = await sweepBefore(nth, () => call({ expected: 3 }));
  expect(found).toEqual({ cancelled: 3 });
  expect(await world.rows("SELECT count(*) AS count FROM messages WHERE reason_code = 'CANCELLED'")).toEqual([
    { count: 3 },
  ]);
});
