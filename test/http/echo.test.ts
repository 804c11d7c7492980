/** What is given back of what cannot be taken has no more than a number or an address may have; an address has 320 characters at most. */
import { beforeEach, describe, expect, it } from "vitest";
import { failingDatabase } from "../failing-database.ts";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const CUT = `${"9".repeat(63)}…`;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand();
});

const base64 = (text: string) => new TextEncoder().encode(text).toBase64();
const post = async (path: string, body: object) => {
  const answer = await world.post(path, client, body);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const emailOf = async (phone: string) =>
  (await world.rows("SELECT email FROM subscriptions WHERE phone = ?1", Number(phone.slice(1))))[0]?.email;

/** The longest that there is: 64 characters, the @, and a domain of 255. */
const LONG = `${"a".repeat(64)}@${`${"b".repeat(63)}.`.repeat(3)}${"c".repeat(59)}.com`;
const TOO_LONG = `a${LONG}`;
const HUGE = `${"a".repeat(2_500_000)}@example.com`;

describe("an e-mail address", () => {
  const rows = `phone_numbers,email\n${ADA},${LONG}\n${BOB},${TOO_LONG}\n+12125550102,${HUGE}`;
  const cut = [`${TOO_LONG.slice(0, 319)}…`, `${HUGE.slice(0, 319)}…`];

  it("has 320 characters at most as it is subscribed; of a longer one, the number is subscribed without it", async () => {
    const given = { csv_file: base64(rows), sendPurpose: "a" };
    const { status, body } = await post("/text/subscribe", given);
    expect([status, body.message]).toEqual([200, "3 numbers are subscribed."]);
    expect(new Set(body.invalidEmails as string[])).toEqual(new Set(cut));
    expect([await emailOf(ADA), await emailOf(BOB), await emailOf("+12125550102")]).toEqual([LONG, null, null]);
  });

  it("has 320 as it is imported", async () => {
    const answer = await world.operator("POST", "/websites/brand/subscribers?everyone=subscribed", rows, "text/csv");
    expect(answer.status).toBe(200);
    const { imported, invalidEmails } = (await answer.json()) as { imported: number; invalidEmails: string[] };
    expect([imported, new Set(invalidEmails)]).toEqual([3, new Set(cut)]);
    expect([await emailOf(ADA), await emailOf(BOB)]).toEqual([LONG, null]);
  });

  it("has 320 as it is sent to", async () => {
    // The document's format is stricter with domains: 253 characters.
    expect((await post("/text/message/send", { ...SEND, email: LONG.replace("cc", "") })).status).toBe(200);
    expect(await post("/text/message/send", { ...SEND, email: TOO_LONG })).toMatchObject({
      status: 400,
      body: { details: [{ field: "email" }] },
    });
  });
});

describe("what is given back", () => {
  const nines = "9".repeat(5000);

  it.each(["/text/subscription/status", "/text/unsubscribe", "/text/subscribe"])(
    "by %s of a number that is none is cut after what any number may have",
    async (path) => {
      const phone_numbers = [` ${"9".repeat(64)} `, nines, "1.2E+10", "9".repeat(65)];
      const { body } = await post(path, { phone_numbers, sendPurpose: "a" });
      expect(body.invalidPhoneNumbers).toEqual(["9".repeat(64), CUT, "1.2E+10"]);
    },
  );

  it("by an import is cut too", async () => {
    const csv = `phone_numbers\n${nines}\n${"8".repeat(64)}`;
    const answer = await world.operator("POST", "/websites/brand/subscribers?everyone=subscribed", csv, "text/csv");
    const { invalidPhoneNumbers, invalidCells } = (await answer.json()) as Record<string, { value: string }[]>;
    expect(invalidPhoneNumbers).toEqual([CUT, "8".repeat(64)]);
    expect(invalidCells?.map(({ value }) => value)).toEqual([CUT, "8".repeat(64)]);
  });

  it("of a message in bulk is cut, so that the answer stays small", async () => {
    const wrong = { ...SEND, phone: nines, email: HUGE.slice(-200_000) };
    const { status, body } = await post("/text/bulk/message/send", { messages: [wrong, { ...SEND, phone: "+1" }] });
    expect(status).toBe(200);
    expect(body.failedSent).toMatchObject([
      { index: 0, phone: CUT, email: `${"a".repeat(319)}…` },
      { index: 1, phone: "+1", email: null },
    ]);
  });

  it("breaks no pair of surrogates", async () => {
    const phone = `${"9".repeat(62)}💬💬`;
    const { body } = await post("/text/subscription/status", { phone_numbers: [phone] });
    expect(body.invalidPhoneNumbers).toEqual([`${"9".repeat(62)}…`]);
  });
});

it("a value that the store finds too big is a fault of ours, which no repetition helps: it is asked once", async () => {
  const { db } = world.deps;
  world.deps = {
    ...world.deps,
    db: failingDatabase(db, 1, "before", "D1_ERROR: string or blob too big: SQLITE_TOOBIG"),
  };
  expect((await world.operator("GET", "/websites")).status).toBe(500);
});
