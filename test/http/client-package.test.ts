// The client that is installed, in workerd: a Worker is a client, too. What fails here fails in the service's own words.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SignatureError, Textgate, TextgateError, verifyCallback } from "../../client/index.js";
import { type TestClient, World } from "../world.ts";

const [ADA, STRANGER] = ["+12125550100", "+12125550199"];
const MESSAGE = { phone: ADA, text: "Brand: hello", callbackData: "{}", sendPurpose: "worker" };

let world: World;
let client: TestClient;
let posted: { headers: Headers; body: string }[];
let waits: number[];

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  posted = [];
  waits = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    posted.push({ headers: new Headers(init?.headers), body: await new Response(init?.body).text() });
    return new Response("thanks");
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

interface Disturbances {
  /** Headers of an attempt, besides the client's own. */
  headersOf?: (attempt: number) => Record<string, string>;
  /** The attempts whose answers are lost, from the first on. */
  lost?: number;
}

function connect({ headersOf = () => ({}), lost = 0 }: Disturbances = {}): Textgate {
  let attempt = 0;
  const fetch = async (url: string, { headers, ...init }: RequestInit) => {
    const { pathname, search } = new URL(url);
    const own = { ...Object.fromEntries(headers as Headers), ...headersOf(++attempt) };
    const response = await world.fetch(pathname + search, { ...init, headers: own });
    if (attempt > lost) return response;
    expect(response.status).toBe(200);
    throw new TypeError("fetch failed");
  };
  return new Textgate({
    ...{ url: "https://sms.example.com", clientId: client.clientId, clientSecret: client.clientSecret },
    ...{ fetch: fetch as typeof globalThis.fetch, wait: async (milliseconds: number) => void waits.push(milliseconds) },
  });
}

async function findMessages() {
  return ((await (await world.operator("GET", "/messages?website=brand")).json()) as { messages: object[] }).messages;
}

it("sends, verifies the callbacks, and none that is altered", async () => {
  const textgate = connect();
  const { messageId } = await textgate.send({ ...MESSAGE, callbackData: '{"name":"Ada 💬"}' });
  await world.runQueues();
  expect(await textgate.status(messageId)).toMatchObject({ messageId, status: "DELIVERED", reason: null });
  const known = { secret: client.callbackSecret, now: world.now };
  const events = await Promise.all(posted.map((callback) => verifyCallback({ ...known, ...callback })));
  const told = events.map((event) =>
    event.eventType === "message.status" ? [event.eventId, event.messageId, event.status, event.callbackData] : [],
  );
  expect(told.sort()).toEqual(
    ["DELIVERED", "SENDING"].map((status) => [`${messageId}_${status}`, messageId, status, '{"name":"Ada 💬"}']),
  );
  for (const { headers, body } of posted) {
    const altered = verifyCallback({ ...known, headers, body: body.replace(ADA, STRANGER) });
    await expect(altered).rejects.toThrow(SignatureError);
  }
});

it("reads its events from where it stopped, with what the endpoint answered", async () => {
  const textgate = connect();
  const send = async () => {
    const { messageId } = await textgate.send(MESSAGE);
    await world.runQueues();
    return [`${messageId}_SENDING`, `${messageId}_DELIVERED`];
  };
  const read = async (feed: ReturnType<Textgate["events"]>) => {
    const ids = [];
    for await (const { eventId, callback } of feed) {
      ids.push(eventId);
      expect(callback).toMatchObject({ outcome: "answered", httpStatus: 200 });
    }
    return ids;
  };
  const first = await send();
  const feed = textgate.events({ limit: 1 });
  expect(await read(feed)).toEqual(first);
  const second = await send();
  expect(await read(textgate.events({ after: feed.cursor ?? "" }))).toEqual(second);
});

describe("where answers are lost", () => {
  it("sends once", async () => {
    const { messageId } = await connect({ lost: 2 }).send(MESSAGE);
    await world.runQueues();
    expect(await findMessages()).toMatchObject([{ messageId, status: "DELIVERED" }]);
    expect(await (await world.operator("GET", `/messages/${messageId}`)).json()).toMatchObject({ attempts: 1 });
  });

  it("sends each of many once", async () => {
    const messages = Array.from({ length: 20 }, (_, index) => ({ ...MESSAGE, text: `Brand: ${index}` }));
    const { successSent } = await connect({ lost: 1 }).sendBulk(messages);
    expect(successSent).toHaveLength(20);
    expect(await findMessages()).toHaveLength(20);
  });

  it("says, when it gives up, with which key the message is sent after all, once", async () => {
    const textgate = connect({ lost: 5 });
    const failure = await textgate.send(MESSAGE).catch((error: TextgateError) => error);
    if (!(failure instanceof TextgateError)) throw new Error("it did not fail");
    expect(failure.outcome).toBe("unknown");
    await textgate.send(MESSAGE, { idempotencyKey: failure.idempotencyKey ?? "" });
    expect(await findMessages()).toHaveLength(1);
  });
});

it.each([42900, 50000, 50300])("goes on after %i, as the service says it", async (code) => {
  const headersOf = (attempt: number): Record<string, string> => (attempt === 1 ? { "Sandbox-Error": `${code}` } : {});
  await connect({ headersOf }).send(MESSAGE);
  expect(waits).toHaveLength(1);
  expect(await findMessages()).toHaveLength(1);
});

it("has a test event posted, and verifies it", async () => {
  const { outcome, httpStatus, response, eventId } = await connect().testEvent();
  expect([outcome, httpStatus, response]).toEqual(["answered", 200, "thanks"]);
  const { callbackSecret: secret } = client;
  const events = await Promise.all(posted.map((callback) => verifyCallback({ secret, ...callback, now: world.now })));
  expect(events).toMatchObject([{ eventId, eventType: "test" }]);
});

it.each([
  [42900, 1, "refused"],
  [50300, 2, "unknown"],
])("repeats what is answered %i, never before Retry-After, and gives up", async (code, seconds, outcome) => {
  const failure = await connect({ headersOf: () => ({ "Sandbox-Error": `${code}` }) })
    .send(MESSAGE)
    .catch((error: TextgateError) => error);
  expect(failure).toBeInstanceOf(TextgateError);
  expect(failure).toMatchObject({ status: Math.floor(code / 100), code, outcome, requestId: expect.any(String) });
  expect([waits.length, waits.every((milliseconds) => milliseconds >= 1000 * seconds)]).toEqual([4, true]);
});

it("does not repeat what its credentials are refused for", async () => {
  const failure = await connect({ headersOf: () => ({ "x-client-secret": "0".repeat(64) }) })
    .send(MESSAGE)
    .catch((error: TextgateError) => error);
  expect(failure).toMatchObject({ status: 401, code: 40101, outcome: "refused", requestId: expect.any(String) });
  expect(waits).toEqual([]);
});
