import { beforeEach, expect, it } from "vitest";
import type { Carrier, Submission } from "../../src/carriers/carrier.ts";
import { sandbox } from "../../src/carriers/sandbox.ts";
import { countingDatabase } from "../counting-database.ts";
import { seed } from "../seed.ts";
import { strictCarrier } from "../strict/bindings.ts";
import { type TestClient, World } from "../world.ts";

const PHONES = Array.from({ length: 20 }, (_, index) => `+121255501${String(index).padStart(2, "0")}`);
const AWAY: Submission = { kind: "later", reason: "connection refused", failing: "carrier" };

let world: World;
let client: TestClient;
let submit: () => Submission;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PHONES);
  submit = () => AWAY;
  const carrier: Carrier = { ...sandbox, submit: async () => submit() };
  world.deps = { ...world.deps, carriers: { ready: { sandbox: strictCarrier(carrier) }, missing: {} } };
});

const tryCarrier = (carrier = "sandbox") => world.operator("POST", `/carriers/${carrier}/try`);
const statuses = () => world.rows("SELECT status, count(*) AS count FROM messages GROUP BY status");
const message = async (id: string) => (await world.operator("GET", `/messages/${id}`)).json();

async function sendAll(): Promise<string[]> {
  return Promise.all(PHONES.map((phone) => world.send(client, { phone })));
}

it("makes waiting messages due now, and they go at once", async () => {
  await sendAll();
  await world.runQueues();
  await world.pass(8);
  submit = () => ({ kind: "accepted", carrierMessageId: "c" });
  world.advance(5);
  const [{ count } = { count: 0 }] = await world.rows(
    "SELECT count(*) AS count FROM messages WHERE due_at > ?1",
    world.now,
  );
  expect(count).toBeGreaterThan(PHONES.length / 2);
  expect(await (await tryCarrier()).json()).toEqual({ carrier: "sandbox", due: count });
  await world.runQueues();
  expect(await statuses()).toEqual([{ status: "SENDING", count: PHONES.length }]);
  expect(await (await tryCarrier()).json()).toEqual({ carrier: "sandbox", due: 0 });
});

it("holds in an isolate that has a breaker of its own", async () => {
  await sendAll();
  await world.runQueues();
  await world.pass(8);
  const other = await World.another(world);
  other.advance(5);
  world.advance(5);
  await other.operator("POST", "/carriers/sandbox/try");
  submit = () => ({ kind: "accepted", carrierMessageId: "c" });
  world.jobs.push(...other.jobs.splice(0));
  await world.runQueues();
  expect(await statuses()).toEqual([{ status: "SENDING", count: PHONES.length }]);
});

it("a message that waits for its first submission has the carrier of its website, which can be tried", async () => {
  await sendAll();
  await world.runQueues();
  const late = await world.send(client, { phone: PHONES[0] ?? "", text: "later" });
  await world.runQueues();
  expect(await world.rows("SELECT carrier, attempts FROM messages WHERE message_id = ?1", late)).toEqual([
    { carrier: null, attempts: 0 },
  ]);
  expect(await message(late)).toMatchObject({ carrier: "sandbox", attempts: 0 });
});

it("that still fails opens the breaker again, and loses nothing", async () => {
  await sendAll();
  await world.runQueues();
  await world.pass(3);
  world.advance(5);
  await tryCarrier();
  await world.runQueues();
  expect(await statuses()).toEqual([{ status: "PENDING_TO_SEND", count: PHONES.length }]);
  const [pause] = await world.rows("SELECT open_until FROM carrier_pauses");
  expect(pause?.open_until).toBeGreaterThan(world.now);
});

it("a message says when it is due and why, and never a time that has passed", async () => {
  const [messageId = ""] = await sendAll();
  expect(await message(messageId)).toMatchObject({ retryAt: null, waits: { until: null, because: "its job" } });
  await world.runQueues();
  const waiting = (await message(messageId)) as { retryAt: string; waits: { until: string; because: string } };
  expect(Date.parse(waiting.retryAt)).toBeGreaterThan(world.now);
  expect(waiting.waits.until).toBe(waiting.retryAt);
  expect(waiting.waits.because).toMatch(/connection refused|circuit breaker is open/);
  world.advance(3600);
  expect(await message(messageId)).toMatchObject({ retryAt: null, waits: { until: null, because: "its job" } });
  submit = () => ({ kind: "accepted", carrierMessageId: "c" });
  await world.runQueues();
  expect(await message(messageId)).toMatchObject({ retryAt: null, waits: null });
});

it("reads waiting messages, and no more of them than an answer needs", async () => {
  await sendAll();
  await world.runQueues();
  const { db, take } = countingDatabase(world.deps.db);
  world.deps = { ...world.deps, db };
  world.advance(1);
  await tryCarrier();
  const usage = take();
  // Two of them for the audit log.
  expect(usage.calls).toBe(4);
  expect(usage.rowsRead).toBeLessThan(PHONES.length * 10);
  await tryCarrier();
  expect(take().rowsRead).toBeLessThan(10);
});

it("finds its waiting messages behind 15,000 messages of other websites, held, due later, or at another carrier", async () => {
  const now = world.now;
  await world.website("far", { carrier: "twilio" });
  await world.website("held", { carrier: "sandbox" });
  const backlog = (websiteId: string, count: number, dueAt: string) =>
    seed(world, "messages", count, {
      message_id: `'${websiteId}-' || i`,
      ...{
        website_id: `'${websiteId}'`,
        client_id: "''",
        status: "'PENDING_TO_SEND'",
        text: "''",
        callback_data: "''",
      },
      ...{ send_purpose: "'sale'", accepted_at: `${now}`, updated_at: `${now}`, due_at: dueAt },
      reason: "'busy'",
    });
  await backlog("far", 10_000, `${now} + 3000`);
  await backlog("held", 5000, `${now}`);
  await sendAll();
  await world.runQueues();
  const { db, take } = countingDatabase(world.deps.db);
  world.deps = { ...world.deps, db };
  expect(await (await tryCarrier()).json()).toEqual({ carrier: "sandbox", due: PHONES.length });
  expect(take().rowsRead).toBeLessThan(PHONES.length * 10);
});

it("of an unknown carrier is 404; it needs the operator's token", async () => {
  expect((await tryCarrier("nobody")).status).toBe(404);
  expect((await tryCarrier("constructor")).status).toBe(404);
  expect((await world.fetch("/operator/carriers/sandbox/try", { method: "POST" })).status).toBe(401);
  expect((await world.post("/operator/carriers/sandbox/try", client, {})).status).toBe(401);
});
