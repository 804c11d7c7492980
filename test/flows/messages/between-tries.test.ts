/** A request whose store fails for a moment is answered with what is stored, whatever happens between its tries. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { storeGroup } from "../../../src/flows/messages/store-sends.ts";
import { countsOf } from "../../counted.ts";
import { losingAnswer } from "../../late-tries.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const inSeconds = (seconds: number) => new Date(world.now + seconds * 1000).toISOString();
const send = (sendAt: string) => world.post("/text/message/send", client, { ...SEND, phone: ADA, sendAt });
const bulk = (sendAt: string) =>
  world.post("/text/bulk/message/send", client, { messages: [{ ...SEND, phone: ADA, sendAt }] });

it.each([
  ["a send", send],
  ["a bulk request", bulk],
])("%s is accepted, which the sweep gives a job between its tries", async (_, work) => {
  const answer = await losingAnswer(
    world,
    () => work(inSeconds(7 * 60 + 2)),
    async () => {
      world.advance(5);
      await world.sweep();
    },
  );
  expect(answer.status).toBe(200);
  const stored = await world.rows("SELECT status FROM messages");
  expect(stored).toEqual([{ status: "PENDING_TO_SEND" }]);
});

it("a bulk request is accepted whose clock goes on while its messages are checked", async () => {
  const { deps } = world;
  const answer = await losingAnswer(
    world,
    () => {
      world.deps = { ...world.deps, now: () => world.now++ };
      return bulk("");
    },
    async () => {},
  );
  world.deps = deps;
  expect(answer.status).toBe(200);
});

it("a send whose object is lost is stored once, and counts once, also if seven minutes are left for one of the two only", async () => {
  vi.spyOn(world.deps.limiter, "send").mockImplementationOnce(async (given) => {
    await world.invoke("fetch", () => storeGroup(world.deps, [given]));
    world.advance(2);
    throw new Error("object reset");
  });
  const { messageId } = (await (await send(inSeconds(7 * 60 + 1))).json()) as { messageId: string };
  const stored = await world.rows("SELECT message_id FROM messages");
  expect(stored).toEqual([{ message_id: messageId }]);
  expect((await world.post("/text/message/cancel", client, { messageId })).status).toBe(200);
  expect(await countsOf(world, "brand")).toMatchObject({ accepted: 1, endedBefore: 1 });
});

it.each([
  ["a send", send],
  ["a bulk request", bulk],
])("%s says when it may go, also where the store fails right after it is stored", async (_, work) => {
  const { deps } = world;
  let isStored = false;
  const failOnce = () => {
    if (isStored) throw new Error("D1_ERROR: Network connection lost.");
  };
  const prepare = (sql: string) => {
    const statement = deps.db.prepare(sql);
    const bind = statement.bind.bind(statement);
    statement.bind = (...values) => {
      const bound = bind(...values);
      const all = bound.all.bind(bound);
      bound.all = (async () => {
        failOnce();
        return all();
      }) as typeof bound.all;
      return bound;
    };
    return statement;
  };
  const batch = async (statements: D1PreparedStatement[]) => {
    failOnce();
    const results = await deps.db.batch(statements);
    isStored = true;
    return results;
  };
  world.deps = { ...deps, db: { prepare, batch } as unknown as D1Database };
  const sendAt = inSeconds(3600);
  const answer = await work(sendAt);
  world.deps = deps;
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(`"scheduledFor":"${sendAt}"`)]);
});
