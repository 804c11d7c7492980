/** The two ends of a text, its letters and its id, in the forms in which carriers hand them over. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ADA, BOB, CARRIERS, CarrierWorld, mockSockets, OURS } from "./carrier-world.ts";
import { kannel } from "./kannel.ts";
import { PUBLIC_ORIGIN } from "./test-carrier.ts";

mockSockets();

const [TWILIO, TELNYX, KANNEL] = CARRIERS as [
  (typeof CARRIERS)[number],
  (typeof CARRIERS)[number],
  (typeof CARRIERS)[number],
];
const THEIRS = "+12125550009";
const STRANGER = "+12125550199";

let at: CarrierWorld;

afterEach(() => {
  at.expectPublished();
  vi.restoreAllMocks();
});

/** Kannel's call, with its query as it is on the wire. */
async function hand(query: string): Promise<void> {
  const url = `${PUBLIC_ORIGIN}/carriers/kannel/inbound?key=${kannel.settings.KANNEL_WEBHOOK_KEY}&${query}`;
  const answer = await at.call({ method: "GET", url, headers: {} });
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
  await at.world.runQueues();
}

const isSubscribed = async (phone: string, websiteId = "brand") => (await at.person(phone, websiteId)).subscribed;
const texts = () =>
  at.world.rows("SELECT carrier_message_id AS id, text, keyword FROM inbound_texts ORDER BY received_at");
const logged = (name: string) => at.world.logs.map((line) => JSON.parse(line)).filter(({ event }) => event === name);
const problems = async () =>
  ((await (await at.world.operator("GET", "/health")).json()) as { problems: string[] }).problems;

describe("two brands at one Kannel, of which the other one texted the person last", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(KANNEL);
    await at.world.website("theirs", { carrier: "kannel", sender: THEIRS });
    await at.world.subscribers("theirs", [ADA]);
    const client = await at.world.client("theirs");
    await at.world.send(client, { phone: ADA });
    await at.world.runQueues();
    at.submitted.length = 0;
  });

  it.each([
    "to=%2B12125550000",
    "to=+12125550000",
    "to=12125550000",
    "to=0012125550000",
    "to=01112125550000",
    "to=2125550000",
    "to=%2B1%20(212)%20555-0000",
    "to=212.555.0000",
  ])("STOP %s opts out of the brand that was texted, which confirms it, and of no other", async (to) => {
    await hand(`id=a&from=%2B12125550100&${to}&text=STOP`);
    expect([await isSubscribed(ADA), await isSubscribed(ADA, "theirs")]).toEqual([false, true]);
    expect(at.submitted.map(({ from, to }) => [from, to])).toEqual([[OURS, ADA]]);
  });

  it.each([
    ["to a number that neither has", "from=%2B12125550101&to=%2B12125550077"],
    ["to nobody", "from=%2B12125550101&to="],
  ])("STOP %s, of a person whom neither has texted, is told to the operator, and to nobody else", async (_, ends) => {
    await at.world.sweep();
    await hand(`id=a&${ends}&text=STOP`);
    expect([await isSubscribed(BOB), at.submitted]).toEqual([true, []]);
    expect(await problems()).toContain("keywords-without-effect");
  });

  it("STOP to nobody opts out of the brand that has texted the person", async () => {
    await hand("id=a&from=%2B12125550100&text=STOP");
    expect([await isSubscribed(ADA), await isSubscribed(ADA, "theirs")]).toEqual([true, false]);
    expect(at.submitted.map(({ from }) => from)).toEqual([THEIRS]);
  });
});

describe("the sender of a STOP", () => {
  const UK = "+447700900999";
  const READER = "+447700900123";

  beforeEach(async () => {
    at = await CarrierWorld.create(KANNEL);
    await at.world.website("brand", { carrier: "kannel", sender: UK });
    await at.world.subscribers("brand", [READER]);
  });

  it.each([
    "%2B4407700900123",
    "004407700900123",
    "%2B44%20(0)%207700%20900123",
    "4407700900123",
    "07700900123",
    "%2B07700900123",
    "447700900123",
    "+447700900123",
  ])("%s is the person: no other number is stored, and that one is told", async (from) => {
    await hand(`id=a&from=${from}&to=%2B447700900999&text=STOP`);
    expect(await isSubscribed(READER)).toBe(false);
    expect(at.submitted.map(({ to }) => to)).toEqual([READER]);
    const stored = await at.world.rows("SELECT phone FROM subscriptions WHERE opted_out_by_person = 1");
    expect(stored).toEqual([{ phone: 447700900123 }]);
  });

  it.each(["%2B999123456789", "68849", "%2B5599", "whatsapp:%2B447700900123", "Ada"])(
    "%s is no number that may be called, and nobody has stored it: nothing is confirmed, and it is a problem",
    async (from) => {
      await at.world.sweep();
      await hand(`id=a&from=${from}&to=%2B447700900999&text=STOP`);
      expect(at.submitted).toEqual([]);
      expect(await at.world.rows("SELECT * FROM subscriptions WHERE opted_out_by_person = 1")).toEqual([]);
      expect(await problems()).toEqual(["keywords-without-effect"]);
    },
  );

  it.each([
    ["+525512345678", "+5215512345678"],
    ["+541123456789", "+5491123456789"],
    ["+5491123456789", "+541123456789"],
    ["+551187654321", "+5511987654321"],
    ["+5511987654321", "+551187654321"],
    ["+2290197123456", "+22997123456"],
    ["+2250707123456", "+22507123456"],
  ])("%s is stored, and is stopped by %s, another form of it", async (stored, from) => {
    at = await CarrierWorld.create(TWILIO);
    await at.world.subscribers("brand", [stored]);
    await at.inbound("STOP", { from });
    await at.world.runQueues();
    expect(await isSubscribed(stored)).toBe(false);
    expect(at.submitted.map(({ to }) => to)).toEqual([stored]);
    expect(await at.world.rows("SELECT count(*) AS count FROM subscriptions WHERE subscribed = 0")).toEqual([
      { count: 1 },
    ]);
    await at.inbound("START", { from });
    expect(await isSubscribed(stored)).toBe(true);
  });

  it("is stopped in both forms where both are stored, with one confirmation", async () => {
    at = await CarrierWorld.create(TWILIO);
    const forms = ["+541123456789", "+5491123456789"] as const;
    await at.world.subscribers("brand", [...forms]);
    await at.inbound("STOP", { from: forms[0] });
    await at.world.runQueues();
    expect(await Promise.all(forms.map((form) => isSubscribed(form)))).toEqual([false, false]);
    expect(at.submitted).toHaveLength(1);
    await at.inbound("START", { from: forms[1] });
    expect(await Promise.all(forms.map((form) => isSubscribed(form)))).toEqual([true, true]);
  });

  it("is stored as it may be called where no form of it is known", async () => {
    at = await CarrierWorld.create(TWILIO);
    await at.inbound("STOP", { from: "+5215512345678" });
    await at.world.runQueues();
    expect(await isSubscribed("+525512345678")).toBe(false);
    expect(at.submitted.map(({ to }) => to)).toEqual(["+525512345678"]);
  });
});

describe("the sender of a STOP to an Australian number, where 0011 is dialed before a calling code", () => {
  /** Saskatchewan, and Michigan beside Fiji, as 00 and the rest would be read. */
  const [NORWEGIAN, CANADIAN, AMERICAN, FIJIAN] = [
    "+4740612345",
    "+14740612345",
    "+16797012345",
    "+6797012345",
  ] as const;

  beforeEach(async () => {
    at = await CarrierWorld.create(KANNEL);
    await at.world.website("brand", { carrier: "kannel", sender: "+61412345678" });
    await at.world.subscribers("brand", [AMERICAN, FIJIAN, NORWEGIAN]);
  });

  it.each([
    ["00114740612345", NORWEGIAN, [AMERICAN, FIJIAN]],
    ["00116797012345", FIJIAN, [AMERICAN, NORWEGIAN]],
    ["001116797012345", AMERICAN, [FIJIAN, NORWEGIAN]],
  ] as const)("%s is %s, and nobody else", async (from, person, others) => {
    await hand(`id=a&from=${from}&to=%2B61412345678&text=STOP`);
    expect(await isSubscribed(person)).toBe(false);
    for (const other of others) expect(await isSubscribed(other)).toBe(true);
    expect(await at.world.rows("SELECT phone FROM subscriptions WHERE opted_out_by_person = 1")).toEqual([
      { phone: Number(person.slice(1)) },
    ]);
    expect(await at.world.rows(`SELECT 1 FROM subscriptions WHERE phone = ${CANADIAN.slice(1)}`)).toEqual([]);
  });
});

describe("Twilio, whose messaging service has an RCS sender beside its numbers", () => {
  const SERVICE = "MG33333333333333333333333333333333";
  const more = { MessagingServiceSid: SERVICE, ChannelMetadata: '{"type":"rcs","data":{}}' };

  beforeEach(async () => {
    at = await CarrierWorld.create(TWILIO);
    await at.world.website("brand", { carrier: "twilio", sender: SERVICE });
  });

  it("brings a STOP and a START by RCS, and they count for the number of the person", async () => {
    await at.inbound("STOP", { from: `rcs:${ADA}`, to: "rcs:brand_agent", more });
    await at.world.runQueues();
    expect(await at.person(ADA)).toMatchObject({ subscribed: false, optedOutByPerson: true });
    expect(at.submitted.map(({ from, to }) => [from, to])).toEqual([[SERVICE, ADA]]);
    await at.inbound("START", { from: `RCS:${ADA}`, to: "rcs:brand_agent", more });
    expect(await isSubscribed(ADA)).toBe(true);
  });

  it("brings a STOP of RCS for each website that has texted the person, if it names no service", async () => {
    await at.submit();
    await at.inbound("STOP", { from: `rcs:${ADA}`, to: "rcs:brand_agent" });
    expect(await isSubscribed(ADA)).toBe(false);
  });
});

describe("Telnyx, which may have answered a text itself", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(TELNYX);
  });

  it.each([
    ["ARRET", "STOP"],
    ["BASTA", "STOP"],
    ["STOP", "stop"],
    ["leave me alone", "OPT_OUT"],
    ["adios", "opt-out"],
  ])("opts the person out of %s for its %s, and confirms nothing again", async (words, autoresponse_type) => {
    await at.inbound(words, { more: { autoresponse_type } });
    await at.world.runQueues();
    expect(await at.person(ADA)).toMatchObject({ subscribed: false, optedOutByPerson: true });
    expect(at.submitted).toEqual([]);
  });

  it.each(["START", "Start", "opt-in", "OPT_IN"])("brings the person back for its %s", async (autoresponse_type) => {
    await at.inbound("STOP");
    await at.inbound("JOIN", { more: { autoresponse_type } });
    expect(await isSubscribed(ADA)).toBe(true);
  });

  it("answers no HELP that Telnyx has answered, and takes what it does not know for an answer", async () => {
    await at.inbound("HELP", { more: { autoresponse_type: "HELP" } });
    await at.inbound("STOP", { from: BOB, more: { autoresponse_type: "CUSTOM" } });
    await at.world.runQueues();
    expect([await isSubscribed(ADA), await isSubscribed(BOB), at.submitted]).toEqual([true, false, []]);
  });

  it.each([[null], [""], [7]])("answers a STOP itself where the field is %j", async (autoresponse_type) => {
    await at.inbound("STOP", { more: { autoresponse_type } as unknown as Record<string, string> });
    await at.world.runQueues();
    expect(at.submitted.map(({ to }) => to)).toEqual([ADA]);
  });
});

describe("Kannel's text", () => {
  beforeEach(async () => {
    at = await CarrierWorld.create(KANNEL);
  });

  const utf16 = (text: string) =>
    [...text]
      .flatMap((one) => [...Array(one.length).keys()].map((place) => one.charCodeAt(place)))
      .flatMap((unit) => [unit >> 8, unit & 255])
      .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
      .join("");

  it.each([
    ["UTF-16BE", "text=%00S%00T%00O%00P&charset=UTF-16BE", "STOP"],
    ["UTF-16BE, an emoji", `text=${utf16("STOP 🙏")}&charset=UTF-16BE`, "STOP 🙏"],
    ["UTF-16BE, in small letters", `text=${utf16("“Stop”")}&charset=utf-16be`, "“Stop”"],
    ["UTF-16BE, a plus for a space", "text=%00S%00T%00O%00P%00+%00!&charset=UTF-16BE", "STOP !"],
    ["UTF-16BE that nothing names", `text=${utf16("Stop")}`, "Stop"],
    ["UTF-16BE with an emoji that nothing names", `text=${utf16("STOP 🙏")}`, "STOP 🙏"],
    ["UTF-16BE that is called otherwise", `text=${utf16("STOP")}&charset=%25C`, "STOP"],
    ["UTF-8", "text=Arr%C3%AAt&charset=UTF-8", "Arrêt"],
    ["UTF-8 that nothing names", "text=Arr%C3%AAt", "Arrêt"],
    ["Latin-1", "text=Arr%EAt&charset=ISO-8859-1", "Arrêt"],
    ["Windows-1252", "text=%93Stop%94&charset=WINDOWS-1252", "“Stop”"],
    ["ASCII", "text=stop&charset=US-ASCII", "stop"],
    ["UTF-8 with NULs around", "text=%00STOP%00", "\0STOP\0"],
  ])("in %s opts the person out", async (_, query, text) => {
    await hand(`id=a&from=%2B12125550100&to=%2B12125550000&${query}`);
    expect(await isSubscribed(ADA)).toBe(false);
    expect(await texts()).toEqual([{ id: "a", text, keyword: "stop" }]);
  });

  it("in a character set that is not known is read as UTF-8, and logged without the text", async () => {
    await hand("id=a&from=%2B12125550100&to=%2B12125550000&text=Gr%C3%BC%C3%9Fe&charset=EBCDIC-37");
    expect(await texts()).toMatchObject([{ text: "Grüße" }]);
    expect(logged("inbound.charset-unknown")).toMatchObject([
      { level: "warn", carrier: "kannel", charset: "EBCDIC-37" },
    ]);
    expect(at.world.logs.join()).not.toContain("Grüße");
  });
});

describe("a text of Kannel without an id", () => {
  const say = (words: string, from = "12125550100") => `from=%2B${from}&to=%2B12125550000&text=${words}`;
  const STOP = say("STOP");
  const HELLO = say("hello");

  beforeEach(async () => {
    at = await CarrierWorld.create(KANNEL);
  });

  it.each(["", "id=&", "id=%25I&", "id=%I&"])("(%j) is taken, and the same text again is one text", async (id) => {
    await hand(id + HELLO);
    await hand(id + HELLO);
    expect(await texts()).toHaveLength(1);
    await hand(id + STOP);
    await hand(id + STOP);
    expect(await isSubscribed(ADA)).toBe(false);
    expect(at.submitted).toHaveLength(1);
  });

  it.each([
    ["nor a time", ["", "", ""]],
    ["at one time of the gateway", ["&ts=1795262400", "&ts=1795262400", "&ts=1795262400"]],
    ["with a time that the gateway has left unfilled", ["&ts=%25T", "&ts=%25T", "&ts=%25T"]],
    ["the last from a clock that is slow", ["", "", "&ts=1795262370"]],
  ])("%s: a STOP counts after a START, and again after a STOP", async (_, [first, second, third]) => {
    await hand(STOP + first);
    await hand(say("START") + second);
    expect(await isSubscribed(ADA)).toBe(true);
    await hand(STOP + third);
    expect(await isSubscribed(ADA)).toBe(false);
  });

  it("is an opt-out after a YES, too, by a clock that is slow", async () => {
    await hand(say("YES"));
    await hand(`${STOP}&ts=1795262370`);
    expect(await isSubscribed(ADA)).toBe(false);
  });

  it("nor a time: a START counts as it comes", async () => {
    for (const words of ["START", "STOP", "START"]) await hand(say(words));
    expect(await isSubscribed(ADA)).toBe(true);
  });

  it("is another text from another person, with other words, or in another minute", async () => {
    await hand(HELLO);
    await hand(say("hello", "12125550101"));
    await hand(say("hello!"));
    at.world.advance(60);
    await hand(HELLO);
    expect(await texts()).toHaveLength(4);
  });

  it.each(["time", "ts"])("is the same at the same %s of the gateway, however late it comes again", async (name) => {
    await hand(`${HELLO}&${name}=1795262400`);
    at.world.advance(600);
    await hand(`${HELLO}&${name}=1795262400`);
    expect(await texts()).toHaveLength(1);
    await hand(`${HELLO}&${name}=1795262401`);
    expect(await texts()).toHaveLength(2);
  });

  it("or a sender cannot be taken, and is logged", async () => {
    await hand("to=%2B12125550000&text=STOP");
    expect(await texts()).toEqual([]);
    expect(logged("inbound.unreadable")).toHaveLength(1);
  });
});

describe("a website's own words", () => {
  it("opt out, and in a sentence ask the operator to decide", async () => {
    at = await CarrierWorld.create(KANNEL);
    await at.world.website("brand", { carrier: "kannel", sender: OURS, optOutWords: ["BAJA"] });
    await at.world.sweep();
    await at.inbound("quiero la baja", { from: STRANGER });
    await at.inbound("Baja, por favor");
    await at.world.runQueues();
    expect(at.submitted.map(({ to }) => to)).toEqual([ADA]);
    expect(await isSubscribed(ADA)).toBe(false);
    expect(await problems()).toEqual(["maybe-opt-outs"]);
  });
});
