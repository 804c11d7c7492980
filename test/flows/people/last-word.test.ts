/** An opt-out counts when it is stored, whoever brings it and when. A START counts unless an opt-out or an erasure is later. */
import { beforeEach, describe, expect, it } from "vitest";
import { applyReceipts } from "../../../src/flows/messages/apply-receipts.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const OURS = "+12125550000";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  await world.website("brand", { carrier: "sandbox", sender: OURS });
  const listener = await world.client("brand");
  await world.operator("PATCH", `/clients/${listener.clientId}`, { events: ["subscription.changed"] });
});

interface Text {
  words: string;
  sentAt?: number;
  carrier?: string;
}

/** A text, which the carrier got now, and could not bring. */
const say = (words: string): Text => ({ words, sentAt: world.now });

let texts = 0;
async function bring({ words, carrier = "sandbox", ...sent }: Text): Promise<void> {
  world.advance(10);
  const inbound = { from: ADA, to: [OURS], text: words, keyword: null, answeredByCarrier: false, ...sent };
  const carrierMessageId = `in-${++texts}`;
  await world.invoke("fetch", () => receiveInbound(world.deps, carrier, { ...inbound, carrierMessageId }));
}

const state = async () => (await world.rows("SELECT subscribed FROM subscriptions"))[0]?.subscribed ?? null;
const ledger = async () =>
  (
    await world.rows("SELECT subscribed, proof, changed_at AS at FROM subscription_changes WHERE source = 'keyword'")
  ).map(({ subscribed, proof, at }) => [subscribed, proof, at]);
const told = async () =>
  (await world.rows("SELECT json_extract(body, '$.subscribed') AS subscribed FROM events WHERE body IS NOT NULL")).map(
    ({ subscribed }) => subscribed,
  );
const withoutEffect = async () => {
  const answer = await world.operator("GET", "/inbound/without-effect");
  const list = ((await answer.json()) as { texts: { text: string; withoutEffect: string }[] }).texts;
  return list.map((text) => [text.text, text.withoutEffect]);
};

/** The website has had the sender at another carrier, which brings texts, too. */
const hadOtherCarrier = () =>
  world.rows("INSERT INTO former_senders (carrier, sender, website_id) VALUES ('twilio', ?1, 'brand')", OURS);

/** Every way in which a person is opted out, and what is left of the subscription. */
const OPT_OUTS: [name: string, left: 0 | null, optOut: () => Promise<unknown>][] = [
  ["the client", 0, () => world.post("/text/unsubscribe", client, { phone_numbers: [ADA] })],
  ["an import", 0, () => world.subscribers("brand", [`${ADA},,false`])],
  ["an erasure", null, () => world.operator("DELETE", `/websites/brand/people/${ADA}`)],
  ["an operator's decision", 0, decide],
  ["a receipt of the carrier", 0, optOutAtCarrier],
  ["a STOP", 0, () => bring(say("STOP"))],
  ["a STOP without a time", 0, () => bring({ words: "STOP" })],
  ["a STOP through another carrier", 0, () => bring({ ...say("STOP"), carrier: "twilio" })],
];

async function decide(): Promise<void> {
  await bring({ words: "please stop texting me" });
  const body = { websiteId: "brand", carrier: "sandbox", carrierMessageId: `in-${texts}`, optOut: true };
  expect((await world.operator("POST", "/inbound/decide", body)).status).toBe(200);
}

async function optOutAtCarrier(): Promise<void> {
  await world.subscribers("brand", [ADA]);
  const messageId = await world.send(client, { phone: ADA });
  await world.runQueues();
  const receipt = { messageId, status: "FAILED_TO_DELIVERY", reason: null, carrierMessageId: null } as const;
  await world.invoke("queue", () => applyReceipts(world.deps, [{ ...receipt, optedOut: true }]));
}

describe.each(OPT_OUTS)("whom %s has opted out", (_, left, optOut) => {
  beforeEach(async () => {
    await hadOtherCarrier();
    world.advance(3600);
  });

  it("stays so after a START of before, which is listed", async () => {
    const start = say("START");
    world.advance(60);
    await optOut();
    const before = await world.rows("SELECT * FROM subscription_changes");
    await bring(start);
    expect([await state(), await withoutEffect()]).toEqual([left, [["START", "later-opt-out"]]]);
    expect(await world.rows("SELECT * FROM subscription_changes")).toEqual(before);
    expect(await told()).not.toContain(1);
    await world.subscribers("brand", [ADA]);
    expect(await state()).toBe(left);
  });

  it("stays so after a START of before that comes through another carrier, or between two opt-outs", async () => {
    await optOut();
    world.advance(60);
    const start = say("START");
    world.advance(60);
    await optOut();
    await bring({ ...start, carrier: "twilio" });
    expect([await state(), await withoutEffect()]).toEqual([left, [["START", "later-opt-out"]]]);
  });

  it.each(["with its time", "without a time"])("comes back with a START of after, %s", async (time) => {
    await optOut();
    world.advance(60);
    const start = say("START");
    world.advance(3600);
    await bring(time === "with its time" ? start : { words: "START" });
    expect([await state(), await withoutEffect()]).toEqual([1, []]);
    expect((await ledger()).at(-1)).toEqual([1, "START", world.now]);
    expect(await world.rows("SELECT * FROM erased_people")).toEqual([]);
  });
});

describe("a START, against a STOP of the same carrier,", () => {
  const second = () => world.now - (world.now % 1000);

  it.each<[string, number, 0 | 1]>([
    ["was sent before it", -1000, 0],
    ["was sent in the same second", 0, 1],
    ["was sent within its second", 999, 1],
    ["was sent a millisecond before it", -1, 0],
    ["was sent after it", 1000, 1],
  ])("that %s", async (_, difference, expected) => {
    const stop = { words: "STOP", sentAt: second() };
    await bring(stop);
    world.advance(3600);
    await bring({ words: "START", sentAt: stop.sentAt + difference });
    expect(await state()).toBe(expected);
  });

  it("counts by their times, although the STOP was stored later", async () => {
    const stop = say("STOP");
    world.advance(60);
    const start = say("START");
    world.advance(60);
    await bring(stop);
    await bring(start);
    expect([await state(), await withoutEffect()]).toEqual([1, []]);
  });

  it("does not count by their times where the client has opted the person out in between", async () => {
    const stop = say("STOP");
    world.advance(60);
    const start = say("START");
    world.advance(60);
    await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
    world.advance(60);
    await bring(stop);
    await bring(start);
    expect([await state(), await withoutEffect()]).toEqual([0, [["START", "later-opt-out"]]]);
  });

  it("of a second carrier, counts by when that of the first was stored", async () => {
    await hadOtherCarrier();
    const stop = say("STOP");
    const start = say("START");
    world.advance(60);
    await bring(stop);
    world.advance(60);
    await bring({ ...say("STOP"), sentAt: stop.sentAt as number, carrier: "twilio" });
    await bring({ ...start, carrier: "twilio" });
    expect(await state()).toBe(0);
  });
});

it("a START in whole seconds counts as the end of its second, against an opt-out by the client within it", async () => {
  world.now += 1000 - (world.now % 1000) + 400;
  await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
  await bring({ words: "START", sentAt: world.now - 400 });
  expect(await state()).toBe(1);
});

describe("a STOP that is brought late", () => {
  it("counts, although the person has texted START since, and is confirmed", async () => {
    const stop = say("STOP");
    world.advance(60);
    await bring({ words: "STOP" });
    await bring(say("START"));
    await bring(stop);
    expect([await state(), await told()]).toEqual([0, [0, 1, 0]]);
    await world.runQueues();
    const replies = await world.rows("SELECT status FROM messages WHERE send_purpose = 'keyword-reply' ORDER BY rowid");
    expect(replies.at(-1)).toEqual({ status: "DELIVERED" });
  });

  it("does nothing where it comes under its carrier's own id again", async () => {
    await bring(say("STOP"));
    const id = texts;
    await bring(say("START"));
    texts = id - 1;
    await bring(say("STOP"));
    texts += 1;
    expect(await state()).toBe(1);
  });

  it("is confirmed by a message of the day on which it is accepted", async () => {
    const stop = say("STOP");
    world.advance(13 * 3600);
    await world.sweep();
    await bring(stop);
    await world.runQueues();
    const replies = await world.rows("SELECT date(accepted_at / 1000, 'unixepoch') AS day FROM messages");
    expect(replies).toEqual([{ day: "2026-11-22" }]);
  });

  it.each([
    ["without a time", undefined],
    ["with a time in the future", 3_600_000],
    ["with a time of a month ago", -30 * 24 * 3_600_000],
    ["with a time that is none", Number.NaN],
  ])("has its row of the ledger when it is stored: %s", async (_, difference) => {
    await bring({ words: "STOP", ...(difference === undefined ? {} : { sentAt: world.now + difference }) });
    expect(await ledger()).toEqual([[0, "STOP", world.now]]);
  });
});

it("a START of somebody who is subscribed is not listed, however old", async () => {
  const start = say("START");
  world.advance(60);
  await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
  await world.post("/text/subscribe", client, { phone_numbers: [ADA], sendPurpose: "news" });
  await bring(start);
  expect([await state(), await withoutEffect()]).toEqual([1, []]);
});

it("a START through another carrier is compared with when a late STOP was stored, not with that STOP's own time", async () => {
  await hadOtherCarrier();
  const stop = say("STOP");
  world.advance(60);
  const start = say("START");
  world.advance(60);
  await bring(stop);
  await bring({ ...start, carrier: "twilio" });
  expect([await state(), await withoutEffect()]).toEqual([0, [["START", "later-opt-out"]]]);
});
