/** A test text of an operator: it passes all that a text of the client passes, and so reaches nobody who has said STOP. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { TEST_TEXTS_A_MINUTE } from "../../src/flows/messages/send-test-text.ts";
import { ADA, bindDatabases, makeBrand } from "../databases.ts";
import { type TestClient, World } from "../world.ts";

const BOB = "+12125550101";
const STRANGER = "+12125550177";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, BOB]);
});

const press = async (fields: object = {}, of = client) => {
  const body = { phone: ADA, text: "Hello from us.", ...fields };
  const answer = await world.operator("POST", `/clients/${of.clientId}/test-text`, body);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const messages = () => world.rows("SELECT phone, text, send_purpose, status, kind, client_id FROM messages");
const statusOf = async (id: unknown) =>
  (await world.rows("SELECT status, reason_code FROM messages WHERE message_id = ?1", id))[0];
const audit = () =>
  world.rows("SELECT operator, client_id, subject, after, outcome FROM audit_log WHERE action = 'test-text'");

it("goes out as a text of the client, without a callback, and is in the audit log without number and words", async () => {
  const { status, body } = await press();
  expect([status, body]).toEqual([200, { messageId: expect.any(String), scheduledFor: null }]);
  expect(await messages()).toMatchObject([
    {
      phone: 12125550100,
      text: "Hello from us.",
      send_purpose: "test-text",
      kind: "marketing",
      client_id: client.clientId,
    },
  ]);
  await world.runQueues();
  expect(await statusOf(body.messageId)).toMatchObject({ status: "DELIVERED" });
  expect(
    await world.rows("SELECT due_at, outcome FROM events WHERE due_at IS NOT NULL OR outcome IS NOT NULL"),
  ).toEqual([]);
  const after = JSON.stringify({ messageId: body.messageId });
  const author = { operator: "OPERATOR_TOKEN", client_id: client.clientId, subject: "+…00" };
  expect(await audit()).toEqual([{ ...author, after, outcome: "done" }]);
});

it("reaches nobody who is not subscribed, and nobody who has said STOP", async () => {
  await world.rows("UPDATE subscriptions SET subscribed = 0, opted_out_by_person = 1 WHERE phone = 12125550101");
  for (const [phone, status] of [
    [BOB, "NOT_SUBSCRIBED"],
    [STRANGER, "NOT_FOUND"],
  ]) {
    const { body } = await press({ phone });
    await world.runQueues();
    expect(await statusOf(body.messageId)).toMatchObject({ status });
  }
});

describe("the rules of a text", () => {
  it("hold it back while the website is held", async () => {
    await world.operator("POST", "/websites/brand/hold", {});
    const { body } = await press();
    await world.runQueues();
    expect(await statusOf(body.messageId)).toMatchObject({ status: "PENDING_TO_SEND" });
  });

  it("let it wait for sending hours, and say so", async () => {
    const hours = {
      profile: "custom",
      windows: [{ days: ["mon"], from: "09:00", until: "10:00" }],
      whenClosed: "delay",
    };
    await world.operator("PUT", "/websites/brand", { name: "brand", sendingHours: hours });
    const { body } = await press();
    expect(body.scheduledFor).toMatch(/^2026-11-23T/);
  });

  it.each([
    [{ phone: "2125550100" }, "phone"],
    [{ phone: "+4915112345678" }, "phone"],
    [{ phone: "" }, "phone"],
    [{ text: " " }, "text"],
    [{ text: "x".repeat(1601) }, "text"],
    [{ sendPurpose: "sp!" }, "sendPurpose"],
    [{ phone: 12125550100 }, "phone"],
  ])("refuse %o, and nothing is stored", async (fields, field) => {
    await world.operator("PUT", "/websites/brand", { name: "brand", allowedCountries: ["US"] });
    const { status, body } = await press(fields);
    expect([status, body]).toMatchObject([400, { code: 40001, details: [{ field }] }]);
    expect([await messages(), await audit()]).toEqual([[], []]);
  });

  it("count it towards the daily limit", async () => {
    await world.operator("PUT", "/websites/brand", { name: "brand", dailyLimit: 1 });
    expect((await press()).status).toBe(200);
    expect(await press()).toMatchObject({ status: 429, body: { code: 42901 } });
    expect(await audit()).toMatchObject([{ outcome: "done" }, { outcome: "failed" }]);
  });

  it("refuse it for a client that is suspended, or may not send", async () => {
    await world.operator("PATCH", `/clients/${client.clientId}`, { operations: ["status"] });
    expect(await press()).toMatchObject({ status: 403, body: { code: 40301 } });
    world.advance(2);
    await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true });
    expect(await press()).toMatchObject({ status: 403, body: { code: 40300 } });
    expect(await messages()).toEqual([]);
  });
});

it("is limited to some a minute and client", async () => {
  for (let n = 0; n < TEST_TEXTS_A_MINUTE; n++) expect((await press()).status).toBe(200);
  expect(await press()).toMatchObject({ status: 429, body: { code: 42902 } });
  world.advance(61);
  expect((await press()).status).toBe(200);
  expect(await messages()).toHaveLength(TEST_TEXTS_A_MINUTE + 1);
});

it("waits for the limit of its website's requests, as any request", async () => {
  vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
  for (let n = 0; n < 300; n++) await world.deps.limiter.admit("brand", () => world.now);
  expect(await press()).toMatchObject({ status: 429, body: { code: 42900 } });
  expect(await messages()).toEqual([]);
  world.advance(2);
  vi.setSystemTime(world.now);
  expect(await press()).toMatchObject({ status: 200 });
  vi.useRealTimers();
});

it("is stored in the database of its website", async () => {
  await bindDatabases(world, 2);
  for (const brand of [await makeBrand(world, 1), await makeBrand(world, 2)]) {
    const { body } = await press({}, brand.client);
    expect((await world.operator("GET", `/messages/${body.messageId}`)).status).toBe(200);
  }
});

it("is for operators, and of a client that there is", async () => {
  const made = await world.operator("POST", "/tokens", { name: "vera", role: "viewer" });
  const { token } = (await made.json()) as { token: string };
  const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
  const path = `/operator/clients/${client.clientId}/test-text`;
  expect((await world.fetch(path, init)).status).toBe(401);
  const asViewer = { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } };
  expect((await world.fetch(path, asViewer)).status).toBe(403);
  expect((await press({}, { ...client, clientId: "0".repeat(32) })).status).toBe(404);
});
