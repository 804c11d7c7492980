/** What an operator looks at first, and what a look costs. */
import { beforeEach, describe, expect, it } from "vitest";
import { applyReceipts } from "../../src/flows/messages/apply-receipts.ts";
import { MOST_LOOKED_AT } from "../../src/store/operations/overview.ts";
import { countingDatabase } from "../counting-database.ts";
import { seed } from "../seed.ts";
import { ADA, BOB, begin, look, lookAsCounted, world } from "./overview-stage.ts";

beforeEach(begin);

const sum = <T>(rows: T[], read: (row: T) => number) => rows.reduce((total, row) => total + read(row), 0);

it("has an hour and a month of nothing on the first day", async () => {
  await world.website("brand", { carrier: "sandbox" });
  const { asOf, hasTexts, minutes, days, websites, needs } = await lookAsCounted();
  expect([asOf, hasTexts, minutes.length, days.length, needs.overdue]).toEqual([null, false, 60, 30, 0]);
  expect([minutes[0]?.at, minutes.at(-1)?.at]).toEqual(["2026-11-21T11:01:00.000Z", "2026-11-21T12:00:00.000Z"]);
  expect([days[0]?.day, days.at(-1)?.day]).toEqual(["2026-10-23", "2026-11-21"]);
  expect(websites).toMatchObject([{ websiteId: "brand", accepted: 0, today: { accepted: 0 } }]);
});

describe("texts", () => {
  it("are shown in the minute of their acceptance, whenever their receipts come", async () => {
    const client = await world.brand([ADA, BOB]);
    const first = await world.send(client, { phone: ADA });
    await world.send(client, { phone: BOB });
    await world.send(client, { phone: "+12125550199" });
    await world.deliver(
      "textgate-messages",
      world.jobs.splice(0).map(({ body }) => body),
    );
    world.advance(600);
    const receipt = { reason: null, carrierMessageId: null, optedOut: false } as const;
    await applyReceipts(world.deps, [{ ...receipt, messageId: first, status: "DELIVERED" }]);
    const { minutes, days, carriers, hasTexts } = await look();
    const then = minutes.find(({ at }) => at === "2026-11-21T12:00:00.000Z");
    expect(then).toMatchObject({ accepted: 3, sent: 2, notSubscribed: 1, waiting: 0 });
    expect((then?.delivered ?? 0) + (then?.noReceipt ?? 0)).toBe(2);
    expect(sum(minutes, ({ accepted }) => accepted)).toBe(3);
    expect([hasTexts, days.at(-1)?.accepted]).toEqual([true, 3]);
    expect(carriers).toMatchObject([{ carrier: "sandbox", sent: 2, state: "accepting" }]);
  });

  it("wait against the will after a minute, unless they are held", async () => {
    const client = await world.brand([ADA, BOB]);
    await world.send(client, { phone: ADA });
    await world.send(client, { phone: BOB, sendPurpose: "other" });
    expect((await look()).needs).toMatchObject({ overdue: 0, held: 0 });
    world.advance(120);
    expect((await look()).needs).toMatchObject({ overdue: 2, held: 0 });
    expect((await look()).websites).toMatchObject([{ waiting: 2, overdue: 2, waitsFor: "sandbox" }]);
    await world.operator("POST", "/websites/brand/hold", { sendPurpose: "other" });
    expect((await look()).needs).toMatchObject({ overdue: 1, held: 1 });
    await world.operator("POST", "/websites/brand/hold", {});
    expect((await look()).needs).toMatchObject({ overdue: 0, held: 2 });
    expect((await look()).websites).toMatchObject([{ waiting: 2, held: 2, overdue: 0, waitsFor: null }]);
  });

  it("that are held and were accepted just now are held, and make no other text overdue", async () => {
    const client = await world.brand([ADA, BOB]);
    await world.send(client, { phone: BOB, sendPurpose: "other" });
    world.advance(180);
    await world.operator("POST", "/websites/brand/hold", { sendPurpose: "spring-sale_01" });
    await world.send(client, { phone: ADA });
    const { needs, websites } = await look();
    expect(needs).toMatchObject({ overdue: 1, held: 1 });
    expect(websites).toMatchObject([{ waiting: 2, held: 1, overdue: 1 }]);
  });

  it("do not wait against the will until seven minutes before their own time", async () => {
    const client = await world.brand([ADA, BOB]);
    const due = world.now + 1800_000;
    await world.send(client, { phone: ADA, sendAt: new Date(due).toISOString() });
    await world.send(client, { phone: BOB });
    const waiting = async () => {
      const { needs, websites } = await look();
      return [needs.overdue, websites[0]?.overdue];
    };
    world.advance(120);
    expect(await waiting()).toEqual([1, 1]);
    await world.operator("POST", "/websites/brand/hold", {});
    expect(await waiting()).toEqual([0, 0]);
    expect((await look()).days.at(-1)).toMatchObject({ accepted: 2 });
  });

  it("of websites that are held as a whole do not wait against the will, however many there are", async () => {
    for (const websiteId of ["brand", "other"]) {
      const phones = Array.from({ length: 25 }, (_, index) => `+121255502${10 + index}`);
      const client = await world.brand(phones, websiteId);
      for (const phone of phones) await world.send(client, { phone });
      await world.operator("POST", `/websites/${websiteId}/hold`, {});
    }
    world.advance(120);
    const { websites, needs } = await look();
    expect(websites.map(({ held, overdue }) => [held, overdue])).toEqual([
      [25, 0],
      [25, 0],
    ]);
    expect(needs).toMatchObject({ overdue: 0, held: 50 });
  });

  /** Pending for two minutes: `held` of a purpose that is held, the oldest, and ten of another. */
  async function seedHeld(held: number): Promise<void> {
    await world.brand([]);
    await world.operator("POST", "/websites/brand/hold", { sendPurpose: "held" });
    const at = String(world.now);
    await seed(world, "messages", held + 10, {
      ...{ website_id: "'brand'", client_id: "'c'", text: "''", callback_data: "''", status: "'PENDING_TO_SEND'" },
      ...{ message_id: "printf('%06d', i)", send_purpose: `iif(i < ${held}, 'held', 'other')` },
      ...{ accepted_at: at, updated_at: at, due_at: at },
    });
    world.advance(120);
  }

  it("of a purpose that is held are told from the others, however many they are", async () => {
    await seedHeld(5000);
    const { websites, needs } = await look();
    expect(websites).toMatchObject([{ held: 5000, overdue: 10, waitsFor: "sandbox" }]);
    expect(needs).toMatchObject({ overdue: 10, held: 5000 });
  });

  it("are not counted where too many are pending to tell those that are held: no number is made up", async () => {
    await seedHeld(MOST_LOOKED_AT);
    const { websites, needs } = await look();
    expect(websites).toMatchObject([{ waiting: MOST_LOOKED_AT + 10, held: null, overdue: null, waitsFor: null }]);
    expect(needs).toMatchObject({ overdue: null, held: null });
  });

  it("of a purpose that is held are told from the others", async () => {
    const phones = Array.from({ length: 60 }, (_, index) => `+121255502${10 + index}`);
    const client = await world.brand(phones);
    for (const [index, phone] of phones.entries())
      await world.send(client, { phone, sendPurpose: index < 50 ? "held" : "other" });
    await world.operator("POST", "/websites/brand/hold", { sendPurpose: "held" });
    world.advance(120);
    const { websites, needs } = await look();
    expect(websites).toMatchObject([{ waiting: 60, held: 50, overdue: 10 }]);
    expect(needs.overdue).toBe(10);
  });

  it("are those of one website where one is asked for", async () => {
    const [one, other] = [await world.brand([ADA]), await world.brand([ADA], "other")];
    await world.send(one, { phone: ADA });
    for (let text = 0; text < 2; text++) await world.send(other, { phone: ADA, text: `text ${text}` });
    expect((await look("?website=other")).websites).toMatchObject([{ websiteId: "other", accepted: 2 }]);
    expect(sum((await look("?website=other")).minutes, ({ accepted }) => accepted)).toBe(2);
    expect((await look()).websites).toMatchObject([
      { websiteId: "other", accepted: 2 },
      { websiteId: "brand", accepted: 1 },
    ]);
    expect((await world.operator("GET", "/overview?website=nobody")).status).toBe(404);
  });
});

it("shows the problems of the last week with their begin, their end and their cause", async () => {
  const day = 86_400_000;
  const add = (problem: string, began: number, ended: number | null) =>
    world.rows(
      "INSERT INTO told_problems (problem, subject, began_at, told_at, ended_at, detail) VALUES (?1, 'twilio', ?2, ?2, ?3, ?4)",
      ...[problem, began, ended, JSON.stringify({ carrier: "twilio", cause: "401" })],
    );
  await add("carrier-credentials", world.now - 2 * day, world.now - day);
  await add("carrier-failing", world.now - 9 * day, world.now - 8 * day);
  await add("carrier-paused", world.now - 10 * day, null);
  const { lastProblems } = await look();
  expect(lastProblems).toMatchObject([
    {
      problem: "carrier-credentials",
      began: "2026-11-19T12:00:00.000Z",
      ended: "2026-11-20T12:00:00.000Z",
      cause: "401",
    },
    { problem: "carrier-paused", ended: null },
  ]);
});

it("has no problem that GET /operator/health has not, however many senders have receipts", async () => {
  const ofMinute = (minutesAgo: string) => ({
    ...{ span: "'minute'", subject: "''", at: `${Math.floor(world.now / 60_000)} - (${minutesAgo})` },
    ...{ first_at: `${world.now} - (${minutesAgo}) * 60000`, last_at: `${world.now} - (${minutesAgo}) * 60000` },
  });
  const outcome = { kind: "'outcome'", count: "1" };
  const receipts = (number: number, minutesAgo: string, sender: string, count: string, failure = "'', ''") =>
    seed(world, "counts", number, {
      ...ofMinute(minutesAgo),
      ...{ kind: "'receipt'", detail: `json_array('kannel', ${sender}, ${failure})`, count },
    });
  // All receipts of a quiet carrier have arrived.
  await receipts(5, "30 + i", "'+1213'", "1");
  await seed(world, "counts", 5, { ...ofMinute("30 + i"), ...outcome, detail: "'submission kannel accepted'" });
  // Most receipts of a busy sender have arrived in the hour.
  await receipts(1, "20", "'+1214'", "90");
  await receipts(1, "4", "'+1214'", "5", "'UNDELIVERED', '1'");
  await receipts(1200, "i % 6", "'+1212' || i", "1");
  await seed(world, "counts", 6, { ...ofMinute("i"), ...outcome, detail: "'receipt kannel came'" });
  const health = await (await world.operator("GET", "/health")).json();
  expect(health).toMatchObject({ problems: ["sweep-late"] });
  expect((await look()).problems).toMatchObject([{ problem: "sweep-late" }]);
});

/** Each with a text in each minute of the hour and on each day of the month, and an endpoint that fails. */
async function seedCrowd(websites: number): Promise<void> {
  const now = `${world.now}`;
  const named = {
    website_id: "'w' || i",
    name: "'Website ' || i",
    carrier: "'sandbox'",
    created_at: now,
    updated_at: now,
  };
  await seed(world, "websites", websites, {
    ...named,
    home: "i + 1",
    database: "'DB'",
    holds: `CASE WHEN i % 20 = 10 THEN '[{"sendPurpose": "sale"}]' WHEN i % 20 = 0 THEN '[{}]' END`,
  });
  const kinds = '\'["accepted", "notTaken", "noReceipt", "delivered", "undelivered"]\'';
  const minute = Math.floor(world.now / 60_000);
  const day = Math.floor(world.now / 86_400_000);
  for (const [subject, number] of [
    ["''", 1],
    ["'w' || (i / 300)", websites / 20],
  ] as const) {
    const count = { kind: `json_extract(${kinds}, '$[' || (i % 5) || ']')`, count: "iif(i % 5 = 0, 10, 1)", subject };
    const ofMinute = { span: "'minute'", at: `${minute} - i / 5 % 60`, detail: "iif(i % 5 = 0, '', 'sandbox')" };
    await seed(world, "counts", number * 300, { ...count, ...ofMinute });
  }
  for (const [subject, number] of [
    ["''", 1],
    ["'w' || (i / 150)", websites / 5],
  ] as const) {
    const count = {
      kind: `json_extract(${kinds}, '$[' || (i % 5) || ']')`,
      count: "iif(i % 5 = 0, 5 + i / 150, 1)",
      subject,
    };
    await seed(world, "counts", number * 150, { ...count, span: "'day'", at: `${day} - i / 5 % 30`, detail: "''" });
  }
  const text = { client_id: "'c'", text: "''", callback_data: "''", send_purpose: "'sale'", updated_at: now };
  const message = { website_id: `iif(i % 2, 'w10', 'w' || (i % ${websites}))`, accepted_at: now, ...text };
  await seed(world, "messages", 5000, { ...message, message_id: "'p' || i", status: "'PENDING_TO_SEND'" });
  await seed(world, "messages", 5000, { ...message, message_id: "'s' || i", status: "'SENDING'" });
  const ofMinute = { span: "'minute'", subject: "''", at: `${minute} - i % 60`, first_at: now, last_at: now };
  const detail = `json_array('twilio', '+1212' || (i % ${websites}), 'UNDELIVERED', i)`;
  await seed(world, "counts", 5000, { ...ofMinute, kind: "'receipt'", detail, count: "9" });
  await seed(world, "counts", 1000, { ...ofMinute, kind: "'outcome'", detail: "'callback  ' || i", count: "1" });
  await seed(world, "dead_jobs", 1000, { id: "i", queue: "'textgate-messages'", body: "'{}'", died_at: now });
  await seed(world, "events", 1000, { message_id: "'p' || i", event: "'X'", occurred_at: now, due_at: now });
}

it("reads at most 6,000 rows and writes none, however many websites have texts and whatever waits", async () => {
  await seedCrowd(1000);
  const { deps } = world;
  const { db, take } = countingDatabase(deps.db);
  world.deps = { ...deps, db };
  const all = await lookAsCounted();
  const ofAll = take();
  const one = await lookAsCounted("?website=w7");
  const ofOne = take();
  expect([all.isCut, all.websites.length, one.isCut, one.websites.length]).toEqual([true, 5, false, 1]);
  expect(sum(all.minutes, ({ accepted }) => accepted)).toBe(600);
  expect([ofAll.rowsWritten, ofOne.rowsWritten]).toEqual([0, 0]);
  const [held] = await world.rows(
    `SELECT count(*) AS count FROM messages JOIN websites USING (website_id)
     WHERE status = 'PENDING_TO_SEND' AND holds LIKE '%sendPurpose%'`,
  );
  expect(ofAll.rowsRead).toBeLessThanOrEqual(6000 + Number(held?.count));
  expect(ofOne.rowsRead).toBeLessThanOrEqual(6000);
  expect(all.problems.map(({ problem }) => problem)).toContain("dead-jobs");
});
