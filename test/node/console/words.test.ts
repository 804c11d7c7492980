import { describe, expect, it, onTestFinished, vi } from "vitest";
import { differencesOf, evidenceOf } from "../../../console/lib/audit-words.ts";
import { nextLookSeconds } from "../../../console/lib/backoff.ts";
import {
  formatAxis,
  formatBytes,
  formatChange,
  formatShare,
  isUnusual,
  listOf,
  medianOf,
  percentOf,
} from "../../../console/lib/numbers.ts";
import { proofOf } from "../../../console/lib/opt-out-proof.ts";
import { formatPhone, isPhone, maskEmail, maskPhone, personIn } from "../../../console/lib/phones.ts";
import { wordsOf } from "../../../console/lib/problem-words.ts";
import { rateOf } from "../../../console/lib/rates.ts";
import { parseHash, toHash } from "../../../console/lib/router.ts";
import { OUTCOMES, parseSearch, textFaults, toTime, writeSearch } from "../../../console/lib/search-words.ts";
import { commandOf } from "../../../console/lib/shell-command.ts";
import { formatShortSpan, formatSpan, formatTime, formatUtc } from "../../../console/lib/times.ts";
import { SEARCHED_OUTCOMES } from "../../../src/domain/messages/outcome-class.ts";
import { PROBLEMS } from "../../../src/domain/operations/problems.ts";
import { person } from "./fixture-people.ts";
import { NO_SUBJECT } from "./fixture-state.ts";

describe("the search", () => {
  it.each([
    ["status:undelivered purpose:winter-sale", { status: "undelivered", purpose: "winter-sale" }, "", []],
    ['purpose:"spring sale" hello there', { purpose: "spring sale" }, "hello there", []],
    ["AFTER:02:41 before:2026-11-21T10:00", { after: "02:41", before: "2026-11-21T10:00" }, "", []],
    [
      "zebra:x",
      {},
      "",
      ["“zebra:” is no filter. There are website: purpose: status: outcome: reason: client: after: before:"],
    ],
    ["https://example.com", {}, "https://example.com", []],
    ["status:", {}, "", []],
    ["today", { after: "today" }, "", []],
    ["Yesterday", { after: "yesterday", before: "today" }, "", []],
    ["did not arrive", { outcome: "not-arrived" }, "", []],
    ["spring Did Not Arrive today", { after: "today", outcome: "not-arrived" }, "spring", []],
    ["before:10:00 today", { after: "today", before: undefined }, "", []],
    ["yesterday website:harbor", { after: "yesterday", before: "today", website: "harbor" }, "", []],
    ['"today" todays today-only did not', {}, '"today" todays today-only did not', []],
    ['purpose:today "sale today"', { purpose: "today" }, '"sale today"', []],
    ["status:a status:b", { status: "b" }, "", []],
    [
      "purpose:promo_20261125_01 client:0123456789abcdef0123456789abcdef",
      { purpose: "promo_20261125_01", client: "0123456789abcdef0123456789abcdef" },
      "",
      [],
    ],
  ])("reads %s", (input, filters, text, faults) => {
    const search = parseSearch(input);
    expect(search).toMatchObject({ filters, text, faults });
    expect(search.filters).toEqual(filters);
    // It is kept in the address.
    expect(parseSearch(writeSearch(search))).toMatchObject({ filters: JSON.parse(JSON.stringify(filters)), text });
  });

  it.each([
    ...[
      "after:lastweek",
      "after:21/11/2026",
      "after:-1h",
      "after:2026-11-28T25:00",
      "after:2026-11-31",
      "before:25:99",
      "after:24:00",
    ],
    ...["after:2026-02-29", "before:2026-13-01", "after:2026-11-28T24:00", "after:tomorrow", "after:+12125550142"],
  ])("has no time in %s, and says which there are", (input) => {
    const { filters, wrong, unknown } = parseSearch(input);
    expect([filters, unknown]).toEqual([{}, [input]]);
    expect(wrong).toEqual([expect.stringMatching(/^(after|before): takes today, yesterday, 02:41, 2026-11-21, or/)]);
  });

  it.each([
    ...[
      "purpose:+12125550142",
      "purpose:212-555-0142",
      "website:+1.212.555.0142",
      "client:2125550142",
      "status:ada@example.com",
    ],
    ...['purpose:"+1 212 555 0142"', "purpose:ada@example.com", "reason:1-212-555-0142"],
  ])("takes no person for a filter: %s", (input) => {
    expect(parseSearch(input)).toMatchObject({ filters: {}, wrong: [expect.stringContaining("takes no number")] });
  });

  it("takes an outcome as counts have it, and no other word", () => {
    expect(parseSearch("outcome:no-receipt")).toMatchObject({ filters: { outcome: "no-receipt" }, wrong: [] });
    expect(Object.values(OUTCOMES).toSorted()).toEqual([...SEARCHED_OUTCOMES].toSorted());
    for (const input of ["outcome:noReceipt", "outcome:lost", "outcome:toString"])
      expect(parseSearch(input)).toMatchObject({
        filters: {},
        wrong: [expect.stringMatching(/^outcome: takes scheduled/)],
      });
  });

  it("says that a purpose with spaces stands between quotation marks", () => {
    expect(textFaults(parseSearch("purpose:spring hello"))).toEqual([
      expect.stringContaining('purpose:"spring hello"'),
    ]);
    for (const whole of ['purpose:"spring hello"', "spring hello", "purpose:spring status:delivered"])
      expect(textFaults(parseSearch(whole))).toEqual([]);
  });

  it("writes what it has read", () => {
    const input = 'website:harbor purpose:"spring sale" status:delivered words';
    expect(writeSearch(parseSearch(input))).toBe(input);
  });

  it("knows what time somebody means", () => {
    const now = new Date(2026, 10, 25, 3, 5);
    const times = ["02:41", "today", "yesterday", "2026-11-21", "2026-11-21T10:30"].map((word) => toTime(word, now));
    expect(times).toEqual([
      new Date(2026, 10, 25, 2, 41),
      new Date(2026, 10, 25),
      new Date(2026, 10, 24),
      new Date(2026, 10, 21),
      new Date(2026, 10, 21, 10, 30),
    ]);
    expect(toTime("lately", now)).toBeNull();
    // The figures of an hour may begin before midnight, and those of a day at midnight of UTC: their links lead to both.
    expect(toTime("2026-11-24T23:31Z", now)).toEqual(new Date("2026-11-24T23:31:00Z"));
  });
});

describe("addresses", () => {
  it.each([
    ["#/messages?q=status%3Adelivered", { path: ["messages"], query: { q: "status:delivered" } }],
    ["#/people/a%2Fb", { path: ["people", "a/b"], query: {} }],
    ["", { path: [], query: {} }],
    ["#/people/%E0%A4%A", { path: ["people", "%E0%A4%A"], query: {} }],
  ])("are read: %s", (hash, route) => {
    expect(parseHash(hash)).toEqual(route);
  });

  it("are written as they are read, without what is not given", () => {
    expect(toHash(["people", "a/b"], { show: "in", none: null, empty: "" })).toBe("#/people/a%2Fb?show=in");
    expect(parseHash(toHash(["messages"], { q: 'purpose:"a & b"' })).query).toEqual({ q: 'purpose:"a & b"' });
  });
});

describe("the proof of an opt-out", () => {
  const known = person();
  const site = known.websites.find(({ optedOutByPerson }) => optedOutByPerson);
  const sent = (acceptedAt: string, status: "DELIVERED" | "NOT_SUBSCRIBED" = "DELIVERED") => ({
    ...{ messageId: "m", websiteId: site?.websiteId ?? "", acceptedAt, status, reason: null, reasonDetail: null },
    ...{ sendPurpose: "p", text: "t", clickedAt: null },
  });

  it("has the words, the sender, the id of the text, and what was sent since, with its ids", () => {
    if (!site) throw new Error("the fixture has none");
    const proof = proofOf(site, {
      ...known,
      messages: [sent("2026-11-22T10:00:00Z", "NOT_SUBSCRIBED"), sent("2026-11-20T10:00:00Z")],
    });
    expect(proof).toMatchObject({
      wrote: "Stop please!",
      to: "+15035550107",
      textId: "SM1",
      ledger: expect.any(Number),
    });
    expect(proof).toMatchObject({ sentSince: 0, stoppedSince: 1, ofLatest: null });
    expect(proof?.messagesSince).toEqual([
      { messageId: "m", acceptedAt: "2026-11-22T10:00:00Z", status: "NOT_SUBSCRIBED" },
    ]);
  });

  it("says that it counts only the latest texts where all that are known are later", () => {
    if (!site) throw new Error("the fixture has none");
    const many = (first: string) => [...Array.from({ length: 99 }, () => sent("2026-11-22T10:00:00Z")), sent(first)];
    const of = (first: string) => proofOf(site, { ...known, messages: many(first) })?.ofLatest;
    expect([of("2026-11-22T09:00:00Z"), of("2026-11-20T10:00:00Z")]).toEqual([100, null]);
  });
});

describe("a command of the shell", () => {
  it("has its words in quotation marks where a shell needs them, and no option without a value", () => {
    expect(commandOf("campaign", ["shop", "winter sale"])).toBe("campaign shop 'winter sale'");
    expect(commandOf("report", [], { all: true, by: "day", from: undefined, to: null, csv: false })).toBe(
      "report --all --by day",
    );
  });
});

describe("a person in words", () => {
  it.each([
    ["+1 206 555 0142", "+12065550142"],
    ["2065550142", "2065550142"],
    ["+1 206-555-0142", "+12065550142"],
    ["+1 (206) 555-0142 please", "+12065550142"],
    ["+44 7700900123", "+447700900123"],
    ["00 44 7700900123", "+447700900123"],
    ["+12065550142 2", "+12065550142"],
    ["+12065550142 +12125550142", "+12065550142"],
    ["12065550142 12125550142", "12065550142"],
    ["206 555 0142", "2065550142"],
    ["to +1 206 555 0142 please", "+12065550142"],
    ["+12125550142,", "+12125550142"],
    ["+1,212,555,0142", "+12125550142"],
    ["\u202a+12125550142\u202c", "+12125550142"],
    ["+1-212\u2011555\u20110142", "+12125550142"],
    ["+1.212.555.0142", "+12125550142"],
    ["+1/212/555/0142", "+12125550142"],
    ["(+1)2125550142", "+12125550142"],
    ["＋１２１２５５５０１４２", "+12125550142"],
    ["0012125550142", "+12125550142"],
    ["212x555x0142", "2125550142"],
    ['"+1 212 555 0142"', "+12125550142"],
    ["+4912345", "+4912345"],
    ["for ada@example.com", "ada@example.com"],
    ["<o'hara/x=y@example.com>,", "o'hara/x=y@example.com"],
    ["ada＠example.com", "ada@example.com"],
    ["ada@example", "ada@example"],
    ["of 2026-11-25 2026-11-26T10:30 02:41", null],
    ["0123456789abcdef0123456789abcdef", null],
    ["12345678", null],
    ["sale of 2026-11-25", null],
    ["winter-sale", null],
    ["", null],
  ])("%s", (text, found) => {
    expect(personIn(text)).toBe(found);
  });
});

describe("numbers", () => {
  it("are written as people read them", () => {
    expect([1931, 10_000, 1_500_000].map(formatAxis)).toEqual(["1,931", "10k", "1.5m"]);
    expect([
      formatShare(984, 1000),
      formatShare(24, 10_000),
      formatShare(0, 5),
      formatShare(5, 5),
      formatShare(1, 0),
    ]).toEqual(["98.4 %", "0.24 %", "0 %", "100 %", "–"]);
    expect([
      formatShare(99_999, 100_000),
      formatShare(99_999, 100_000, 2),
      formatShare(1, 1_000_000),
      formatShare(1, 1_000_000, 1),
    ]).toEqual(["99.9 %", "99.99 %", "0.01 %", "0.1 %"]);
    expect([percentOf(9_960_000_000, 10_000_000_000), percentOf(5, 5), percentOf(0, 5), percentOf(0, 0)]).toEqual([
      ...[99, 100, 0, 0],
    ]);
    expect([0.8, -1.94, 0.01].map((of) => formatChange(of))).toEqual(["+0.8", "−1.9", "0.0"]);
    expect([999, 7_400_000_000, 81_000_000].map(formatBytes)).toEqual(["999 bytes", "7.4 GB", "81 MB"]);
    expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(listOf)).toEqual(["", "a", "a and b", "a, b and c"]);
  });

  it("are unusual at three times the usual share, four percent and twenty texts", () => {
    expect(medianOf([3, 1, 2])).toBe(2);
    expect(medianOf([])).toBeNull();
    expect([
      isUnusual(85, 1000, 0.014),
      isUnusual(14, 1000, 0.014),
      isUnusual(39, 1000, 0.001),
      isUnusual(5, 19, 0),
      isUnusual(80, 1000, 0.03),
    ]).toEqual([true, false, false, false, false]);
  });

  it("compare a campaign with the days before, and only a bad change is bad", () => {
    const row = (sent: number, delivered: number, optedOut: number) => ({
      accepted: sent,
      sent,
      delivered,
      undelivered: sent - delivered,
      failed: {},
      clicked: 0,
      optedOut,
    });
    const [now, before] = [row(1000, 971, 8), row(1000, 982, 3)];
    expect(rateOf("optedOut", now, before)).toEqual({ value: "0.80 %", change: "+0.50", isBad: true });
    expect(rateOf("delivered", now, before)).toEqual({ value: "97.1 %", change: "−1.1", isBad: false });
    expect(rateOf("clicked", now, before)).toEqual({ value: "–", change: null, isBad: false });
    expect(rateOf("delivered", now, undefined).change).toBeNull();
  });

  it("of phones are masked, and grouped", () => {
    expect(maskPhone("+12065550142")).toBe("+1206•••••42");
    expect(maskPhone("+1206•••••42")).toBe("+1206•••••42");
    expect([formatPhone("+1206•••••42"), formatPhone("+12065550142"), formatPhone("+4915112345678")]).toEqual([
      "+1 206 ••• ••42",
      "+1 206 555 0142",
      "+49 151 123 456 78",
    ]);
    expect(maskEmail("ada@example.com")).toBe("a•••@example.com");
    expect(["+12065550142", "2065550142", "+1 206 555 0142", "hello"].map(isPhone)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe("times", () => {
  const now = new Date(2026, 10, 25, 3, 5).getTime();

  it("say the day where it is another", () => {
    expect(formatTime(new Date(2026, 10, 25, 2, 41).getTime(), now)).toBe("02:41");
    expect(formatTime(new Date(2026, 10, 24, 18, 10).getTime(), now)).toBe("yesterday 18:10");
    expect(formatTime(new Date(2026, 10, 22, 19, 30).getTime(), now)).toBe("Sun 22 Nov 19:30");
    expect(formatTime(new Date(2025, 2, 3, 19, 30).getTime(), now)).toBe("3 Mar 2025");
    expect(formatUtc("2026-11-25T02:14:04.800Z")).toBe("2026-11-25 02:14:04 UTC");
  });

  it("say yesterday of the day before, also of one of 23 or 25 hours", async () => {
    // The module keeps the zone in which it was loaded, and other files of tests have it from the same memory.
    onTestFinished(() => {
      vi.unstubAllEnvs();
      vi.resetModules();
    });
    vi.stubEnv("TZ", "America/New_York");
    vi.resetModules();
    const { formatTime } = await import("../../../console/lib/times.ts");
    const at = (day: number, hour: number, month = 2) => new Date(2026, month, day, hour, 30).getTime();
    expect([at(7, 23), at(8, 12)].map((time) => formatTime(time, at(9, 0)))).toEqual([
      "Sat 7 Mar 23:30",
      "yesterday 12:30",
    ]);
    expect(formatTime(at(31, 12, 9), at(1, 23, 10))).toBe("yesterday 12:30");
  });

  it.each([
    [4200, "4.2 seconds", "4.2 s"],
    [24 * 60_000, "24 minutes", "24 min"],
    [113 * 60_000, "1 hour 53 minutes", "1 h 53 min"],
    [60_000, "1 minute", "1 min"],
    [5.5 * 3_600_000, "5 hours", "5 h 30 min"],
    [72 * 3_600_000, "3 days", "3 days"],
  ])("tell how long: %i ms", (milliseconds, words, short) => {
    expect([formatSpan(milliseconds), formatShortSpan(milliseconds)]).toEqual([words, short]);
  });

  it("until the next look grow while the service is away", () => {
    expect([0, 1, 2, 3, 9].map(nextLookSeconds)).toEqual([10, 20, 40, 60, 60]);
  });
});

describe("sentences", () => {
  const NOBODY = { ...NO_SUBJECT, since: null };

  it.each(PROBLEMS)("of a problem have no gap, whether it names somebody or nobody: %s", (problem) => {
    const somebody = {
      ...NOBODY,
      carrier: "kannel",
      websiteId: "shop",
      host: "hooks.example",
      websiteNames: ["The Shop"],
      affected: 950,
    };
    for (const named of [NOBODY, somebody]) {
      const words = wordsOf({ problem, ...named });
      const said = [
        words.sentence,
        `${words.count?.words ?? ""}${words.effect}`,
        ...words.steps,
        ...words.acts.map((act) => Object.values(act).join(": ")),
      ];
      for (const sentence of said) expect(sentence).not.toMatch(/[{}]|undefined|null|^\s|^$| {2}/);
      expect(words.steps.length).toBeLessThanOrEqual(2);
    }
  });

  it("of a problem say how many it is, as a link to them", () => {
    const words = wordsOf({
      ...NOBODY,
      problem: "carrier-credentials",
      carrier: "kannel",
      websiteNames: ["Northwind"],
      affected: 950,
    });
    expect(words).toMatchObject({ count: { words: "950 texts", href: "#/waiting" }, short: "kannel refuses" });
    expect(words.effect).toBe(" of Northwind wait. They go by themselves when kannel accepts them.");
    expect(words.acts[0]).toEqual({ label: "Try kannel now", try: "kannel" });
  });

  it("of a consent are what was told, and nothing where nothing was", () => {
    const now = Date.parse("2026-11-25T02:05:20Z");
    const consentedAt = "2026-10-11T15:02:00Z";
    expect(evidenceOf({ consentedAt, evidence: "Box ticked" }, now)).toMatch(
      /^Evidence: “Box ticked”, Sun 11 Oct \d\d:02\.$/,
    );
    expect(evidenceOf({ evidence: "Box ticked" }, now)).toBe("Evidence: “Box ticked”.");
    expect(evidenceOf({ consentedAt }, now)).toMatch(/^They agreed, Sun 11 Oct \d\d:02\.$/);
    expect(evidenceOf({ consentedAt: null, evidence: null }, now)).toBe("");
  });

  it("of the audit log have only the difference", () => {
    expect(differencesOf({ before: { a: 1, b: [2] }, after: { a: 1, b: [3], c: null } })).toEqual([
      { name: "b", before: "[2]", after: "[3]" },
    ]);
  });
});
