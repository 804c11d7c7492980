// The client that is installed, in workerd: a Worker is a client, too. What fails here fails in the service's own words.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Textgate, TextgateError, verifyCallback } from "../../client/index.js";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
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

/** @param more headers of each request */
function connect(more: Record<string, string> = {}): Textgate {
  const fetch = (url: string, { headers, ...init }: RequestInit) => {
    const { pathname, search } = new URL(url);
    return world.fetch(pathname + search, { ...init, headers: { ...Object.fromEntries(headers as Headers), ...more } });
  };
  return new Textgate({
    ...{ url: "https://sms.example.com", clientId: client.clientId, clientSecret: client.clientSecret },
    ...{ fetch: fetch as typeof globalThis.fetch, wait: async (milliseconds: number) => void waits.push(milliseconds) },
  });
}

it("sends, verifies the callback, and reads the events", async () => {
  const textgate = connect();
  const { messageId } = await textgate.send(MESSAGE);
  await world.runQueues();
  expect(await textgate.status(messageId)).toMatchObject({ messageId, status: "DELIVERED", reason: null });
  const { callbackSecret: secret } = client;
  const events = await Promise.all(posted.map((callback) => verifyCallback({ secret, ...callback, now: world.now })));
  expect(events.map(({ eventId }) => eventId).sort()).toEqual([`${messageId}_DELIVERED`, `${messageId}_SENDING`]);
  const seen = [];
  for await (const { eventId } of textgate.events()) seen.push(eventId);
  expect(seen).toEqual([`${messageId}_SENDING`, `${messageId}_DELIVERED`]);
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
  const failure = await connect({ "Sandbox-Error": `${code}` })
    .send(MESSAGE)
    .catch((error: TextgateError) => error);
  expect(failure).toBeInstanceOf(TextgateError);
  expect(failure).toMatchObject({ status: Math.floor(code / 100), code, outcome, requestId: expect.any(String) });
  expect([waits.length, waits.every((milliseconds) => milliseconds >= 1000 * seconds)]).toEqual([4, true]);
});

it("does not repeat what its credentials are refused for", async () => {
  const failure = await connect({ "x-client-secret": "0".repeat(64) })
    .send(MESSAGE)
    .catch((error: TextgateError) => error);
  expect(failure).toMatchObject({ status: 401, code: 40101, outcome: "refused", requestId: expect.any(String) });
  expect(waits).toEqual([]);
});
