/** Who sees what: each field of each answer to an operator is of a kind, and each kind is held to what a viewer may see of it. */
import { describe, expect, it } from "vitest";
import { CALLS } from "../../../src/calls.ts";
import { maskAnswer } from "../../../src/domain/operations/mask-people.ts";
import { makeDocument } from "../../../src/openapi/document.ts";

/** The fields of answers that are texts without a closed list of values, by what they hold. A new field needs a place here. */
const KINDS = {
  number: ["phone", "invalidPhoneNumbers", "optedOutNumbers", "unsubscribedNumbers"],
  address: ["email", "emailBefore", "emails", "invalidEmails"],
  text: ["text", "proof", "evidence", "callbackData"],
  words: [
    ...[
      "response",
      "cause",
      "error",
      "value",
      "columns",
      "ignoredColumns",
      "ignoredFields",
      "reason",
      "reasonDetail",
      "because",
    ],
    ...["clickUrl", "mediaUrl", "file"],
  ],
  /** Names of websites, clients, carriers and operators, ids and settings: the service's own. */
  own: [
    ...[
      "websiteId",
      "websiteIds",
      "websites",
      "secrets",
      "receipts",
      "inbound",
      "clientId",
      "name",
      "websiteName",
      "websiteNames",
      "clientName",
      "sender",
      "helpText",
      "optOutWords",
      "linkOrigin",
    ],
    ...[
      "carrier",
      "carriers",
      "database",
      "databases",
      "unavailableDatabases",
      "queue",
      "host",
      "operator",
      "by",
      "createdBy",
    ],
    ...[
      "messageId",
      "carrierMessageId",
      "importId",
      "sessionId",
      "eventId",
      "noticeId",
      "requestId",
      "clickId",
      "personId",
      "id",
      "holdId",
    ],
    ...[
      "sendPurpose",
      "transactionalPurposes",
      "allowedCountries",
      "timeZone",
      "country",
      "region",
      "zones",
      "states",
      "window",
      "source",
      "law",
    ],
    ...[
      "from",
      "to",
      "until",
      "next",
      "day",
      "days",
      "separator",
      "subject",
      "callbackUrl",
      "problem",
      "details",
      "message",
      "advice",
    ],
    ...[
      "inReplyTo",
      "token",
      "endsIn",
      "failed",
      "failedJobs",
      "clientSecret",
      "callbackSecret",
      "missingSettings",
      "waitsFor",
      "code",
      "kind",
      "missing",
      "outcome",
    ],
    ...[
      "event",
      "body",
      "schemaVersion",
      "why",
      "part",
      "settings",
      "method",
      "path",
      "decidedBy",
      "status",
      "action",
      "type",
      "key",
    ],
  ],
} as const;

const TEXT = "Ada-only words";
const NUMBERS = [
  "+12065550142",
  "12065550142",
  "(206) 555-0142",
  "+1/206/555/0142",
  "206\u2011555\u20110142",
  "２０６５５５０１４２",
  "206.555.0142",
];
const LOCAL_PARTS = [
  "ada.lovelace",
  "o'hara",
  "john.smith'",
  "jane.doe/",
  "a/bcdef",
  "x=y=secret",
  "max=",
  "amy&",
  "bob%",
  "first.last?",
  "{ben}|x",
  "q#1!$*+^_`~z",
];

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

const { paths, components } = makeDocument();
const operations = Object.values(paths).flatMap((of) => Object.values(of)) as {
  operationId?: string;
  responses?: Record<string, { content?: Record<string, { schema: Schema }> }>;
}[];

/** An answer with everything that its schema has; each text that is open has the value of its kind. */
function fill(schema: Schema, key: string, valueFor: (key: string) => string): unknown {
  if (schema.$ref) return fill(components.schemas[schema.$ref.split("/").at(-1) ?? ""] as Schema, key, valueFor);
  const [first] = (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []).filter(({ type }) => type !== "null");
  if (first) return fill(first, key, valueFor);
  const type = [schema.type ?? []].flat().find((it) => it !== "null");
  if (schema.const !== undefined || schema.enum)
    return schema.const ?? schema.enum?.find((it) => it === "keyword" || it === "answered") ?? schema.enum?.[0];
  if (type === "array") return [fill(schema.items ?? {}, key, valueFor)];
  if (type === "object" || schema.properties) {
    const others = typeof schema.additionalProperties === "object" ? { other: schema.additionalProperties } : {};
    const fields = Object.entries({ ...schema.properties, ...others });
    return Object.fromEntries(
      fields.map(([name, inner]) => [name, fill(inner, name === "other" || key === "columns" ? key : name, valueFor)]),
    );
  }
  if (type === "string") return schema.format ? "2026-11-28T12:00:00.000Z" : valueFor(key);
  return type === "boolean" ? true : 1;
}

const kindOf = (key: string) =>
  (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((kind) => KINDS[kind].some((it) => it === key));

const answers = CALLS.filter(({ access, reveals }) => access === "operator" && !reveals).flatMap(({ id }) => {
  const { responses = {} } = operations.find(({ operationId }) => operationId === id) ?? {};
  const schema = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1].content?.["application/json"]
    ?.schema;
  return schema ? [[id, schema] as const] : [];
});

describe.each(answers)("the answer of %s", (_, schema) => {
  it("has no field without a kind", () => {
    const unknown = new Set<string>();
    fill(schema, "", (key) => {
      if (kindOf(key) === undefined) unknown.add(key);
      return "";
    });
    expect([...unknown]).toEqual([]);
  });

  it("has no number, address or text for a viewer, in any spelling", () => {
    for (const [index, local] of LOCAL_PARTS.entries()) {
      const number = NUMBERS[index % NUMBERS.length] ?? "";
      const address = `${local}@example.com`;
      const values = {
        number,
        address,
        text: TEXT,
        words: `no ${number}, ${address} at https://e.example/?m=${local}%40example.com`,
        own: "own",
      };
      const answer = fill(schema, "", (key) => values[kindOf(key) ?? "own"]);
      const seen = JSON.stringify(maskAnswer(answer, { hidesTexts: true, personIds: new Map() }));
      expect(
        [number, address, `${local}%40`, local.slice(1).padEnd(3, "-"), TEXT].filter((it) =>
          seen.includes(JSON.stringify(it).slice(1, -1)),
        ),
      ).toEqual([]);
      expect(seen.normalize("NFKC").replaceAll(/[^\d"]/g, "")).not.toMatch(/065550142/);
    }
  });
});

it.each([
  [{ phone: "+12065550142" }, { phone: "+1206•••••42" }],
  [{ phone: "(206) 555-0142" }, { phone: "…42" }],
  [{ phone: "ada@example.com" }, { phone: "a•••@example.com" }],
  [{ from: "BANK", receivedAt: "x" }, { from: "BANK" }],
  [
    { from: "2065550142", receivedAt: "x", to: "+12125550199" },
    { from: "…42", to: "+12125550199" },
  ],
  [{ email: "o'hara@example.com" }, { email: "o•••@example.com" }],
  [{ email: "no address" }, { email: "n•••" }],
  [{ email: "a@b@example.com" }, { email: "a•••@example.com" }],
  [
    { clickUrl: "https://e.example/?m=a%40b%40example.com&n=1" },
    { clickUrl: "https://e.example/?•••%40example.com&n=1" },
  ],
  [{ cause: "UNDELIVERED, 30003 × 900 of 1200" }, { cause: "UNDELIVERED, 30003 × 900 of 1200" }],
  [
    { reasonDetail: "not taken in 5 attempts: twilio: HTTP 429, 20429" },
    { reasonDetail: "not taken in 5 attempts: twilio: HTTP 429, 20429" },
  ],
  [
    { reason: "QUIET_HOURS", reasonDetail: "its sending hours are closed: Sun 12:00–20:00 (FL § 501.059(8))" },
    { reasonDetail: "its sending hours are closed: Sun 12:00–20:00 (FL § 501.059(8))" },
  ],
])("of %o a viewer sees %o", (answer, seen) => {
  expect(maskAnswer(answer, { hidesTexts: true, personIds: new Map() })).toMatchObject(seen);
});
