/** The database goes back to an earlier time (D1's Time Travel), and scripts/restore makes that safe. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import after from "../../scripts/restore/after.sql?raw";
import before from "../../scripts/restore/before.sql?raw";
import { receiveInbound } from "../../src/flows/receive-inbound.ts";
import { sandbox } from "../../src/platform/carriers/sandbox.ts";
import { type OldRows, writeRows } from "../platform/migrations/old-rows.ts";
import { readSchema, type Schema } from "../platform/migrations/schema.ts";
import { type TestClient, World } from "../world.ts";

const [ADA, BOB, CYD, DAN] = ["+12125550100", "+12125550101", "+12125550102", "+12125550103"] as const;
const OURS = "+12125550000";

let world: World;
let client: TestClient;
/** Ids, each as often as it was submitted or posted. */
let submitted: string[];
let posted: string[];

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, BOB, CYD, DAN]);
  await world.website("brand", { sender: OURS });
  [submitted, posted] = [[], []];
  const submit: typeof sandbox.submit = async (message) => {
    submitted.push(message.messageId);
    return sandbox.submit(message);
  };
  world.deps = { ...world.deps, carriers: { ready: { sandbox: { ...sandbox, submit } }, missing: {} } };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    posted.push(JSON.parse(String(init?.body)).eventId);
    return new Response("thanks");
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The scripts take the time from the database's own clock. */
const atTestTime = (sql: string, restoredTo: string) =>
  sql.replaceAll("unixepoch()", String(world.now / 1000)).replaceAll("RESTORED_TO", restoredTo);

async function run(sql: string): Promise<void> {
  const statements = sql.split(/;\s*(?:\n|$)/).filter((statement) => /^\s*[A-Z]/m.test(statement));
  for (const statement of statements.flatMap((lines) => lines.split(/; (?=INSERT)/))) await world.rows(statement);
}

async function readAll(schema: Schema): Promise<OldRows> {
  // Clients refer to their websites.
  const tables = ["websites", ...schema.keys()];
  const entries = tables.map(async (table) => [table, await world.rows(`SELECT * FROM ${table}`)]);
  return Object.fromEntries(await Promise.all(entries)) as OldRows;
}

async function travelTo(schema: Schema, rows: OldRows): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("PRAGMA defer_foreign_keys = true"),
    ...[...schema.keys()].reverse().map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  ]);
  await writeRows(env.DB, schema, rows);
}

async function stop(from: string): Promise<void> {
  const about = { to: [OURS], text: "STOP", keyword: null, answeredByCarrier: false };
  await receiveInbound(world.deps, "sandbox", { ...about, from, carrierMessageId: `in-${from}` });
}

it.each([
  ["at once", 1],
  // A sweep takes the deadlines of what waited for passed, before the script is run.
  ["hours later", 5 * 3600],
])("sends and posts nothing again, and keeps opt-outs and tombstones: %s", async (_, seconds) => {
  await world.sweep();
  const delivered = await world.send(client, { phone: DAN });
  await world.deliver("textgate-messages", [world.jobs.pop()?.body]);
  const waiting = [await world.send(client, { phone: ADA }), await world.send(client, { phone: BOB })];
  const schema = await readSchema(env.DB);
  const earlier = await readAll(schema);
  const restoredTo = new Date(world.now).toISOString();

  world.advance(60);
  await world.runQueues();
  await stop(BOB);
  await world.operator("DELETE", `/websites/brand/people/${CYD}`);
  const lost = await world.send(client, { phone: ADA });
  await world.runQueues();
  const [submittedBefore, postedBefore] = [[...submitted], [...posted]];
  expect(submittedBefore).toEqual(expect.arrayContaining([delivered, ...waiting, lost]));

  const kept = await world.rows(atTestTime(before, restoredTo));
  await travelTo(schema, earlier);
  world.advance(seconds);
  await world.sweep();
  const next = await world.send(client, { phone: ADA });
  await run(kept.map(({ sql }) => String(sql)).join("\n"));
  await run(atTestTime(after, restoredTo));
  for (let minute = 0; minute < 5; minute++) {
    await world.runQueues();
    world.advance(60);
    await world.sweep();
  }

  expect(submitted).toEqual([...submittedBefore, next]);
  expect(posted.filter((eventId) => postedBefore.includes(eventId))).toEqual(postedBefore);
  expect(new Set(posted).size).toBe(posted.length);
  for (const messageId of waiting) expect(await world.statusOf(messageId)).toBe("SENDING");
  expect(await world.statusOf(lost)).toBeUndefined();
  const again = { phone_numbers: [BOB, CYD], sendPurpose: "again" };
  const answer = await world.post("/text/subscribe", client, again);
  const { failedToProcessNumbers } = (await answer.json()) as { failedToProcessNumbers: string[] };
  expect(failedToProcessNumbers.sort()).toEqual([BOB, CYD]);
  const person = (await (await world.operator("GET", `/websites/brand/people/${BOB}`)).json()) as {
    changes: { to: boolean; proof: string }[];
  };
  expect(person.changes.at(-1)).toMatchObject({ to: false, proof: "STOP" });
  const report = await world.operator("GET", "/websites/brand/report");
  expect(await report.json()).toMatchObject({ total: { accepted: 4, sent: 4 } });
});
