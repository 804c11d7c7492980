/** An error names all that is wrong with a request at once, so that a client mends it once. */
import { beforeEach, describe, expect, it } from "vitest";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const GOOD = { phone: ADA, text: "hi", callbackData: "{}", sendPurpose: "a" };
const NO_ID = "messageId: either messageId or messageIds must be given, and not both";
const LISTS = "/text/subscribe, /text/unsubscribe, /text/subscription/status";
const NOBODY = "phone: either phone or email must be given";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

async function faultsOf(answer: Response): Promise<string[]> {
  const { code, details } = (await answer.json()) as { code: number; details: { field: string; message: string }[] };
  expect([answer.status, code]).toEqual([400, 40001]);
  return details.map(({ field, message }) => `${field}: ${message}`).sort();
}

const CASES: [string, Record<string, unknown>, string[]][] = [
  [
    "an empty text",
    { text: "", phone: undefined },
    [NOBODY, "text: must not be empty, or only white space and invisible characters"],
  ],
  [
    "a text that is too long",
    { text: "x".repeat(1601), phone: "" },
    [NOBODY, "text: must have at most 1600 characters"],
  ],
  [
    "callbackData that is no JSON",
    { callbackData: "{", phone: null },
    ['callbackData: must be a string that parses as JSON, or ""', NOBODY],
  ],
  [
    "a purpose with a slash",
    { sendPurpose: "a/b", phone: "" },
    [NOBODY, 'sendPurpose: must be words of A-Z, a-z, 0-9, "-" and "_" with spaces between them only: it has "/"'],
  ],
  [
    "a long URL",
    { clickUrl: `https://a.example/${"x".repeat(2048)}`, phone: "" },
    ["clickUrl: must have at most 2048 characters", NOBODY],
  ],
  [
    "a bad address",
    { callbackData: "{", phone: "", email: "ada" },
    [
      'callbackData: must be a string that parses as JSON, or ""',
      "email: must be an e-mail address, such as ada@example.com",
    ],
  ],
  [
    "a text that its link makes too long",
    { text: "x".repeat(1590), clickUrl: "https://a.example/", sendPurpose: "" },
    [
      'sendPurpose: must be words of A-Z, a-z, 0-9, "-" and "_" with spaces between them only',
      "text: must have at most 1600 characters with its link: shorten it by 21",
    ],
  ],
];

describe("a send request", () => {
  it("with two faults is told both, and stores nothing", async () => {
    for (const [what, fields, faults] of CASES) {
      const told = await faultsOf(await world.post("/text/message/send", client, { ...GOOD, ...fields }));
      expect([what, told]).toEqual([what, faults]);
    }
    expect(await world.rows("SELECT * FROM messages")).toEqual([]);
  });

  it("in bulk with two faults is told both, and the others are stored", async () => {
    const messages = [GOOD, ...CASES.map(([, fields]) => ({ ...GOOD, ...fields }))];
    const answer = await world.post("/text/bulk/message/send", client, { messages });
    const { successSent, failedSent } = (await answer.json()) as {
      successSent: { index: number }[];
      failedSent: { index: number; errorMessage: string }[];
    };
    expect(successSent.map(({ index }) => index)).toEqual([0]);
    expect(failedSent.map(({ index, errorMessage }) => [index, errorMessage.split("; ").sort()])).toEqual(
      CASES.map(([, , faults], index) => [index + 1, faults]),
    );
    expect(await world.rows("SELECT text FROM messages")).toEqual([{ text: "hi" }]);
  });

  it("is told a bad Idempotency-Key beside what is wrong with its body", async () => {
    const headers = { "idempotency-key": "x".repeat(256) };
    const fault = "Idempotency-Key: must have 1 to 255 visible characters";
    expect(await faultsOf(await world.post("/text/message/send", client, GOOD, headers))).toEqual([fault]);
    const answer = await world.post("/text/message/send", client, { ...GOOD, text: "", phone: "" }, headers);
    expect(await faultsOf(answer)).toEqual([
      fault,
      NOBODY,
      "text: must not be empty, or only white space and invisible characters",
    ]);
  });
});

describe("a subscribe", () => {
  it("without a list and without a purpose is told both", async () => {
    for (const lists of [{}, { phone_numbers: [] }, { phone_numbers: "", csv_file: null }]) {
      expect(await faultsOf(await world.post("/text/subscribe", client, lists))).toEqual([
        "phone_numbers: either phone_numbers (a flat array of strings) or csv_file must be given",
        "sendPurpose: is required",
      ]);
    }
    expect(await world.rows("SELECT count(*) AS n FROM subscriptions")).toEqual([{ n: 1 }]);
  });
});

describe("a question of the operator", () => {
  it.each<[string, string[]]>([
    ["/websites/brand/report?by=color&format=pdf&from=today&to=x", ["by", "format", "from", "to"]],
    ["/websites/brand/report?by=color&from=2026-11-21&to=2026-11-20", ["by", "from"]],
    ["/report?by=color&from=2020-01-01&to=2026-11-20", ["by", "from"]],
    ["/report?by=color&from=x&timeZone=%2B01:00", ["by", "from", "timeZone"]],
    ["/websites/brand/report?timeZone=UTC&timeZone=UTC", ["timeZone"]],
    ["/messages?status=LOST&reason=x&from=x&until=y", ["from", "reason", "status", "until"]],
    ["/messages?website=brand&phone=1&status=LOST", ["phone", "status"]],
    ["/audit?cursor=x&website=brand&client=y", ["client", "cursor"]],
    ["/messages?from=Nov%203&until=5", ["from", "until"]],
    ["/messages?from=2026-02-31&until=2026-11-20T25:00", ["from", "until"]],
    ["/messages?from=2026-11-20T10:00:00%2B99:00&until=banana%205", ["from", "until"]],
  ])("with several parameters that are wrong is told of each: %s", async (path, fields) => {
    const faults = await faultsOf(await world.operator("GET", path));
    expect(faults.map((fault) => fault.split(":")[0])).toEqual(fields);
  });
});

describe("a time of the operator", () => {
  it.each([
    ["2026-11-21", 0],
    ["2026-11-21T10:30", 10.5],
    ["2026-11-21 10:30:00", 10.5],
    ["2026-11-21t10:30:00.000z", 10.5],
    ["2026-11-21T10:30:00+02:00", 8.5],
    ["2026-11-21T10:30:00%2B02:00", 8.5],
    ["2026-11-21T10:30:00-05:00", 15.5],
  ])("may be %s", async (until, hour) => {
    const acceptedAt = Date.UTC(2026, 10, 21) + hour * 3_600_000;
    await world.send(client, { phone: ADA });
    for (const [at, found] of [
      [acceptedAt, 0],
      [acceptedAt - 1, 1],
    ] as const) {
      await world.rows("UPDATE messages SET accepted_at = ?1", at);
      const answer = await world.operator("GET", `/messages?website=brand&until=${until}`);
      const { messages } = (await answer.json()) as { messages: unknown[] };
      expect([at, messages.length]).toEqual([at, found]);
    }
  });
});

const ALL_NAMES = { phone: ADA, text: "hi", callbackData: "{}", sendPurpose: "a" };

describe("a field under a name that differs in case or separators", () => {
  const TAKEN = { send: "/text/message/send", status: "/text/subscription/status", website: "/operator/websites/new" };

  it.each<[keyof typeof TAKEN, object, string[]]>([
    [
      "send",
      { ...ALL_NAMES, callbackData: undefined, sendPurpose: undefined, callback_data: "{}", SendPurpose: "a" },
      [
        'callbackData: is required: write the name of "callback_data" as callbackData',
        'sendPurpose: is required: write the name of "SendPurpose" as sendPurpose',
      ],
    ],
    ["send", { ...ALL_NAMES, phone: undefined, Phone: ADA }, [`${NOBODY}: write the name of "Phone" as phone`]],
    ["send", { ...ALL_NAMES, phone: "", " E-Mail": "a@b.co" }, [`${NOBODY}: write the name of " E-Mail" as email`]],
    ["send", { ...ALL_NAMES, phone: undefined, mobile: ADA }, [`${NOBODY}: write the name of "mobile" as phone`]],
    ["send", { ...ALL_NAMES, phone: undefined, mail: "a@b.co" }, [`${NOBODY}: write the name of "mail" as email`]],
    ["send", { ...ALL_NAMES, phone: undefined, house: ADA }, [NOBODY]],
    ["send", { ...ALL_NAMES, text: undefined, texts: "hi" }, ['text: is required: write the name of "texts" as text']],
    [
      "send",
      { From: ADA, To: ADA, Body: "hi", callbackData: "{}", sendPurpose: "a" },
      [`${NOBODY}: write the name of "To" as phone`, 'text: is required: write the name of "Body" as text'],
    ],
    ["send", { ...ALL_NAMES, text: undefined, [`te${"-".repeat(50)}xt`]: "hi" }, ["text: is required"]],
    [
      "status",
      { phoneNumbers: [ADA] },
      [
        'phone_numbers: either phone_numbers (a flat array of strings) or csv_file must be given: write the name of "phoneNumbers" as phone_numbers',
      ],
    ],
    ["website", { Name: "New" }, ['name: is required: write the name of "Name" as name']],
  ])("is named in the error of a %s: %j", async (what, body, faults) => {
    const path = TAKEN[what];
    const answer =
      what === "website" ? await world.operator("PUT", "/websites/new", body) : await world.post(path, client, body);
    expect(await faultsOf(answer)).toEqual(faults);
  });
});

describe("a body that was meant for another call", () => {
  const NO_LIST = "has no field of this call: its fields are those of";

  it.each<[string, object, string[]]>([
    ["/text/message/send", { messages: [ALL_NAMES] }, [`body: ${NO_LIST} /text/bulk/message/send`]],
    ["/text/bulk/message/send", ALL_NAMES, [`body: ${NO_LIST} /text/message/send`]],
    ["/text/message/cancel", { phone_numbers: [ADA] }, [`body: ${NO_LIST} ${LISTS}`]],
    ["/text/unsubscribe", { messageId: "x" }, [`body: ${NO_LIST} /text/message/cancel`]],
    ["/text/message/cancel", { id: "x" }, [`${NO_ID}: write the name of "id" as messageId`]],
    [
      "/text/message/statuses",
      { messageId: "x" },
      ['messageIds: must be an array of 1 to 5,000 message ids: write the name of "messageId" as messageIds'],
    ],
    ["/text/message/cancel", { phone_numbers: [ADA], other: 1 }, [NO_ID]],
    ["/text/message/cancel", {}, [NO_ID]],
    ["/text/message/cancel", { messageId: "", phone_numbers: [ADA] }, [NO_ID]],
    ["/text/message/send", [ALL_NAMES], ["body: must be a JSON object"]],
    [
      "/text/bulk/message/send",
      [ALL_NAMES],
      ['messages: must be an array of 1 to 50000 send requests, in a JSON object: {"messages": […]}'],
    ],
  ])("to %s names it: %j", async (path, body, faults) => {
    expect(await faultsOf(await world.post(path, client, body))).toEqual(faults);
  });
});

describe("an id that no message has", () => {
  const ID = "5f0c5a9e-7d0d-4d6c-9c39-0f5f6c1e8a11";

  it.each([
    [ID, ""],
    [`${ID}_DELIVERED`, " This is an eventId: the messageId is the part before the underscore."],
    [`${ID}x`, ` A messageId is a UUID, such as ${ID}.`],
    ["<messageId>", ` A messageId is a UUID, such as ${ID}.`],
  ])("%s", async (id, hint) => {
    const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
    const answer = await world.fetch(`/text/message/status?messageId=${encodeURIComponent(id)}`, { headers });
    expect(await answer.json()).toMatchObject({ code: 40401, message: `There is no such message.${hint}` });
  });
});

describe("a new website", () => {
  it("is told a bad setting beside the name that it lacks", async () => {
    const answer = await world.operator("PUT", "/websites/new", { helpText: 5, duplicateWindowHours: 0 });
    expect(await faultsOf(answer)).toEqual([
      "duplicateWindowHours: must be at least 1",
      "helpText: must be a string",
      "name: is required",
    ]);
  });
});
