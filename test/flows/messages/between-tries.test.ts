/** A request whose store fails for a moment is answered with what is stored, whatever happens between its tries. */
import { beforeEach, expect, it } from "vitest";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

const inSeconds = (seconds: number) => new Date(world.now + seconds * 1000).toISOString();
const send = (sendAt: string) => world.post("/text/message/send", client, { ...SEND, phone: ADA, sendAt });
const bulk = (sendAt: string) =>
  world.post("/text/bulk/message/send", client, { messages: [{ ...SEND, phone: ADA, sendAt }] });

/** The first transaction takes effect, and its answer is lost. @param between what happens before the next try */
async function losingAnswer<T>(work: () => Promise<T>, between: () => Promise<void>): Promise<T> {
  const { deps } = world;
  let tries = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    const results = await deps.db.batch(statements);
    if (++tries > 1) return results;
    world.deps = deps;
    await between();
    throw new Error("D1_ERROR: Network connection lost.");
  };
  world.deps = { ...deps, db: { prepare: (sql: string) => deps.db.prepare(sql), batch } as unknown as D1Database };
  const result = await work();
  world.deps = deps;
  return result;
}

it.each([
  ["a send", send],
  ["a bulk request", bulk],
])("%s is accepted, of which the sweep makes a message between its tries", async (_, work) => {
  const answer = await losingAnswer(
    () => work(inSeconds(7 * 60 + 2)),
    async () => {
      world.advance(5);
      await world.sweep();
    },
  );
  expect(answer.status).toBe(200);
  const stored = await world.rows("SELECT status FROM messages UNION ALL SELECT 'kept' FROM scheduled_messages");
  expect(stored).toEqual([{ status: "PENDING_TO_SEND" }]);
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
