/** What an operator does with messages that have a time. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { OutboundMessage } from "../../../src/carriers/carrier.ts";
import type { World } from "../../world.ts";
import { ADA, BOB, HOUR, MINUTE, ScheduledStage } from "./scheduled-stage.ts";

let at: ScheduledStage;
let world: World;
/** What the carrier got. */
let sent: OutboundMessage[];

beforeEach(async () => {
  at = await ScheduledStage.begin();
  ({ world, sent } = at);
});

describe("an operator", () => {
  it("counts and cancels what is scheduled with what waits, by purpose", async () => {
    await at.schedule(HOUR, { sendPurpose: "spring" });
    await at.schedule(HOUR, { sendPurpose: "other", phone: BOB });
    await world.send(at.client, { phone: ADA, sendPurpose: "spring" });
    const call = async (body: unknown) => (await world.operator("POST", "/websites/brand/cancel", body)).json();
    expect(await call({ sendPurpose: "spring", dryRun: true })).toEqual({ cancelled: 2 });
    expect(await call({ sendPurpose: "spring", expected: 1 })).toMatchObject({ code: 40903 });
    expect(await call({ sendPurpose: "spring", expected: 2 })).toEqual({ cancelled: 2 });
    expect(await at.scheduled()).toHaveLength(1);
    await at.passUntil(world.now + 2 * HOUR * 1000);
    expect(sent.map(({ to }) => to)).toEqual([BOB]);
  });

  it("cancels one, and sees it with its time", async () => {
    const { messageId, scheduledFor } = await at.schedule(HOUR);
    const read = async () => (await world.operator("GET", `/messages/${messageId}`)).json();
    expect(await read()).toMatchObject({
      scheduledFor,
      waits: { until: scheduledFor, because: "its sendAt" },
      endsAt: at.inSeconds(5 * HOUR),
      phone: ADA,
    });
    expect((await world.operator("POST", `/messages/${messageId}/cancel`)).status).toBe(200);
    expect(await read()).toMatchObject({ status: "FAILED_TO_SEND", reason: "CANCELLED", scheduledFor });
    expect(await at.scheduled()).toEqual([]);
  });

  it("finds it wherever it finds others, with its time", async () => {
    const { messageId, scheduledFor } = await at.schedule(HOUR, { sendPurpose: "spring" });
    const phone = encodeURIComponent(ADA);
    const lists = [
      "/messages",
      "/messages?website=brand",
      `/messages?phone=${phone}`,
      "/messages?website=brand&purpose=spring",
    ];
    for (const path of [...lists, "/messages?status=PENDING_TO_SEND"]) {
      const { messages } = await (await world.operator("GET", path)).json<{ messages: object[] }>();
      expect([path, messages]).toMatchObject([path, [{ messageId, scheduledFor, acceptedAt: at.inSeconds(0) }]]);
    }
    const person = await (await world.operator("GET", `/people/${phone}`)).json();
    expect(person).toMatchObject({ websites: [{ messageCount: 1 }], messages: [{ messageId }] });
    const report = await (await world.operator("GET", "/report?by=day")).json();
    expect(report).toMatchObject({ total: { accepted: 1, scheduled: 1 } });
  });

  it("holds it once its time comes, and counts it then", async () => {
    await at.schedule(HOUR);
    const hold = async () => (await world.operator("POST", "/websites/brand/hold", {})).json();
    expect(await hold()).toMatchObject({ held: 0 });
    await at.passUntil(world.now + HOUR * 1000);
    expect(await hold()).toMatchObject({ held: 1 });
  });

  it("holds it: it waits beyond its time, and goes once it is released", async () => {
    const { messageId } = await at.schedule(HOUR);
    await world.operator("POST", "/websites/brand/hold", {});
    await at.passUntil(world.now + (HOUR + 10 * MINUTE) * 1000);
    expect(sent).toEqual([]);
    await world.operator("POST", "/websites/brand/release", {});
    await at.passUntil(world.now + MINUTE * 1000);
    expect(sent.map(({ messageId: id }) => id)).toEqual([messageId]);
  });

  it("exports it with the person, and erases it: nothing is sent", async () => {
    const { messageId } = await at.schedule(HOUR);
    const person = await (
      await world.operator("GET", `/websites/brand/people/${encodeURIComponent(ADA)}/export`)
    ).text();
    expect(person).toContain(messageId);
    await world.operator("DELETE", `/websites/brand/people/${encodeURIComponent(ADA)}`);
    expect(await at.scheduled()).toEqual([]);
    await at.passUntil(world.now + 2 * HOUR * 1000);
    expect(sent).toEqual([]);
  });

  it("is not stored again by a sweep that began before it is erased", async () => {
    await at.schedule(HOUR);
    world.advance(HOUR - MINUTE);
    const { deps } = world;
    let isFirst = true;
    const db = {
      prepare: (query: string) => deps.db.prepare(query),
      batch: async (statements: D1PreparedStatement[]) => {
        if (isFirst) {
          isFirst = false;
          await env.DB.prepare("DELETE FROM messages").run();
        }
        return deps.db.batch(statements);
      },
    } as unknown as D1Database;
    world.deps = { ...deps, db };
    await world.sweep();
    world.deps = deps;
    expect([isFirst, await at.stored()]).toEqual([false, []]);
  });
});
