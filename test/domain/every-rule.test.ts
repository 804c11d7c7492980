/** Whatever else is wrong with a request, each broken rule is told: none hides another. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { websiteSettingsSchema } from "../../src/domain/clients/website.ts";
import { type Tried, tryFields } from "../../src/domain/failure.ts";
import { trySendRequest } from "../../src/domain/messages/send-request.ts";
import { phoneListSchema } from "../../src/domain/people/phone-list.ts";
import { subscribeSchema } from "../../src/domain/people/subscribe-request.ts";

const LINK = "https://l.example/l/AAAAAAAAAA";
const NOW = Date.parse("2026-11-25T12:00:00Z");
const HALF = "\ud83d";
const long = (length: number) => "x".repeat(length);
/** Well-formed, and short enough for the name of a test. */
const show = (value: unknown) => (JSON.stringify(value) ?? "left out").slice(0, 40);
/** Base64 of a CSV file. */
const csv = (text: string) => btoa(text);

/** Values of a field that break a rule of its own, one for each rule; undefined stands for a field that is left out. */
type Broken = Record<string, unknown[]>;

interface Cross {
  /** Fields with which only the rule for several fields is broken. */
  body: Record<string, unknown>;
  /** What `details` then names. */
  field: string;
}

interface Case {
  request: string;
  /** Breaks no rule. */
  good: Record<string, unknown>;
  broken: Broken;
  crosses: Cross[];
  check: (body: unknown) => Tried<unknown>;
}

const noUrl = ["/image.jpg", "ftp://example.com/a", `https://${long(2048)}`, 5, [], {}];
const noPurpose = [undefined, null, "", " ", 5, {}, "a/b", "a\tb", long(101), `é${long(200)}`];

const NO_TIMES = [5, {}, "tomorrow", "2026-11-26", "2026-11-26T12:00:00", "2026-02-30T12:00:00Z", 1795694400];

const CASES: Case[] = [
  {
    request: "a send",
    good: { phone: "+12125550100", text: "hi", callbackData: "{}", sendPurpose: "a" },
    broken: {
      text: [undefined, null, "", " \n", 5, {}, long(1601), HALF, `${HALF}${long(1601)}`],
      mediaUrl: noUrl,
      clickUrl: noUrl,
      callbackData: [undefined, null, 5, {}, "{", `"${long(8192)}"`, long(8193), `"${HALF}"`],
      sendPurpose: noPurpose,
      sendAt: [...NO_TIMES, "2026-11-25T11:54:59Z", "2026-12-30T12:00:01Z"],
      expireAt: [...NO_TIMES, "2026-11-25T12:00:00Z", "2026-12-07T12:00:01Z"],
    },
    crosses: [
      { body: { phone: "", email: "" }, field: "phone" },
      { body: { phone: undefined, email: undefined }, field: "phone" },
      { body: { phone: null, email: "nobody" }, field: "email" },
      { body: { phone: " ", email: 5 }, field: "email" },
    ],
    check: (body) => trySendRequest(body, LINK, NOW),
  },
  {
    request: "a send whose link makes the text too long",
    good: {
      phone: "+12125550100",
      text: long(1569),
      clickUrl: "https://a.example",
      callbackData: "",
      sendPurpose: "a",
    },
    broken: {
      phone: ["2125550100", "+1", 5, {}],
      mediaUrl: noUrl,
      callbackData: [undefined, null, 5, {}, "{", `"${long(8192)}"`, `"${HALF}"`],
      sendPurpose: noPurpose,
    },
    crosses: [
      { body: { text: long(1570) }, field: "text" },
      { body: { text: long(1600), clickUrl: " https://a.example\n" }, field: "text" },
      { body: { text: `${long(1583)}https://a.example` }, field: "text" },
    ],
    check: (body) => trySendRequest(body, LINK, NOW),
  },
  {
    request: "a subscribe",
    good: { phone_numbers: ["+12125550100"], sendPurpose: "a" },
    broken: { sendPurpose: noPurpose },
    crosses: [undefined, null, "", []].flatMap((phone_numbers) =>
      [undefined, null, ""].map((csv_file) => ({ body: { phone_numbers, csv_file }, field: "phone_numbers" })),
    ),
    check: (body) => tryFields(subscribeSchema, body),
  },
  {
    request: "the settings of a new website",
    good: { name: "Shop", carrier: "kannel", sender: "+12125550100" },
    broken: {
      helpText: [5, {}, long(1601), HALF],
      duplicateWindowHours: ["1", 0, 169, 1.5],
      database: [5, {}, long(21)],
    },
    crosses: [
      { body: { name: undefined }, field: "name" },
      { body: { carrier: undefined }, field: "carrier" },
      { body: { carrier: "telegram" }, field: "carrier" },
      { body: { sender: undefined }, field: "sender" },
    ],
    check: (body) => tryFields(websiteSettingsSchema(undefined, rules), body),
  },
];

const rules = {
  names: ["kannel"],
  defaultCarrier: undefined,
  faults: (carrier: string, sender: string | null) => {
    if (carrier !== "kannel") return [{ field: "carrier", message: "must be kannel" }];
    return sender === null ? [{ field: "sender", message: "is required" }] : [];
  },
};

const fieldsOf = ({ details = [] }: Tried<unknown>) => details.map(({ field }) => field).sort();

describe.each(CASES)("of $request", ({ good, broken, crosses, check }) => {
  const pairs = Object.entries(broken).flatMap(([field, values]) =>
    values.map((value) => ({ field, value, shown: show(value) })),
  );

  it("each rule for several fields is told alone", () => {
    expect(fieldsOf(check(good))).toEqual([]);
    for (const { body, field } of crosses)
      expect([body, fieldsOf(check({ ...good, ...body }))]).toEqual([body, [field]]);
  });

  it.each(pairs)("the rule of $field is told beside each rule for several fields: $shown", ({ field, value }) => {
    expect(fieldsOf(check({ ...good, [field]: value }))).toEqual([field]);
    for (const cross of crosses) {
      const body = { ...good, ...cross.body, [field]: value };
      expect([cross.body, fieldsOf(check(body))]).toEqual([cross.body, [field, cross.field].sort()]);
    }
  });

  it.each([[[]], [null], ["a"], [5]])("a body that is %j breaks one rule: it is no object", (body) => {
    expect(check(body)).toEqual({ details: [{ field: "body", message: "must be a JSON object" }] });
  });

  it("all are told that are broken at once", () => {
    const choices = Object.fromEntries(
      Object.entries(broken).map(([field, values]) => [
        field,
        fc.option(fc.constantFrom(...values.map((value) => ({ value })))),
      ]),
    );
    fc.assert(
      fc.property(fc.record(choices), fc.option(fc.constantFrom(...crosses)), (chosen, cross) => {
        const entries = Object.entries(chosen).flatMap(([field, one]) => (one ? [[field, one.value] as const] : []));
        const body = { ...good, ...cross?.body, ...Object.fromEntries(entries) };
        expect(fieldsOf(check(body))).toEqual(
          [...entries.map(([field]) => field), ...(cross ? [cross.field] : [])].sort(),
        );
      }),
    );
  });
});

describe("the lists of a request", () => {
  const broken: [Record<string, unknown>, string[]][] = [
    [{}, ["phone_numbers"]],
    [{ phone_numbers: [] }, ["phone_numbers"]],
    [{ phone_numbers: 0 }, ["phone_numbers"]],
    [{ phone_numbers: false, csv_file: "" }, ["phone_numbers"]],
    [{ phone_numbers: {}, csv_file: 0 }, ["csv_file", "phone_numbers"]],
    [{ phone_numbers: [], csv_file: 0 }, ["csv_file"]],
    [{ phone_numbers: "", csv_file: "not Base64!" }, ["csv_file"]],
    [{ csv_file: csv("phone\n+12125550100") }, ["csv_file"]],
    [{ phone_numbers: [1, "+12125550100", null] }, ["phone_numbers[0]", "phone_numbers[2]"]],
  ];

  it.each(broken)("%j breaks those of %j, in a look-up and in a subscribe", (body, fields) => {
    expect(fieldsOf(tryFields(phoneListSchema, body))).toEqual(fields);
    expect(fieldsOf(tryFields(subscribeSchema, { ...body, sendPurpose: "a" }))).toEqual(fields);
    expect(fieldsOf(tryFields(subscribeSchema, { ...body, sendPurpose: "a/b" }))).toEqual(
      [...fields, "sendPurpose"].sort(),
    );
  });

  it.each([
    { phone_numbers: ["+12125550100"] },
    { phone_numbers: ["+12125550100"], csv_file: null },
    { phone_numbers: [], csv_file: csv("phone_numbers\n") },
    { csv_file: csv('"phone_numbers"\n') },
  ])("%j breaks none", (body) => {
    expect(fieldsOf(tryFields(phoneListSchema, body))).toEqual([]);
    expect(fieldsOf(tryFields(subscribeSchema, { ...body, sendPurpose: "a" }))).toEqual([]);
  });
});
