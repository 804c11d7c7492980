/** The waiting messages of a website, or one of them, are cancelled: what is not sent, and what cannot be undone. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CampaignWorld, CODES, PHONES, TYPO } from "../campaign.ts";
import { countingDatabase } from "../counting-database.ts";
import { seed } from "../seed.ts";
import { SEND, type TestClient, type World } from "../world.ts";

let own: CampaignWorld;
let world: World;
let client: TestClient;

beforeEach(async () => {
  own = await CampaignWorld.create();
  ({ world, client } = own);
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a cancellation", () => {
  it("is counted first, then ends waiting and held messages, with their callbacks", async () => {
    const ids = await own.campaign();
    const others = await own.campaign(CODES);
    await own.call("hold", { sendPurpose: TYPO });
    await world.runQueues();
    expect(await own.call("cancel", { sendPurpose: TYPO, dryRun: true })).toEqual({ cancelled: ids.length });
    expect(await own.countOf("FAILED_TO_SEND")).toBe(0);
    expect(await own.call("cancel", { sendPurpose: TYPO })).toEqual({ cancelled: ids.length });
    expect(await own.call("cancel", { sendPurpose: TYPO })).toEqual({ cancelled: 0 });
    expect(await own.message(ids[0] ?? "")).toMatchObject({
      status: "FAILED_TO_SEND",
      reason: "CANCELLED",
      reasonDetail: "cancelled by an operator",
    });
    expect(world.callbacks.map(({ body }) => body).toSorted()).toEqual(
      ids.map((id) => `${id}_FAILED_TO_SEND`).toSorted(),
    );
    expect(own.submitted.toSorted()).toEqual(others.toSorted());
  });

  it("of one text ends it alone, also where it is held, and once", async () => {
    const [messageId = "", ...others] = await own.campaign();
    await own.call("hold");
    const cancel = async () => {
      const answer = await world.operator("POST", `/messages/${messageId}/cancel`);
      return [answer.status, await answer.json()];
    };
    expect(await cancel()).toEqual([200, { messageId, cancelled: 1 }]);
    expect(await own.message(messageId)).toMatchObject({ status: "FAILED_TO_SEND", reason: "CANCELLED" });
    expect(await cancel()).toMatchObject([409, { code: 40903, details: [{ count: 0 }] }]);
    expect(await own.countOf("PENDING_TO_SEND")).toBe(others.length);
    expect(world.callbacks.map(({ body }) => body)).toEqual([`${messageId}_FAILED_TO_SEND`]);
    expect(
      await world.rows("SELECT operator, subject, outcome FROM audit_log WHERE action = 'cancel-message'"),
    ).toEqual([{ operator: "OPERATOR_TOKEN", subject: messageId, outcome: "done" }]);
  });

  it("of one text leaves a claimed one and a reply alone, and knows its website", async () => {
    const [claimed = "", reply = ""] = await own.campaign();
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
      phone: PHONES[index % 30],
      text: `${index}`,
    }));
    await world.post("/text/bulk/message/send", client, { messages });
    await world.rows("UPDATE messages SET claimed_at = ?1, claim = 'a run' WHERE text IN ('1', '2')", world.now);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    expect(await own.call("cancel")).toEqual({ cancelled: 2498 });
    const { calls, rowsRead } = take();
    // Two of them for the audit log.
    expect(calls).toBeLessThanOrEqual(9);
    // Each is looked for among the scheduled messages, found, changed, counted as cancelled, and counted in its minute and its day.
    expect(rowsRead).toBeLessThan(2500 * 22);
    expect(await own.countOf("PENDING_TO_SEND")).toBe(2);
  });
});

describe("a count that the operator expects", () => {
  const refused = (count: number) => ({ code: 40903, details: [{ field: "expected", count }] });

  it("and that is another one keeps a cancellation from doing anything", async () => {
    await own.campaign();
    await own.campaign(CODES);
    const filter = { sendPurpose: TYPO };
    expect(await own.call("cancel", { ...filter, expected: 29 })).toMatchObject(refused(30));
    const answer = await world.operator("POST", "/websites/brand/cancel", { ...filter, expected: 31 });
    expect(answer.status).toBe(409);
    expect(await own.countOf("FAILED_TO_SEND")).toBe(0);
    expect(await world.rows("SELECT action FROM audit_log WHERE action = 'cancel'")).toEqual([]);
    expect(await own.call("cancel", { ...filter, expected: 30 })).toEqual({ cancelled: 30 });
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

  it("is that of the texts that are cancelled: a later one is not among them", async () => {
    await own.campaign();
    acceptBetween();
    expect(await own.call("cancel", { sendPurpose: TYPO, expected: 30 })).toEqual({ cancelled: 30 });
    expect(await world.statusOf("zz")).toBe("PENDING_TO_SEND");
  });

  it("is a whole number", async () => {
    const answer = await world.operator("POST", "/websites/brand/cancel", { expected: -1 });
    expect([answer.status, await answer.json()]).toMatchObject([400, { details: [{ field: "expected" }] }]);
  });
});

it("a client that is suspended says how many of its texts still wait, scheduled ones too", async () => {
  await own.campaign();
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
  expect(await own.call("cancel", { dryRun: true })).toEqual({ cancelled: 1000 });
  const { calls, rowsRead, rowsWritten } = take();
  // One of them reads the website of the call, one the scheduled messages.
  expect([calls, rowsWritten]).toEqual([3, 0]);
  expect(rowsRead).toBeLessThan(1000 * 3);
});

describe("refused is a cancellation", () => {
  it("without the operator's token, or with a client's", async () => {
    const path = "/operator/websites/brand/cancel";
    expect((await world.fetch(path, { method: "POST" })).status).toBe(401);
    expect((await world.post(path, client, {})).status).toBe(401);
  });

  it("for an unknown website, or for what is no client of it", async () => {
    const status = async (path: string, body: object) => (await world.operator("POST", path, body)).status;
    expect(await status("/websites/nobody/cancel", {})).toBe(404);
    for (const body of [{ clientId: "0".repeat(32) }, { clientId: "a typo" }, { sendPurpose: 7 }])
      expect(await status("/websites/brand/cancel", body)).toBe(400);
    expect(await status("/websites/brand/cancel", { sendPurpose: "", clientId: null })).toBe(200);
  });
});
