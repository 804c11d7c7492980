import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Carrier, Submission } from "../../src/carriers/carrier.ts";
import { sandbox } from "../../src/carriers/sandbox.ts";
import type { ServiceState } from "../../src/domain/operations/problems.ts";
import { countingDatabase } from "../counting-database.ts";
import { losingFirst } from "../late-tries.ts";
import { seed } from "../seed.ts";
import { strictCarrier } from "../strict/bindings.ts";
import { SEND, type TestClient, World } from "../world.ts";

const PHONES = Array.from({ length: 12 }, (_, index) => `+121255501${String(index).padStart(2, "0")}`);
const TYPO = "spring-sale_01";
const CODES = "log-in codes";

let world: World;
let client: TestClient;
let submitted: string[];
let submit: () => Submission;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(PHONES);
  submitted = [];
  submit = () => ({ kind: "accepted", carrierMessageId: "c" });
  const carrier: Carrier = {
    ...sandbox,
    submit: async ({ messageId }) => {
      submitted.push(messageId);
      return submit();
    },
  };
  world.deps = { ...world.deps, carriers: { ready: { sandbox: strictCarrier(carrier) }, missing: {} } };
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
});

afterEach(() => {
  vi.restoreAllMocks();
});

const call = async (what: string, filter: object = {}, websiteId = "brand") =>
  (await world.operator("POST", `/websites/${websiteId}/${what}`, filter)).json();
const message = async (id: string) => (await world.operator("GET", `/messages/${id}`)).json();
const health = async () => (await world.operator("GET", "/health")).json() as Promise<ServiceState>;
const statusOf = (status: string) =>
  world
    .rows("SELECT count(*) AS count FROM messages WHERE status = ?1", status)
    .then(([row]) => Number(row?.count ?? 0));

const campaign = (sendPurpose = TYPO, by = client) =>
  Promise.all(PHONES.map((phone) => world.send(by, { phone, sendPurpose })));

describe("a hold", () => {
  it("of a purpose stops waiting and new messages, and nothing else; a release lets it go, once", async () => {
    const held = await campaign();
    const others = await campaign(CODES);
    expect(await call("hold", { sendPurpose: TYPO })).toEqual({ held: PHONES.length });
    expect(await call("hold", { sendPurpose: TYPO })).toEqual({ held: PHONES.length });
    held.push(...(await campaign()));
    await world.runQueues();
    await world.pass(10);
    expect(submitted.toSorted()).toEqual(others.toSorted());
    const state = await health();
    expect(state.messages).toMatchObject({ held: { count: held.length }, waiting: { count: 0 } });
    expect(state.problems).toEqual([]);
    expect(await message(held[0] ?? "")).toMatchObject({ waits: { until: null, because: "an operator holds it" } });
    submitted.length = 0;
    expect(await call("release", { sendPurpose: TYPO })).toEqual({ released: held.length });
    await world.runQueues();
    expect(submitted.toSorted()).toEqual(held.toSorted());
    expect(await call("release", { sendPurpose: TYPO })).toEqual({ released: 0 });
    expect(await world.rows("SELECT holds FROM websites WHERE holds IS NOT NULL")).toEqual([]);
  });

  it("of a client leaves the texts of others; that of a website, those of other websites", async () => {
    const other = await world.client("brand");
    const shop = await world.brand(PHONES, "shop");
    const held = await campaign(TYPO, client);
    const free = [...(await campaign(TYPO, other)), ...(await campaign(TYPO, shop))];
    expect(await call("hold", { clientId: client.clientId })).toEqual({ held: PHONES.length });
    await world.runQueues();
    expect(submitted.toSorted()).toEqual(free.toSorted());
    expect(await call("hold", {}, "shop")).toEqual({ held: 0 });
    await campaign(TYPO, shop);
    await world.runQueues();
    expect(submitted.length).toBe(free.length);
    await call("release");
    await world.runQueues();
    expect(submitted.toSorted()).toEqual([...free, ...held].toSorted());
  });

  it("keeps what another hold covers as well", async () => {
    const ids = await campaign();
    await call("hold", { sendPurpose: TYPO });
    await call("hold", { clientId: client.clientId });
    expect(await call("release", { sendPurpose: TYPO })).toEqual({ released: 0 });
    await world.runQueues();
    expect(submitted).toEqual([]);
    const { holds } = (await (await world.operator("GET", "/websites/brand")).json()) as { holds: object[] };
    expect(holds).toEqual([
      { sendPurpose: null, clientId: client.clientId, since: expect.any(String), by: "OPERATOR_TOKEN", reason: null },
    ]);
    expect(await call("release")).toEqual({ released: ids.length });
  });

  it("writes each held message once, however long it lasts", async () => {
    await campaign();
    await call("hold");
    await world.runQueues();
    await world.pass(2);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    await world.pass(10);
    const written = take().rowsWritten;
    world.advance(60);
    await world.rows("DELETE FROM messages");
    await world.pass(10);
    expect(written).toBeLessThan(take().rowsWritten + PHONES.length / 2);
  });

  it("does not stop the clock: at its deadline a held message fails, and says why", async () => {
    const [messageId = ""] = await campaign();
    await call("hold");
    await world.runQueues();
    await world.pass(2);
    world.advance(4 * 3600);
    await world.pass(2);
    expect(await message(messageId)).toMatchObject({
      status: "FAILED_TO_SEND",
      reason: "CANCELLED",
      reasonDetail: "the carrier could not take it in time (before: held by an operator)",
    });
  });

  it("of a retried message waits for both", async () => {
    submit = () => ({ kind: "later", reason: "busy", retryAfterSeconds: 120 });
    const [messageId = ""] = await campaign();
    await world.runQueues();
    await call("hold");
    submit = () => ({ kind: "accepted", carrierMessageId: "c" });
    expect(await call("release")).toEqual({ released: 0 });
    await world.runQueues();
    expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
    await world.pass(3);
    expect(await statusOf("SENDING")).toBe(PHONES.length);
  });

  it("that is made after a release holds, whenever a lost try of the release runs", async () => {
    await campaign();
    await call("hold");
    const runLate = await losingFirst(world, () => call("release"));
    world.jobs.length = 0;
    world.advance(1);
    await call("hold", { reason: "wrong after all" });
    await runLate();
    await world.pass(5);
    expect(submitted).toEqual([]);
  });

  it("leaves the confirmation of an opt-out alone", async () => {
    await call("hold");
    await world.rows("UPDATE subscriptions SET subscribed = 0, opted_out_by_person = 1 WHERE phone = 12125550100");
    await world.rows(
      `INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status,
         accepted_at, updated_at, due_at, is_reply) VALUES ('reply', 'brand', '', 12125550100, 'You are out.', '', '',
         'PENDING_TO_SEND', ?1, ?1, 0, 1)`,
      world.now,
    );
    await world.pass(3);
    expect(submitted).toEqual(["reply"]);
  });
});

describe("the reason of a hold and who has made it", () => {
  const audit = () => world.rows("SELECT operator, after FROM audit_log WHERE action = 'hold'");

  it("are shown with the website and each of its messages, and are in the audit log", async () => {
    const [messageId = ""] = await campaign();
    const [other = ""] = await campaign(CODES);
    await call("hold", { sendPurpose: TYPO, reason: " wrong link " });
    const hold = { since: "2026-11-21T12:00:00.000Z", by: "OPERATOR_TOKEN", reason: "wrong link" };
    const held = { until: null, because: "an operator holds it", held: hold };
    expect(await (await world.operator("GET", "/websites/brand")).json()).toMatchObject({
      holds: [{ sendPurpose: TYPO, clientId: null, ...hold }],
    });
    expect(await message(messageId)).toMatchObject({ waits: held });
    expect(await message(other)).toMatchObject({ waits: { because: "its job" } });
    const { messages } = (await (await world.operator("GET", `/messages?website=brand&purpose=${TYPO}`)).json()) as {
      messages: object[];
    };
    expect(messages[0]).toMatchObject({ waits: held });
    const after = JSON.stringify({ sendPurpose: TYPO, clientId: null, reason: "wrong link" });
    expect(await audit()).toEqual([{ operator: "OPERATOR_TOKEN", after }]);
  });

  it("stay those of the first, where what is held is held again", async () => {
    await call("hold", { reason: "first" });
    await call("hold", { reason: "second" });
    const [row] = await world.rows("SELECT holds FROM websites WHERE website_id = 'brand'");
    expect(JSON.parse(String(row?.holds))).toMatchObject([{ reason: "first" }]);
    expect(await audit()).toHaveLength(1);
  });
});

describe("a count that the operator expects", () => {
  const refused = (count: number) => ({ code: 40903, details: [{ field: "expected", count }] });
  const holdsOf = () => world.rows("SELECT holds FROM websites WHERE holds IS NOT NULL");

  it.each(["hold", "cancel"])("and that is another one keeps %s from doing anything", async (what) => {
    await campaign();
    await campaign(CODES);
    const filter = { sendPurpose: TYPO };
    expect(await call(what, { ...filter, expected: PHONES.length - 1 })).toMatchObject(refused(PHONES.length));
    const answer = await world.operator("POST", `/websites/brand/${what}`, { ...filter, expected: PHONES.length + 1 });
    expect(answer.status).toBe(409);
    expect(await statusOf("FAILED_TO_SEND")).toBe(0);
    expect(await holdsOf()).toEqual([]);
    expect(await world.rows("SELECT action FROM audit_log WHERE action = ?1", what)).toEqual([]);
    const verb = what === "hold" ? "held" : "cancelled";
    expect(await call(what, { ...filter, expected: PHONES.length })).toEqual({ [verb]: PHONES.length });
  });

  /** Another text is accepted after the first count. */
  function acceptBetween() {
    const { db, prepare } = { db: world.deps.db, prepare: world.deps.db.prepare.bind(world.deps.db) };
    let isDone = false;
    const between = async () => {
      if (isDone) return;
      isDone = true;
      await world.rows(
        `INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status,
           accepted_at, updated_at, due_at) VALUES ('zz', 'brand', '', 12125550100, 'Late', '', ?1, 'PENDING_TO_SEND', ?2, ?2, 0)`,
        TYPO,
        world.now,
      );
    };
    const batch = async (statements: D1PreparedStatement[]) => {
      await between();
      return db.batch(statements);
    };
    world.deps = { ...world.deps, db: { prepare, batch } as unknown as D1Database };
  }

  it("is counted again by the transaction that holds", async () => {
    await campaign();
    acceptBetween();
    expect(await call("hold", { sendPurpose: TYPO, expected: PHONES.length })).toMatchObject(
      refused(PHONES.length + 1),
    );
    expect(await holdsOf()).toEqual([]);
  });

  it("is that of the texts that are cancelled: a later one is not among them", async () => {
    await campaign();
    acceptBetween();
    expect(await call("cancel", { sendPurpose: TYPO, expected: PHONES.length })).toEqual({ cancelled: PHONES.length });
    expect(await world.statusOf("zz")).toBe("PENDING_TO_SEND");
  });

  it("is a whole number", async () => {
    const answer = await world.operator("POST", "/websites/brand/cancel", { expected: -1 });
    expect([answer.status, await answer.json()]).toMatchObject([400, { details: [{ field: "expected" }] }]);
  });
});

describe("a cancellation", () => {
  it("is counted first, then ends waiting and held messages, with their callbacks", async () => {
    const ids = await campaign();
    const others = await campaign(CODES);
    await call("hold", { sendPurpose: TYPO });
    await world.runQueues();
    expect(await call("cancel", { sendPurpose: TYPO, dryRun: true })).toEqual({ cancelled: ids.length });
    expect(await statusOf("FAILED_TO_SEND")).toBe(0);
    expect(await call("cancel", { sendPurpose: TYPO })).toEqual({ cancelled: ids.length });
    expect(await call("cancel", { sendPurpose: TYPO })).toEqual({ cancelled: 0 });
    expect(await message(ids[0] ?? "")).toMatchObject({
      status: "FAILED_TO_SEND",
      reason: "CANCELLED",
      reasonDetail: "cancelled by an operator",
    });
    expect(world.callbacks.map(({ body }) => body).toSorted()).toEqual(
      ids.map((id) => `${id}_FAILED_TO_SEND`).toSorted(),
    );
    expect(submitted.toSorted()).toEqual(others.toSorted());
  });

  it("of one text ends it alone, also where it is held, and once", async () => {
    const [messageId = "", ...others] = await campaign();
    await call("hold");
    const cancel = async () => {
      const answer = await world.operator("POST", `/messages/${messageId}/cancel`);
      return [answer.status, await answer.json()];
    };
    expect(await cancel()).toEqual([200, { messageId, cancelled: 1 }]);
    expect(await message(messageId)).toMatchObject({ status: "FAILED_TO_SEND", reason: "CANCELLED" });
    expect(await cancel()).toMatchObject([409, { code: 40903, details: [{ count: 0 }] }]);
    expect(await statusOf("PENDING_TO_SEND")).toBe(others.length);
    expect(world.callbacks.map(({ body }) => body)).toEqual([`${messageId}_FAILED_TO_SEND`]);
    expect(
      await world.rows("SELECT operator, subject, outcome FROM audit_log WHERE action = 'cancel-message'"),
    ).toEqual([{ operator: "OPERATOR_TOKEN", subject: messageId, outcome: "done" }]);
  });

  it("of one text leaves a claimed one and a reply alone, and knows its website", async () => {
    const [claimed = "", reply = ""] = await campaign();
    await world.rows("UPDATE messages SET claimed_at = 1, claim = 'a run' WHERE message_id = ?1", claimed);
    await world.rows("UPDATE messages SET is_reply = 1 WHERE message_id = ?1", reply);
    for (const id of [claimed, reply]) {
      expect((await world.operator("POST", `/messages/${id}/cancel`)).status).toBe(409);
      expect(await world.statusOf(id)).toBe("PENDING_TO_SEND");
    }
    expect((await world.operator("POST", "/messages/nobody/cancel")).status).toBe(404);
    expect((await world.fetch(`/operator/messages/${claimed}/cancel`, { method: "POST" })).status).toBe(401);
  });

  it("of 2,500 waiting texts takes two steps, and leaves what was claimed", async () => {
    const messages = Array.from({ length: 2500 }, (_, index) => ({
      ...SEND,
      phone: PHONES[index % PHONES.length],
      text: `${index}`,
    }));
    await world.post("/text/bulk/message/send", client, { messages });
    await world.rows("UPDATE messages SET claimed_at = ?1, claim = 'a run' WHERE text IN ('1', '2')", world.now);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    expect(await call("cancel")).toEqual({ cancelled: 2498 });
    const { calls, rowsRead } = take();
    // Two of them for the audit log.
    expect(calls).toBeLessThanOrEqual(9);
    // Each is looked for among the kept requests, found, changed, counted as cancelled, and counted in its minute and its day.
    expect(rowsRead).toBeLessThan(2500 * 22);
    expect(await statusOf("PENDING_TO_SEND")).toBe(2);
  });
});

it("a client that is suspended says how many of its texts still wait, scheduled ones too", async () => {
  await campaign();
  await world.send(client, { phone: PHONES[0], sendAt: new Date(world.now + 86_400_000).toISOString() });
  world.advance(2);
  const suspend = (suspended: boolean) => world.operator("PATCH", `/clients/${client.clientId}`, { suspended });
  expect(await (await suspend(true)).json()).toMatchObject({ suspended: true, waitingMessages: PHONES.length + 1 });
  world.advance(2);
  expect(await (await suspend(false)).json()).toMatchObject({ suspended: false, waitingMessages: null });
});

it("counts waiting messages without reading other tables or what others have waiting, and writes nothing", async () => {
  const now = `${world.now}`;
  await seed(world, "messages", 2000, {
    message_id: "'m-' || i",
    website_id: "iif(i % 2 = 0, 'brand', 'other')",
    client_id: "''",
    ...{ text: "'Hello'", callback_data: "''", send_purpose: "'sale'", status: "'PENDING_TO_SEND'" },
    ...{ accepted_at: now, updated_at: now, due_at: now },
  });
  const { db, take } = countingDatabase(world.deps.db);
  world.deps = { ...world.deps, db };
  expect(await call("cancel", { dryRun: true })).toEqual({ cancelled: 1000 });
  const { calls, rowsRead, rowsWritten } = take();
  // One of them reads the website of the call, one the kept requests.
  expect([calls, rowsWritten]).toEqual([3, 0]);
  expect(rowsRead).toBeLessThan(1000 * 3);
});

describe("refused are", () => {
  it.each(["hold", "release", "cancel"])("%s without the operator's token, or with a client's", async (what) => {
    const path = `/operator/websites/brand/${what}`;
    expect((await world.fetch(path, { method: "POST" })).status).toBe(401);
    expect((await world.post(path, client, {})).status).toBe(401);
  });

  it.each(["hold", "release", "cancel"])("%s for an unknown website, or for what is no client of it", async (what) => {
    const status = async (path: string, body: object) => (await world.operator("POST", path, body)).status;
    expect(await status(`/websites/nobody/${what}`, {})).toBe(404);
    expect(await status(`/websites/brand/${what}`, { clientId: "0".repeat(32) })).toBe(400);
    expect(await status(`/websites/brand/${what}`, { clientId: "a typo" })).toBe(400);
    expect(await status(`/websites/brand/${what}`, { sendPurpose: 7 })).toBe(400);
    expect(await status(`/websites/brand/${what}`, { sendPurpose: "", clientId: null })).toBe(200);
  });
});
