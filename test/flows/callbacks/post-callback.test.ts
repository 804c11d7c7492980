/** Callbacks of a client that has taken its URL away. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { takeCallbacks } from "../../callback-endpoint.ts";
import { racingDatabase } from "../../failing-database.ts";
import { type TestClient, World } from "../../world.ts";

const UNKNOWN = "+12125550177";
const QUEUE = "textgate-callbacks";
/** More than a job has. */
const MANY = 30;

let world: World;
let client: TestClient;
let posts: string[];

beforeEach(async () => {
  world = await World.create();
  client = await world.brand();
  posts = takeCallbacks();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** @returns the ids of the messages, and of their events, which are due */
async function cause(count: number): Promise<{ messageIds: string[]; due: string[] }> {
  const messageIds = await Promise.all(Array.from({ length: count }, () => world.send(client, { phone: UNKNOWN })));
  world.callbacks.length = 0;
  return { messageIds, due: messageIds.map((id) => `${id}_NOT_FOUND`) };
}

async function setUrl(callbackUrl: string, by = world): Promise<void> {
  by.advance(2);
  const answer = await by.operator("PATCH", `/clients/${client.clientId}`, { callbackUrl });
  expect(answer.status).toBe(200);
}

const callbacksOf = async (messageId: string) =>
  ((await (await world.operator("GET", `/messages/${messageId}`)).json()) as { callbacks: unknown[] }).callbacks;

const GONE = { outcome: "not-posted", response: "the client has no callback URL any more" };

describe("without a URL, the callbacks of a batch", () => {
  it("end at once, all of them: a URL that is set later gets none", async () => {
    const { messageIds, due } = await cause(MANY);
    await setUrl("");
    await world.deliver(QUEUE, [due]);
    await setUrl("https://new.example.com/");
    for (let minute = 0; minute < 3; minute++) {
      world.advance(61);
      await world.sweep();
      await world.runQueues();
    }
    expect(posts).toEqual([]);
    for (const messageId of messageIds) expect(await callbacksOf(messageId)).toMatchObject([GONE]);
  });

  it("are ended unless another run has posted one meanwhile: what came back of it stands", async () => {
    const { messageIds, due } = await cause(MANY);
    await setUrl("");
    const isolate = await World.another(world);
    const [last = "", lastDue = ""] = [messageIds.at(-1), due.at(-1)];
    const race = racingDatabase(world.deps.db, last, async () => {
      await setUrl("https://new.example.com/", isolate);
      await isolate.deliver(QUEUE, [lastDue]);
      await setUrl("", isolate);
    });
    world.deps = { ...world.deps, db: race.db };
    await world.deliver(QUEUE, [due]);
    expect(race.hasActed()).toBe(true);
    const posted = { outcome: "answered", httpStatus: 200, response: "thanks" };
    expect(await callbacksOf(last)).toMatchObject([posts.includes(lastDue) ? posted : GONE]);
    expect(posts.length).toBeLessThanOrEqual(1);
    expect(await callbacksOf(messageIds.at(-2) ?? "")).toMatchObject([GONE]);
  });
});
