/** The pace of a sender holds over all of its websites, in whichever run and database they are. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mockSockets } from "../../carriers/carrier-world.ts";
import { bindDatabases, rowsOf } from "../../databases.ts";
import { PaceStage } from "./pace-stage.ts";
import { FULL, MANY } from "./sender-stage.ts";

mockSockets();

let at: PaceStage;

beforeEach(async () => {
  at = await PaceStage.create();
});

afterEach(() => at.senders.end());

describe("a sender with a pace", () => {
  it("has each text say until when it waits", async () => {
    await at.setPace({ messagesPerMinute: 1 });
    const ids = await at.senders.send(at.senders.shop, MANY.slice(0, 3));
    const waits = await Promise.all(ids.map(async (id) => (await at.senders.at.message(id)).waits));
    const until = waits.flatMap((it) => (it as { until: string } | null)?.until ?? []).sort();
    expect(until.map((it) => (Date.parse(it) - at.world.now) / 1000)).toEqual([61, 122]);
    expect(waits).toContainEqual({ until: until[0], because: "waits for the pace of its sender" });
    const { groups } = await (await at.world.operator("GET", "/waiting?website=shop")).json<{
      groups: { rows: { why: string; count: number; nextTryAt: string }[] }[];
    }>();
    expect(groups[0]?.rows).toMatchObject([{ why: "pace", count: 2, nextTryAt: until[0] }]);
  });

  it("counts segments, and a text with media as one", async () => {
    await at.setPace({ messagesPerMinute: 61 });
    const text = "a".repeat(400);
    await at.world.send(at.senders.shop, { phone: MANY[0], text, mediaUrl: "https://example.com/a.png" });
    await at.world.runQueues();
    at.world.advance(1);
    await at.world.send(at.senders.shop, { phone: MANY[0], text });
    await at.world.send(at.senders.shop, { phone: MANY[1] });
    await at.world.runQueues();
    const [row] = await at.world.rows("SELECT due_at FROM messages WHERE status = 'PENDING_TO_SEND'");
    expect((Number(row?.due_at) - at.world.now) / 1000).toBe(3);
  });

  it("sends nothing while its object does not answer, and everything after it", async () => {
    await at.setPace({ messagesPerMinute: 600 });
    const { turns } = at.world.deps;
    at.world.deps.turns = { ask: () => Promise.reject(new Error("away")) } as unknown as typeof turns;
    await at.senders.send(at.senders.shop, MANY.slice(0, 3));
    expect(at.paced).toEqual([]);
    expect(at.world.logs.join()).toContain("sender.turn-unknown");
    at.world.deps.turns = turns;
    await at.passSeconds(10);
    expect(at.paced).toHaveLength(3);
  });
});

it("holds in every database, and in those of websites that come later", async () => {
  const { world } = at;
  await bindDatabases(world, 2);
  const put = (path: string, body: object) => world.operator("PUT", path, body);
  await put(`/senders/twilio/${encodeURIComponent(FULL)}`, { messagesPerMinute: 1 });
  const paces = (database: string) => rowsOf(database, "SELECT sender, messages_per_minute FROM sender_paces");
  expect([await paces("DB"), await paces("DB_2")]).toEqual([await paces("DB"), await paces("DB")]);
  await world.rows("SELECT 1");
  await rowsOf("DB_2", "DELETE FROM sender_paces");
  await put("/websites/outlet", { name: "outlet", carrier: "twilio", sender: FULL, database: "DB_2" });
  expect(await paces("DB_2")).toEqual([{ sender: FULL, messages_per_minute: 1 }]);
  await world.subscribers("outlet", MANY);
  const outlet = await world.client("outlet");
  await at.senders.send(at.senders.shop, MANY.slice(0, 3));
  await at.senders.send(outlet, MANY.slice(0, 3));
  expect(at.paced).toHaveLength(1);
  const { senders } = await (await world.operator("GET", "/senders")).json<{ senders: object[] }>();
  expect(senders).toContainEqual({
    ...{ carrier: "twilio", sender: FULL, websites: ["shop", "outlet"], messagesPerMinute: 1, messagesPerDay: null },
    ...{ waiting: 5, pausedUntil: null, why: null },
  });
});
