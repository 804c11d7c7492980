import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { TestEventAnswers } from "../../src/operator/answers/clients.ts";
import { ADA, bindDatabases, makeBrand } from "../databases.ts";
import { type TestClient, World } from "../world.ts";

let world: World;
let client: TestClient;
let posts: { url: string; init: RequestInit }[];
let answer: () => Promise<Response>;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  posts = [];
  answer = async () => new Response(null, { status: 204 });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init = {}) => {
    posts.push({ url: String(url), init });
    return answer();
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

const press = async (clientId = client.clientId) => {
  const response = await world.operator("POST", `/clients/${clientId}/test-event`);
  return { status: response.status, body: (await response.json()) as TestEventAnswers["TestEvent"] };
};
const audit = () => world.rows("SELECT client_id, after, outcome FROM audit_log WHERE action = 'test-event'");

it("is posted once, signed, and about nobody", async () => {
  const { status, body } = await press();
  expect(status).toBe(200);
  expect(body).toEqual({
    eventId: expect.stringMatching(/^test_[0-9a-f-]{36}$/),
    ...{ outcome: "answered", httpStatus: 204, response: "", durationMilliseconds: 0 },
  });
  expect(posts.map(({ url }) => url)).toEqual(["https://brand.example.com/callbacks"]);
  const { init = {} } = posts[0] ?? {};
  const headers = Object.fromEntries(new Headers(init.headers));
  vi.setSystemTime(world.now);
  const sent = new Webhook(client.callbackSecret).verify(String(init.body), headers);
  vi.useRealTimers();
  expect(sent).toEqual({ eventId: body.eventId, eventType: "test", occurredAt: "2026-11-21T12:00:00.000Z" });
  expect(init.redirect).toBe("manual");
  expect(await world.rows("SELECT * FROM events")).toEqual([]);
  const after = JSON.stringify({ eventId: body.eventId, outcome: "answered", httpStatus: 204 });
  expect(await audit()).toEqual([{ client_id: client.clientId, after, outcome: "done" }]);
});

it("has two signatures while a secret is being replaced", async () => {
  await world.operator("POST", `/clients/${client.clientId}/rotate`, {});
  await press();
  expect(new Headers(posts[0]?.init.headers).get("webhook-signature")?.split(" ")).toHaveLength(2);
});

it("says what the endpoint answers, and why nothing came back", async () => {
  answer = async () => new Response("No such column", { status: 500 });
  expect((await press()).body).toMatchObject({ outcome: "answered", httpStatus: 500, response: "No such column" });
  answer = async () => Promise.reject(new Error("connection refused"));
  expect((await press()).body).toMatchObject({ outcome: "unreachable", httpStatus: null });
  await world.operator("PATCH", `/clients/${client.clientId}`, { callbackUrl: "" });
  const response = "the client has no callback URL";
  expect((await press()).body).toMatchObject({ outcome: "not-posted", httpStatus: null, response });
  expect(posts).toHaveLength(2);
});

it("goes to no URL that the rule of callbacks refuses", async () => {
  await world.rows("UPDATE clients SET callback_url = 'https://10.0.0.1/' WHERE client_id = ?1", client.clientId);
  expect((await press()).body).toMatchObject({ outcome: "not-posted" });
  expect(posts).toEqual([]);
});

it("is limited to five a minute and client", async () => {
  const other = await world.client("brand", { callbackUrl: "https://other.example.com/" });
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) statuses.push((await press()).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect(posts).toHaveLength(5);
  expect(await audit()).toHaveLength(5);
  const refused = await world.operator("POST", `/clients/${client.clientId}/test-event`);
  expect([refused.headers.get("retry-after"), await refused.json()]).toMatchObject(["60", { code: 42902 }]);
  expect((await press(other.clientId)).status).toBe(200);
  world.advance(60);
  expect((await press()).status).toBe(200);
});

it("goes to the client of another database", async () => {
  await bindDatabases(world, 2);
  const brands = [await makeBrand(world, 1), await makeBrand(world, 2)];
  expect(new Set(brands.map(({ database }) => database)).size).toBe(2);
  posts.length = 0;
  for (const brand of brands) expect((await press(brand.client.clientId)).status).toBe(200);
  expect(posts).toHaveLength(2);
});

it.each<[string, string, object | undefined]>([
  ["GET", "", undefined],
  ["PATCH", "", {}],
  ["POST", "/rotate", {}],
  ["POST", "/test-event", undefined],
])("so does each call of a client whose id is in capitals: %s %s", async (method, path, body) => {
  await bindDatabases(world, 2);
  const brands = [await makeBrand(world, 1), await makeBrand(world, 2)];
  world.advance(2);
  for (const { client } of brands) {
    const answer = await world.operator(method, `/clients/${client.clientId.toUpperCase()}${path}`, body);
    expect(answer.status).toBe(200);
  }
});

it("is refused without a token, and for an unknown client", async () => {
  const path = `/operator/clients/${client.clientId}/test-event`;
  expect((await world.fetch(path, { method: "POST" })).status).toBe(401);
  expect((await press("0".repeat(32))).status).toBe(404);
});
