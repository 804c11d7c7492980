/** What becomes of what people text back. How each carrier hands a text over is in contract-inbound.test.ts. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failingDatabase } from "../failing-database.ts";
import { ADA, BOB, CarrierWorld, mockSockets, OURS } from "./carrier-world.ts";
import { kannel } from "./kannel.ts";
import { twilio } from "./twilio.ts";

mockSockets();

const THEIRS = "+12125550009";
const STRANGER = "+12125550199";
const CONFIRMATION = "brand: You are unsubscribed and will get no more messages. Reply START to subscribe again.";
const DAY = 24 * 3600;
/** The carrier's own ids of texts. */
const [FIRST, SECOND, THIRD] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];

let at: CarrierWorld;

afterEach(() => {
  at.expectPublished();
  vi.restoreAllMocks();
});

const text = async (words: string, given: Parameters<CarrierWorld["inbound"]>[1] = {}) => {
  const answer = await at.inbound(words, given);
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
  await at.world.runQueues();
};

/** What went out since this was last asked. */
const sent = () => at.submitted.splice(0).map(({ to, text }) => [to, text]);

describe("a carrier brings a text:", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(kannel);
  });

  it("STOP opts the person out, with one confirmation, which goes out all the same", async () => {
    await text("Stop!");
    expect(at.submitted).toMatchObject([{ to: ADA, from: OURS, text: CONFIRMATION }]);
    const person = await at.person(ADA);
    expect(person).toMatchObject({ subscribed: false, optedOutByPerson: true });
    expect(person.changes.at(-1)).toMatchObject({ from: true, to: false, source: "keyword", proof: "Stop!" });
    expect(await at.events(at.submitted[0]?.messageId ?? "")).toEqual(["SENDING"]);
    expect(at.callbacks).toEqual({});
  });

  it("STOP counts in the website that owns the number, and in no other", async () => {
    await at.world.brand([ADA], "theirs");
    await at.world.website("theirs", { carrier: "kannel", sender: THEIRS });
    await at.world.brand([ADA], "elsewhere");
    await at.world.website("elsewhere", { carrier: "twilio", sender: OURS });
    await text("STOP", { to: THEIRS });
    expect((await at.person(ADA, "theirs")).subscribed).toBe(false);
    expect((await at.person(ADA, "brand")).subscribed).toBe(true);
    expect((await at.person(ADA, "elsewhere")).subscribed).toBe(true);
    expect(at.submitted.map(({ from }) => from)).toEqual([THEIRS]);
  });

  it("any other text changes nothing, and is there for the operator, the latest first", async () => {
    const words = ["don't stop", "stop it please", "yesterday", "", "Grüße & 100% + 👍"];
    for (const word of words) {
      await text(word);
      at.world.advance(1);
    }
    await text("from Bob", { from: BOB });
    expect(at.submitted).toEqual([]);
    const person = await at.person(ADA);
    expect(person).toMatchObject({ subscribed: true });
    expect(person.changes).toHaveLength(1);
    expect(person.texts.map((one) => [one.text, one.keyword])).toEqual(words.toReversed().map((word) => [word, null]));
    const list = (await (await at.world.operator("GET", "/websites/brand/inbound")).json()) as { texts: object[] };
    expect(list.texts).toHaveLength(6);
    expect(list.texts[0]).toMatchObject({
      from: BOB,
      to: OURS,
      text: "from Bob",
      keyword: null,
      carrier: "kannel",
    });
  });

  it("the same text that comes twice acts once, even an old STOP after a START", async () => {
    await text("STOP", { id: FIRST });
    await text("STOP", { id: FIRST });
    expect(sent()).toHaveLength(1);
    at.world.advance(1);
    await text("START", { id: SECOND });
    at.world.advance(2 * DAY);
    await text("STOP", { id: FIRST });
    expect(await at.person(ADA)).toMatchObject({ subscribed: true, texts: [{ text: "START" }, { text: "STOP" }] });
    await text("HELP", { id: THIRD });
    await text("HELP", { id: THIRD });
    expect(sent()).toHaveLength(1);
  });

  it.each(["before", "after"] as const)(
    "while the store fails (%s it wrote): it comes again, and acts once",
    async (when) => {
      vi.spyOn(Math, "random").mockReturnValue(0); // the store is asked again at once
      const { deps } = at.world;
      at.world.deps = { ...deps, db: failingDatabase(deps.db, Number.POSITIVE_INFINITY, when) };
      expect((await at.inbound("STOP", { id: FIRST })).status).toBe(503);
      at.world.deps = deps;
      await text("STOP", { id: FIRST });
      at.world.advance(120);
      await at.world.sweep();
      await at.world.runQueues();
      expect(sent()).toEqual([[ADA, CONFIRMATION]]);
      expect((await at.person(ADA)).changes).toHaveLength(2);
    },
  );

  it("what the carrier has not sent is refused, and changes nothing", async () => {
    const hook = await kannel.inbound({ id: FIRST, from: ADA, to: OURS, text: "STOP" }, at.world.now);
    const answer = await at.call({ ...hook, url: hook.url.replace(/key=[^&]*/, "key=wrong") });
    expect([answer.status, ((await answer.json()) as { code: number }).code]).toEqual([403, 40302]);
    expect(await at.world.rows("SELECT * FROM inbound_texts")).toEqual([]);
    expect((await at.person(ADA)).subscribed).toBe(true);
  });
});

describe("a person texts", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(twilio);
  });

  it("STOP holds back a message that is queued already, and every later one", async () => {
    const [queued, bobs] = [
      await at.world.send(at.client, { phone: ADA }),
      await at.world.send(at.client, { phone: BOB, text: "to Bob" }),
    ];
    await text("STOP");
    expect(sent().sort()).toEqual([
      [ADA, CONFIRMATION],
      [BOB, "to Bob"],
    ]);
    const later = await at.world.send(at.client, { phone: ADA });
    await at.world.runQueues();
    expect([await at.events(queued), await at.events(later)]).toEqual([["NOT_SUBSCRIBED"], ["NOT_SUBSCRIBED"]]);
    expect(await at.events(bobs)).toEqual(["SENDING"]);
    expect(sent()).toEqual([]);
  });

  it("STOP again within a day is not confirmed again; after a day it is", async () => {
    await text("STOP");
    expect(sent()).toHaveLength(1);
    at.world.advance(DAY - 1);
    await text("STOP");
    await text("Quit");
    expect(sent()).toEqual([]);
    at.world.advance(1);
    await text("STOP");
    await text("STOP");
    expect(sent()).toEqual([[ADA, CONFIRMATION]]);
    expect((await at.person(ADA)).changes).toHaveLength(2);
  });

  it("STOP, START, STOP are two opt-outs, with a confirmation each", async () => {
    await text("STOP");
    await text("START");
    expect(await at.person(ADA)).toMatchObject({ subscribed: true, optedOutByPerson: false });
    await text("STOP");
    expect(sent()).toEqual([
      [ADA, CONFIRMATION],
      [ADA, CONFIRMATION],
    ]);
    expect((await at.person(ADA)).changes.map(({ to }) => to)).toEqual([true, false, true, false]);
  });

  it("STOP to a number that no website has is kept, and does nothing", async () => {
    await text("STOP", { to: "+12125550077" });
    expect((await at.person(ADA)).subscribed).toBe(true);
    expect(at.submitted).toEqual([]);
    expect(await at.world.rows("SELECT website_id, text FROM inbound_texts")).toEqual([
      { website_id: "", text: "STOP" },
    ]);
  });

  it("STOP to a short code", async () => {
    await at.world.website("brand", { carrier: "twilio", sender: "12345" });
    await text("STOP", { to: "12345" });
    expect((await at.person(ADA)).subscribed).toBe(false);
  });

  it("STOP from a number never seen keeps it from being subscribed", async () => {
    await text("STOP", { from: STRANGER });
    expect(sent()).toEqual([[STRANGER, CONFIRMATION]]);
    const person = await at.person(STRANGER);
    expect(person).toMatchObject({ subscribed: false, optedOutByPerson: true });
    expect(person.changes).toMatchObject([{ from: null, to: false, source: "keyword" }]);
    await at.world.subscribers("brand", [STRANGER]);
    expect((await at.person(STRANGER)).subscribed).toBe(false);
  });

  it("STOP is not undone by an operator's import, which tells so", async () => {
    await text("STOP");
    const answer = await at.world.subscribers("brand", [`${ADA},ada@example.com,true`, BOB]);
    const none = { newSubscribed: 0, newOptedOut: 0, becameSubscribed: 0, becameOptedOut: 0, newAddress: 0 };
    const counts = { importId: expect.anything(), imported: 1, ...none, unchanged: 1, unreadableOptOuts: 0 };
    const columns = { phone: "phone_numbers", email: "email", subscribed: "subscribed" };
    const kept = { keptUnsubscribed: 1, optedOutNumbers: [ADA] };
    const read = { columns, ignoredColumns: [], invalidPhoneNumbers: [] };
    expect(await answer.json()).toEqual({ ...counts, ...kept, ...read });
    expect(await at.person(ADA)).toMatchObject({ subscribed: false, email: "ada@example.com" });
    await at.world.subscribers("brand", [`${BOB},,false`]);
    const again = await (await at.world.subscribers("brand", [BOB], "?resubscribe=true")).json();
    const all = { ...counts, ...read, becameSubscribed: 1, unchanged: 0, keptUnsubscribed: 0 };
    expect(again).toEqual(all);
    expect((await at.person(BOB)).subscribed).toBe(true);
  });

  it("START brings back who is known, and nobody else", async () => {
    await at.world.subscribers("brand", [`${BOB},,false`]);
    await text("Start.", { from: BOB });
    const bob = await at.person(BOB);
    expect(bob).toMatchObject({ subscribed: true, optedOutByPerson: false });
    expect(bob.changes.at(-1)).toMatchObject({ from: false, to: true, source: "keyword", proof: "Start." });
    await text("START", { from: STRANGER });
    const stranger = { subscribed: false, changes: [], texts: [{ keyword: "start", withoutEffect: "unknown-person" }] };
    expect(await at.person(STRANGER)).toMatchObject(stranger);
    await text("START", { from: ADA });
    expect((await at.person(ADA)).changes).toMatchObject([{ from: null, to: true, source: "import" }]);
    expect(at.submitted).toEqual([]);
    const { messageId } = await at.submit({ phone: BOB });
    expect(await at.events(messageId)).toEqual(["SENDING"]);
  });

  it("HELP is answered with the website's help text, but not to somebody who has opted out", async () => {
    await text("help?");
    expect(sent()).toEqual([[ADA, "brand: Reply STOP to unsubscribe."]]);
    await at.world.website("brand", { carrier: "twilio", sender: OURS, helpText: "Brand: call 555-0100." });
    await text("INFO");
    await text("HELP", { from: STRANGER });
    expect(sent()).toEqual([
      [ADA, "Brand: call 555-0100."],
      [STRANGER, "Brand: call 555-0100."],
    ]);
    await text("STOP");
    sent();
    await text("HELP");
    expect(sent()).toEqual([]);
    expect((await at.person(BOB)).subscribed).toBe(true);
  });
});

describe("a carrier that may have stopped the number itself", () => {
  it("and refuses our confirmation: the person stays opted out, with one row in the ledger, until their START", async () => {
    at = await CarrierWorld.create(twilio);
    at.answer = twilio.optOut?.refusal ?? twilio.accepts;
    await at.inbound("STOP");
    await at.world.runQueues();
    expect(await at.message(at.submitted[0]?.messageId ?? "")).toMatchObject({ status: "FAILED_TO_SEND" });
    expect((await at.person(ADA)).changes.map(({ source }) => source)).toEqual(["import", "keyword"]);
    await at.inbound("START");
    expect(await at.person(ADA)).toMatchObject({ subscribed: true, optedOutByPerson: false });
  });
});

describe("twilio, which may have answered a keyword itself", () => {
  it("opts the person out without a confirmation of ours", async () => {
    at = await CarrierWorld.create(twilio);
    await at.inbound("STOP", { more: { OptOutType: "STOP" } });
    await at.inbound("HELP", { from: BOB, more: { OptOutType: "HELP" } });
    await at.world.runQueues();
    expect(at.submitted).toEqual([]);
    expect(await at.person(ADA)).toMatchObject({ subscribed: false, optedOutByPerson: true });
    await at.inbound("START", { more: { OptOutType: "START" } });
    expect((await at.person(ADA)).subscribed).toBe(true);
  });

  it("opts the person out for any word that Twilio takes for STOP", async () => {
    at = await CarrierWorld.create(twilio);
    await at.inbound("ARRET", { more: { OptOutType: "STOP" } });
    expect(await at.person(ADA)).toMatchObject({ subscribed: false, optedOutByPerson: true });
  });

  it("brings a text to the messaging service that a website sends from", async () => {
    at = await CarrierWorld.create(twilio);
    const service = "MG33333333333333333333333333333333";
    await at.world.website("brand", { carrier: "twilio", sender: service });
    await at.inbound("STOP", { to: "+12125550042", more: { MessagingServiceSid: service } });
    await at.world.runQueues();
    expect(at.submitted).toMatchObject([{ to: ADA, from: service, text: CONFIRMATION }]);
  });
});

describe("kannel, whose gateways write numbers with and without a plus sign", () => {
  it("opts the person out either way", async () => {
    at = await CarrierWorld.create(kannel);
    await at.inbound("STOP", { from: ADA, to: OURS.slice(1) });
    expect((await at.person(ADA)).subscribed).toBe(false);
    await at.inbound("STOP", { from: BOB.slice(1), to: OURS });
    expect((await at.person(BOB)).subscribed).toBe(false);
  });
});
