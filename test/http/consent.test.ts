/** Proof of consent, from a call or a file to the ledger, and out of it again. */

import { beforeEach, describe, expect, it } from "vitest";
import type { PeopleAnswers } from "../../src/operator/answers/people.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BEN = "+12125550101";
const FORM = "Form at https://brand.example.com/join";
const AGREED = "2026-01-02T03:04:05-05:00";
const AT = Date.parse("2026-01-02T08:04:05Z");
const PROOF = { consented_at: AT, evidence: FORM };
const NONE = { consented_at: null, evidence: null };

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([]);
});

const subscribe = async (phones: string[], fields: object = {}) => {
  const body = { phone_numbers: phones, sendPurpose: "news", ...fields };
  const answer = await world.post("/text/subscribe", client, body);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

/** @param rows below `phone_numbers,subscribed,consented_at,evidence`; each says true unless it says something else */
const importRows = async (rows: string[], query = "") => {
  const lines = rows.map((row) => row.replace(/^([^,]+),,/, "$1,true,"));
  const csv = ["phone_numbers,subscribed,consented_at,evidence", ...lines].join("\n");
  const answer = await world.operator("POST", `/websites/brand/subscribers${query}`, csv, "text/csv");
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

const ledger = (phone = ADA) =>
  world.rows(
    `SELECT was_subscribed, subscribed, source, consented_at, evidence FROM subscription_changes
     WHERE phone = ?1 ORDER BY change_id`,
    Number(phone.slice(1)),
  );

const person = async (phone = ADA) =>
  (await (await world.operator("GET", `/websites/brand/people/${phone}`)).json()) as PeopleAnswers["Person"];

describe("a client's call", () => {
  it("keeps the proof with each number that it subscribes, and without one nothing", async () => {
    const csv_file = new TextEncoder().encode(`phone_numbers,email\n${BEN},ben@example.com\n`).toBase64();
    await subscribe([ADA], { csv_file, consentedAt: AGREED, evidence: FORM });
    await subscribe(["+12125550102"]);
    const api = { was_subscribed: null, subscribed: 1, source: "api" };
    expect(await ledger()).toEqual([{ ...api, ...PROOF }]);
    expect(await ledger(BEN)).toEqual([{ ...api, ...PROOF }]);
    expect(await ledger("+12125550102")).toEqual([{ ...api, ...NONE }]);
    const [change] = (await person()).changes;
    expect(change).toMatchObject({ consentedAt: "2026-01-02T08:04:05.000Z", evidence: FORM });
    const [bare] = (await person("+12125550102")).changes;
    expect(Object.keys(bare ?? {}).sort()).toEqual(
      ["addressChanged", "at", "changeId", "from", "proof", "source", "to"].sort(),
    );
  });

  it("adds a proof to a number that is subscribed already, once, and replaces none", async () => {
    await subscribe([ADA]);
    await subscribe([ADA], { evidence: FORM });
    await subscribe([ADA], { evidence: FORM });
    await subscribe([ADA]);
    await subscribe([ADA], { evidence: FORM, consentedAt: AGREED });
    await subscribe([ADA], { evidence: FORM });
    expect((await ledger()).map(({ consented_at, evidence }) => [consented_at, evidence])).toEqual([
      [null, null],
      [null, FORM],
      [AT, FORM],
    ]);
    expect((await person()).subscribed).toBe(true);
  });

  it("keeps none for a number whose owner has opted out", async () => {
    await subscribe([ADA]);
    await world.rows("UPDATE subscriptions SET subscribed = 0, opted_out_by_person = 1");
    const csv_file = new TextEncoder().encode(`phone_numbers,email\n${ADA},ada@example.com\n`).toBase64();
    const answer = await subscribe([], { phone_numbers: null, csv_file, consentedAt: AGREED, evidence: FORM });
    expect(answer.body).toMatchObject({ failedToProcessNumbers: [ADA] });
    expect((await ledger()).every(({ evidence }) => evidence === null)).toBe(true);
  });

  it("is refused with the field where a time is ahead of the clock, and stores nothing", async () => {
    const ahead = new Date(world.now + 301_000).toISOString();
    expect(await subscribe([ADA], { consentedAt: ahead })).toMatchObject({
      status: 400,
      body: { code: 40001, details: [{ field: "consentedAt" }] },
    });
    expect(await ledger()).toEqual([]);
  });
});

describe("an import", () => {
  it("keeps the proof of each row that subscribes, also of the longest ones", async () => {
    const long = "中".repeat(1000);
    const phones = Array.from({ length: 800 }, (_, index) => `+1212555${String(1000 + index)}`);
    const rows = phones.map((phone) => `${phone},,${AGREED},${long}`);
    const answer = await importRows([`${ADA},,${AGREED},"${FORM}"`, `${BEN},no,${AGREED},x`, ...rows]);
    expect(answer).toMatchObject({
      status: 200,
      body: { newSubscribed: 801, newOptedOut: 1, columns: { consentedAt: "consented_at", evidence: "evidence" } },
    });
    expect(await ledger()).toMatchObject([PROOF]);
    expect(await ledger(BEN)).toMatchObject([{ subscribed: 0, ...NONE }]);
    expect(await world.rows("SELECT count(*) AS n FROM subscription_changes WHERE evidence = ?1", long)).toEqual([
      { n: 800 },
    ]);
  });

  it("is refused with column and line of what is wrong", async () => {
    const { status, body } = await importRows([`${ADA},,${AGREED},`, `${BEN},,soon,${"x".repeat(1001)}`]);
    const form = "must be a date and a time with an offset or Z, such as 2026-11-27T09:00:00-05:00";
    expect([status, body.details]).toEqual([
      400,
      [
        { field: "consented_at", message: form, line: 3, value: "soon" },
        {
          ...{ field: "evidence", message: "must have at most 1000 characters, and has 1001" },
          ...{ line: 3, value: `${"x".repeat(63)}…` },
        },
      ],
    ]);
    expect(await ledger()).toEqual([]);
  });

  it("counts a number that only gets a proof as unchanged, dry or not, and once", async () => {
    await subscribe([ADA]);
    const row = `${ADA},,${AGREED},"${FORM}"`;
    for (const query of ["?dryRun=true", "", ""]) {
      expect((await importRows([row], query)).body).toMatchObject({ imported: 1, unchanged: 1 });
    }
    expect(await ledger()).toMatchObject([NONE, { was_subscribed: 1, subscribed: 1, source: "import", ...PROOF }]);
  });

  it("run dry counts the rows that subscribe a number without any proof", async () => {
    const rows = [
      `${ADA},,${AGREED},`,
      `${ADA},,,"${FORM}"`,
      `${ADA},,,`,
      `${BEN},yes, ,`,
      `${BEN},no,,`,
      "nope,yes,,",
    ];
    expect((await importRows(rows, "?dryRun=true")).body).toMatchObject({ rows: 6, withoutProof: 2 });
    expect((await importRows(rows)).body).not.toHaveProperty("withoutProof");
  });

  it("joined to an earlier request keeps its proofs", async () => {
    const { body } = await importRows([`${BEN},,,`]);
    await importRows([`${ADA},,${AGREED},"${FORM}"`], `?importId=${body.importId}`);
    expect(await ledger()).toMatchObject([PROOF]);
  });

  it("that added a proof takes nothing with it when it is undone, and a confirmation after it protects nothing", async () => {
    const first = await importRows([`${ADA},,,`]);
    const second = await importRows([`${ADA},,,"${FORM}"`]);
    await subscribe([ADA]);
    await world.operator("POST", `/imports/${second.body.importId}/undo`);
    expect((await person()).subscribed).toBe(true);
    expect((await ledger()).map(({ source }) => source)).toEqual(["import", "import"]);
    await world.operator("POST", `/imports/${first.body.importId}/undo`);
    expect(await world.rows("SELECT 1 FROM subscriptions")).toEqual([]);
  });
});

it("an export has the proof, and an erasure takes it away", async () => {
  await subscribe([ADA], { consentedAt: AGREED, evidence: FORM });
  const read = async () => (await world.operator("GET", `/people/${ADA}/export`)).text();
  expect(await read()).toContain(JSON.stringify(FORM));
  await world.operator("DELETE", `/websites/brand/people/${ADA}`);
  expect(await world.rows("SELECT * FROM subscription_changes")).toEqual([]);
});
