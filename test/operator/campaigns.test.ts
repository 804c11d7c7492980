import { describe, expect, it } from "vitest";
import { countLedgers } from "../../src/flows/operations/count-ledgers.ts";
import { receiveInbound } from "../../src/flows/people/receive-inbound.ts";
import type { CampaignAnswers } from "../../src/operator/answers/campaigns.ts";
import { countingDatabase } from "../counting-database.ts";
import { seed } from "../seed.ts";
import { ADA, client, DAY_SECONDS, get, prepare, world } from "./reporting.ts";

prepare();

type Campaign = CampaignAnswers["Campaign"];

const OURS = "+12125550000";
const PEOPLE = [ADA, "+12125550001", "+12125550002", "+12125550003"];

const readAsCounted = async (sendPurpose = "spring sale"): Promise<Campaign> =>
  (await get(`/websites/brand/campaigns/${encodeURIComponent(sendPurpose)}`)).json();

const read = async (sendPurpose?: string): Promise<Campaign> => {
  await countLedgers(world.deps, world.now);
  return readAsCounted(sendPurpose);
};

const send = async (sendPurpose = "spring sale", fields: object = {}) => {
  for (const phone of PEOPLE) await world.send(client, { phone, sendPurpose, ...fields });
};

describe("a campaign", () => {
  it("is one purpose of one website, on its days", async () => {
    await send();
    await send("spring");
    await world.runQueues();
    world.advance(DAY_SECONDS);
    await send();
    const { websiteName, timeZone, days, ...campaign } = await read();
    expect([websiteName, timeZone]).toEqual(["brand", null]);
    expect(campaign).toMatchObject({ accepted: 8, waiting: 4, held: 0, endsAt: null, perMinute: null });
    expect(campaign.sent + campaign.notTaken).toBe(4);
    expect(days.map(({ day, accepted, waiting }) => [day, accepted, waiting])).toEqual([
      ["2026-11-21", 4, 0],
      ["2026-11-22", 4, 4],
    ]);
  });

  it("that has no text yet has zeros, and an unknown website is 404", async () => {
    expect(await read("nothing yet")).toMatchObject({ accepted: 0, waiting: 0, perMinute: null, days: [] });
    expect((await world.operator("GET", "/websites/nobody/campaigns/spring")).status).toBe(404);
  });

  it("says how fast it goes, and when it ends if it goes on like this", async () => {
    await send();
    await world.runQueues();
    world.advance(60);
    await send();
    const { minutes, sent, perMinute, endsAt } = await read();
    expect(minutes).toHaveLength(60);
    expect(minutes.slice(-2).map(({ gone }) => gone)).toEqual([sent, 0]);
    expect([sent, perMinute]).toEqual([3, 3]);
    expect(Date.parse(endsAt ?? "")).toBe(world.now + 80_000);
  });

  it("that has not begun ends by the pace of the sender of its website", async () => {
    await world.website("brand", { sender: OURS });
    await world.operator("PUT", `/senders/sandbox/${encodeURIComponent(OURS)}`, { messagesPerMinute: 2 });
    await send();
    const { waiting, perMinute, endsAt, senderPace } = await read();
    expect([waiting, perMinute, senderPace]).toEqual([4, null, { messagesPerMinute: 2, messagesPerDay: null }]);
    expect(Date.parse(endsAt ?? "")).toBe(world.now + 120_000);
  });

  it("has the holds that cover it, and counts what they hold; what is held has no end", async () => {
    await send();
    await world.runQueues();
    world.advance(60);
    await send();
    await send("spring sale", { sendAt: new Date(world.now + 3_600_000).toISOString() });
    for (const body of [{ sendPurpose: "spring sale" }, { sendPurpose: "other" }, { clientId: client.clientId }])
      await world.operator("POST", "/websites/brand/hold", body);
    const { holds, waiting, held, scheduled, perMinute, endsAt } = await read();
    expect(holds.map(({ sendPurpose, clientId }) => [sendPurpose, clientId])).toEqual([
      ["spring sale", null],
      [null, client.clientId],
    ]);
    expect({ waiting, held, scheduled, perMinute, endsAt }).toEqual({
      ...{ waiting: 4, held: 4, scheduled: 4, perMinute: 3, endsAt: null },
    });
  });

  it("has no end once it is held, while texts that have gone since the last count still count as waiting", async () => {
    await send();
    await world.runQueues();
    world.advance(60);
    await send();
    expect((await read()).endsAt).not.toBeNull();
    await world.runQueues();
    await world.operator("POST", "/websites/brand/hold", { sendPurpose: "spring sale" });
    expect(await readAsCounted()).toMatchObject({ waiting: 4, held: 0, endsAt: null });
    expect(await read()).toMatchObject({ waiting: 0, endsAt: null });
  });

  it("counts an opt-out with the campaign that it answers", async () => {
    await send();
    await world.runQueues();
    await world.website("brand", { sender: OURS });
    const about = { from: ADA, to: [OURS], keyword: null, answeredByCarrier: false, carrierMessageId: "1" };
    await world.invoke("fetch", () => receiveInbound(world.deps, "sandbox", { ...about, text: "STOP" }));
    expect([(await read()).optedOut, (await read("spring")).optedOut]).toEqual([1, 0]);
  });

  it("of any size reads some hundred rows, and what its website has pending", async () => {
    const now = world.now;
    await seed(world, "messages", 5000, {
      ...{ message_id: "'m' || i", website_id: "'brand'", client_id: "'c'", phone: "12125550100", text: "'x'" },
      ...{ callback_data: "''", send_purpose: "'spring sale'", status: "iif(i < 100, 'PENDING_TO_SEND', 'DELIVERED')" },
      ...{ accepted_at: `${now} - i`, updated_at: `${now}`, carrier: "'sandbox'" },
    });
    await seed(world, "events", 4900, {
      ...{ message_id: "'m' || (i + 100)", event: "'DELIVERED'", occurred_at: `${now}` },
    });
    await countLedgers(world.deps, now);
    const { deps } = world;
    const { db, take } = countingDatabase(deps.db);
    world.deps = { ...deps, db };
    const campaign: Campaign = await (await get("/websites/brand/campaigns/spring%20sale")).json();
    const { rowsRead } = take();
    expect(campaign).toMatchObject({ accepted: 5000, delivered: 4900, waiting: 100 });
    expect(rowsRead).toBeLessThan(1500);
  });
});
