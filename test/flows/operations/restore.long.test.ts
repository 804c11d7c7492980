import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import KEEP from "../../../scripts/restore/keep.sql?raw";
import { applyReceipts } from "../../../src/flows/messages/apply-receipts.ts";
import { countsOf } from "../../counted.ts";
import { World } from "../../world.ts";
import {
  ADA,
  BOB,
  begin,
  change,
  client,
  DORA,
  posted,
  readEvents,
  sendThenRestore,
  stop,
  submitted,
  subscriptionOf,
  world,
} from "./restore-stage.ts";
import { restore, run, takeSnapshot } from "./time-travel.ts";

beforeEach(begin);

describe("a database that was restored to an hour ago", () => {
  it("sends and posts again what was sent and posted since, without the statements of the script", async () => {
    const { waiting, refused } = await sendThenRestore();
    await world.pass(8);
    expect(submitted.map(({ messageId }) => messageId)).toContain(waiting);
    expect(posted).toContainEqual({ id: refused, status: "NOT_FOUND" });
    expect(await subscriptionOf(BOB)).toEqual({ subscribed: 1, person: 0 });
  });

  it("sends and posts nothing again after them, and goes on with what is new", async () => {
    const { waiting, claimed, refused } = await sendThenRestore();
    await change();
    await world.pass(1);
    const fresh = await world.send(client, { phone: ADA });
    await world.runQueues();
    const receipt = { messageId: waiting, status: "DELIVERED", reason: null, carrierMessageId: null } as const;
    await applyReceipts(world.deps, [{ ...receipt, optedOut: false, carrier: "sandbox" }]);
    await world.pass(24);
    expect(submitted.map(({ messageId }) => messageId)).toEqual([fresh]);
    expect(posted.filter(({ id }) => id !== fresh)).toEqual([]);
    const { events } = await readEvents();
    expect(events.map(({ eventId }) => eventId)).toContain(`${waiting}_DELIVERED`);
    expect(await world.statusOf(waiting)).toBe("DELIVERED");
    const [row] = await world.rows("SELECT status, reason FROM messages WHERE message_id = ?1", claimed);
    expect(row).toMatchObject({ status: "SENDING", reason: expect.stringMatching(/^outcome unknown, not sent again/) });
    expect(await world.statusOf(refused)).toBe("NOT_FOUND");
    const response = await world.operator("GET", `/messages/${waiting}`);
    expect(response.status).toBe(200);
  });

  it("posts no final status of a message that was under way, whenever it comes", async () => {
    const { waiting, claimed } = await sendThenRestore();
    await change();
    await world.pass(24);
    world.advance(100 * 3600);
    await world.pass(2);
    expect(await Promise.all([waiting, claimed].map((id) => world.statusOf(id)))).toEqual([
      "FAILED_TO_DELIVERY",
      "FAILED_TO_DELIVERY",
    ]);
    expect(posted).toEqual([]);
  });

  it.each<[string, (restoreTo: number) => { sentAt?: number }]>([
    ["that was written before that time, and brought after it", (restoreTo) => ({ sentAt: restoreTo - 5000 })],
    ["that was written after it", (restoreTo) => ({ sentAt: restoreTo + 5000 })],
    ["whose carrier says no time", () => ({})],
  ])("keeps a STOP %s, and its rank before a START", async (_, sentOf) => {
    const snapshot = await takeSnapshot(world);
    const restoreTo = world.now;
    world.advance(600);
    await stop(ADA, "STOP", sentOf(restoreTo));
    await world.post("/text/unsubscribe", client, { phone_numbers: [BOB] });
    const kept = await world.rows(KEEP.replaceAll(":restore_to", String(restoreTo)));
    world.now = Date.now();
    await restore(snapshot);
    await change();
    await run(kept.map(({ statements }) => statements).join("\n"));
    for (const phone of [ADA, BOB]) await stop(phone, "START", { sentAt: restoreTo - 10_000 });
    for (const phone of [ADA, BOB]) await world.send(client, { phone });
    await world.runQueues();
    expect([await subscriptionOf(ADA), await subscriptionOf(BOB)]).toEqual([
      { subscribed: 0, person: 1 },
      { subscribed: 0, person: 0 },
    ]);
    expect(submitted).toEqual([]);
  });

  it("keeps the opt-out to which the undo of an import has taken a number back", async () => {
    await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
    world.advance(60);
    const loaded = await world.subscribers("brand", [ADA], "?resubscribe=true");
    const { importId } = (await loaded.json()) as { importId: string };
    world.advance(1200);
    const snapshot = await takeSnapshot(world);
    const restoreTo = world.now;
    world.advance(60);
    await world.operator("POST", `/imports/${importId}/undo`);
    const kept = await world.rows(KEEP.replaceAll(":restore_to", String(restoreTo)));
    await restore(snapshot);
    expect((await subscriptionOf(ADA))?.subscribed).toBe(1);
    await run(kept.map(({ statements }) => statements).join("\n"));
    expect((await subscriptionOf(ADA))?.subscribed).toBe(0);
  });

  it("sends nothing again of what a sweep has ended in between, as its deadline had passed", async () => {
    const { waiting } = await sendThenRestore();
    const restoredAt = world.now;
    world.deps = { ...world.deps, config: { ...world.deps.config, submitWithinMilliseconds: 1_800_000 } };
    world.advance(2);
    await world.sweep();
    expect(await world.statusOf(waiting)).toBe("FAILED_TO_SEND");
    await change(restoredAt);
    await world.pass(24);
    expect([submitted, posted, await world.statusOf(waiting)]).toEqual([[], [], "SENDING"]);
  });

  it.each([
    ["sends no scheduled text again that was sent since", false],
    ["nor one that a sweep has queued in between", true],
  ])("%s, and neither forgets a later one nor a cancellation", async (_, isSweptBetween) => {
    const schedule = (phone: string, minutes: number, fields = {}) =>
      world.send(client, { phone, sendAt: new Date(world.now + minutes * 60_000).toISOString(), ...fields });
    const sent = await schedule(ADA, 20, { clickUrl: "https://example.com/" });
    const later = await schedule(BOB, 240);
    const cancelled = await schedule(ADA, 240);
    const snapshot = await takeSnapshot(world);
    const keep = KEEP.replaceAll(":restore_to", String(world.now + 1));
    world.advance(60);
    await world.post("/text/message/cancel", client, { messageId: cancelled });
    await world.pass(30);
    expect(submitted.map(({ messageId }) => messageId)).toEqual([sent]);
    const link = submitted[0]?.text.match(/\/l\/\S+/)?.[0] ?? "";
    const kept = (await world.rows(keep)).map(({ statements }) => statements).join("\n");
    world.now = Date.now();
    await restore(snapshot);
    const restoredAt = world.now;
    submitted.length = 0;
    if (isSweptBetween) {
      world.advance(2);
      await world.sweep();
    }
    await change(restoredAt);
    await change(restoredAt);
    await run(kept);
    await world.pass(24);
    expect([submitted, await world.statusOf(sent)]).toEqual([[], "SENDING"]);
    expect(
      await world.rows("SELECT message_id AS id FROM messages WHERE due_at IS NULL AND status = 'PENDING_TO_SEND'"),
    ).toEqual([{ id: later }]);
    const { reason } = await (await world.operator("GET", `/messages/${cancelled}`)).json<{ reason: string }>();
    expect([await world.statusOf(cancelled), reason]).toEqual(["FAILED_TO_SEND", "CANCELLED"]);
    expect((await world.fetch(link, { redirect: "manual" })).status).toBe(302);
    const pending = `SELECT subject, sum(iif(kind = 'accepted', count, -count)) AS pending FROM counts
      WHERE span = 'day' AND kind NOT IN ('clicked', 'optedOut', 'joined', 'parted') GROUP BY 1`;
    expect(await world.rows(pending)).toEqual([
      { subject: "", pending: 1 },
      { subject: "brand", pending: 1 },
    ]);
    world.advance(160 * 60);
    await world.pass(10);
    expect(submitted.map(({ messageId }) => messageId)).toEqual([later]);
  });

  it("does not post again of a scheduled text that it was not sent", async () => {
    const sendAt = new Date(world.now + 90 * 60_000).toISOString();
    const scheduled = await world.send(client, { phone: ADA, sendAt });
    const snapshot = await takeSnapshot(world);
    const keep = KEEP.replaceAll(":restore_to", String(world.now + 1));
    world.advance(60);
    await stop(ADA);
    await world.pass(90);
    expect(posted).toEqual([{ id: scheduled, status: "NOT_SUBSCRIBED" }]);
    const kept = (await world.rows(keep)).map(({ statements }) => statements).join("\n");
    await restore(snapshot);
    submitted.length = 0;
    await change();
    await run(kept);
    await world.pass(10);
    expect([posted.length, submitted]).toEqual([1, []]);
  });

  it("gives the unknown ones their reason, and counts each message once in the report", async () => {
    const { waiting } = await sendThenRestore();
    await change();
    await world.pass(24);
    const [row] = await world.rows("SELECT status, reason FROM messages WHERE message_id = ?1", waiting);
    expect(row?.status).toBe("SENDING");
    expect(row?.reason).toContain("the database was restored");
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    const report = await world.operator(
      "GET",
      `/websites/brand/report?from=${day(world.now - 86_400_000)}&to=${day(world.now)}`,
    );
    expect(await report.json()).toMatchObject({ total: { accepted: 3, sent: 2 } });
  });

  it("counts a message once in the report whose day a sweep has closed in between", async () => {
    world.now -= 3 * 86_400_000;
    const { waiting, claimed } = await sendThenRestore();
    await world.rows("DELETE FROM messages WHERE message_id = ?1", claimed);
    const restoredAt = world.now;
    world.advance(2);
    await world.sweep();
    expect(await world.statusOf(waiting)).toBe("FAILED_TO_SEND");
    const isCounted =
      "SELECT count(*) AS n FROM messages m JOIN websites w USING (website_id) WHERE accepted_at < counted_until";
    expect(await world.rows(isCounted)).toEqual([{ n: 2 }]);
    const day = (at: number) => new Date(at).toISOString().slice(0, 10);
    const path = `/websites/brand/report?from=${day(restoredAt - 4 * 86_400_000)}&to=${day(restoredAt)}`;
    const total = async () => ((await (await world.operator("GET", path)).json()) as { total: object }).total;
    expect(await total()).toMatchObject({ accepted: 2, waiting: 0, failed: { FAILED_TO_SEND: 1, NOT_FOUND: 1 } });
    await change(restoredAt);
    await change(restoredAt);
    expect(await total()).toMatchObject({ accepted: 2, waiting: 1, failed: { FAILED_TO_SEND: 0, NOT_FOUND: 1 } });
    await world.pass(24);
    expect(await total()).toMatchObject({ accepted: 2, waiting: 0, sent: 1, failed: { NOT_FOUND: 1 } });
    const { joined: _, ...counts } = await countsOf(world, "brand");
    expect(counts).toEqual({ accepted: 2, notSubscribed: 1, noReceipt: 1 });
    const receipt = { messageId: waiting, status: "DELIVERED", reason: null, carrierMessageId: null } as const;
    await applyReceipts(world.deps, [{ ...receipt, optedOut: false, carrier: "sandbox" }]);
    await world.pass(1);
    expect(await world.rows(isCounted)).toEqual([{ n: 2 }]);
    expect(await total()).toMatchObject({ accepted: 2, sent: 1, delivered: 1, failed: { NOT_FOUND: 1 } });
  });

  it("keeps the opt-outs and tombstones, and gives KV the clients as they were", async () => {
    const { keep } = await sendThenRestore();
    await change();
    await run(keep);
    expect(await subscriptionOf(BOB)).toEqual({ subscribed: 0, person: 1 });
    const ledger = await world.rows(
      "SELECT c.was_subscribed, c.subscribed, c.source, c.proof FROM subscription_changes c JOIN subscriptions USING (change_id) WHERE c.phone = ?1",
      Number(BOB.slice(1)),
    );
    expect(ledger).toEqual([{ was_subscribed: 1, subscribed: 0, source: "keyword", proof: "STOP" }]);
    // An isolate that has not seen the key of the tombstones before the restore, after a change of SERVICE_KEY.
    const other = await World.another(world);
    other.deps = { ...other.deps, config: { ...other.deps.config, serviceKey: "a later service key" } };
    const imported = await other.subscribers("brand", [BOB, DORA]);
    expect(((await imported.json()) as { optedOutNumbers: string[] }).optedOutNumbers.sort()).toEqual([BOB, DORA]);
    const copy = () => env.CREDENTIALS.get<{ suspended: boolean }>(`client:${client.clientId}`, "json");
    expect(await copy()).toMatchObject({ suspended: true });
    await world.pass(1);
    expect(await copy()).toMatchObject({ suspended: false });
  });

  it("brings back an opt-out once, each in a line of its own, and not over a later choice", async () => {
    const snapshot = await takeSnapshot(world);
    const restoreTo = world.now;
    world.advance(60);
    for (const phone of [ADA, BOB]) await stop(phone);
    await env.DB.prepare("UPDATE subscription_changes SET proof = 'STOP;\nnow' WHERE source = 'keyword'").run();
    const kept = await world.rows(KEEP.replaceAll(":restore_to", String(restoreTo)));
    const lines = kept.map(({ statements }) => String(statements));
    expect(lines.join("")).not.toContain("\n");
    await restore(snapshot);
    const proofs =
      "SELECT phone, subscribed, proof FROM subscription_changes WHERE source = 'keyword' ORDER BY change_id";
    const optOut = (phone: string) => ({ phone: Number(phone.slice(1)), subscribed: 0, proof: "STOP;\nnow" });
    for (const _ of ["once", "after an answer that was lost"]) {
      for (const line of lines) await run(line);
      expect(await world.rows(proofs)).toEqual([optOut(ADA), optOut(BOB)]);
      for (const phone of [ADA, BOB]) expect(await subscriptionOf(phone)).toEqual({ subscribed: 0, person: 1 });
    }
    world.advance(60);
    await stop(ADA, "START");
    for (const line of lines) await run(line);
    expect(await subscriptionOf(ADA)).toEqual({ subscribed: 1, person: 0 });
    expect(await world.rows(proofs)).toHaveLength(3);
  });
});
