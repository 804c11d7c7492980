// Worlds in which websites move.
import { vi } from "vitest";
import { newId } from "../src/domain/home.ts";
import { inDatabaseOf } from "../src/flows/places.ts";
import { startMove } from "../src/flows/start-move.ts";
import { MOVED_NAMES, MOVED_TABLES, type TableName } from "../src/platform/store/moved-tables.ts";
import { findWebsite } from "../src/platform/store/websites.ts";
import { boundDatabase, rowsOf } from "./databases.ts";
import { platform } from "./strict/platform.ts";
import type { World } from "./world.ts";

type Row = Record<string, unknown>;

/** Begins a move, as the operator's call does. */
export async function beginMove(world: World, websiteId: string, target: string): Promise<void> {
  await world.invoke("fetch", async () => {
    const own = await inDatabaseOf(world.deps, { websiteId });
    const website = await findWebsite(own.db, websiteId);
    if (!website) throw new Error(`no ${websiteId}`);
    await startMove(own, { operator: "test", requestId: crypto.randomUUID() }, website, target);
  });
}

export async function stepOf(world: World, websiteId: string): Promise<unknown> {
  return (await world.rows("SELECT step FROM moves WHERE website_id = ?1", websiteId))[0]?.step;
}

/** Runs the jobs of the move alone, until it needs none. */
export async function finishMove(world: World, websiteId: string, until: (step: unknown) => boolean = isAtRest) {
  const { deps } = world;
  // A job that is to stop before it has to rest has time for one piece.
  if (until !== isAtRest) world.deps = { ...deps, now: () => (world.now += 1100) };
  // Its pauses are as long as what the clock says that it has worked.
  const pauses = vi.mocked(scheduler.wait);
  const before = pauses.getMockImplementation();
  pauses.mockImplementation(async () => {});
  try {
    await workOn(world, websiteId, until);
  } finally {
    world.deps = deps;
    if (before) pauses.mockImplementation(before);
  }
}

async function workOn(world: World, websiteId: string, until: (step: unknown) => boolean): Promise<void> {
  for (let round = 0; round < 200; round++) {
    if (until(await stepOf(world, websiteId))) return;
    const own = world.jobs.filter(({ body }) => body.kind === "move");
    for (const job of own) world.jobs.splice(world.jobs.indexOf(job), 1);
    if (own.length === 0) {
      world.advance(60);
      await world.sweep();
    }
    // The clock stands between jobs that are minutes apart.
    platform.keyWrites.clear();
    for (const { body } of own) await world.deliver("textgate-messages", [body]);
  }
  throw new Error(`the move does not end: ${JSON.stringify(await world.rows("SELECT * FROM moves"))}`);
}

const isAtRest = (step: unknown) => step === undefined || step === "kept" || step === "failed";

/** The rows of a website, as one database has them, without what a move changes. */
export async function rowsOfWebsite(database: string, websiteId: string, home: number) {
  const part = `'7${home.toString(16).padStart(5, "0")}'`;
  const clients = (await rowsOf(database, `SELECT client_id FROM clients WHERE website_id = '${websiteId}'`)).map(
    ({ client_id }) => `'${client_id}'`,
  );
  const found = new Map<TableName, Row[]>();
  for (const name of MOVED_NAMES) {
    const { by, key } = MOVED_TABLES[name];
    const where =
      by === "website_id"
        ? `website_id = '${websiteId}'`
        : by === "client_id"
          ? `client_id IN (${clients})`
          : `substr(${by}, 15, 4) || substr(${by}, 21, 2) = ${part}`;
    found.set(name, await rowsOf(database, `SELECT * FROM ${name} WHERE ${where} ORDER BY ${key}`));
  }
  return found;
}

const STATUSES = ["DELIVERED", "SENDING", "PENDING_TO_SEND", "FAILED_TO_SEND"];

interface Filled {
  websiteId: string;
  home: number;
  clientId: string;
}

/** Rows of a website in every table that moves, `count` of each. Nothing in them is due. */
export async function fillTables(database: string, website: Filled, now: number, count = 3): Promise<void> {
  const db = boundDatabase(database);
  const ids = Array.from({ length: count }, (_, index) => newId(website.home, now - index, crypto.randomUUID()));
  for (const name of MOVED_NAMES) {
    if (name === "websites" || name === "moved_feeds") continue;
    const { results: columns } = await db
      .prepare(`PRAGMA table_info(${name})`)
      .all<{ name: string; type: string; notnull: number }>();
    for (const [index, id] of ids.entries()) {
      const values = columns.map((column) => columnOf(name, column, index, id, website, now));
      const list = columns.map((column) => `"${column.name}"`);
      const isNumbered = name === "subscription_changes" || name === "events";
      const kept = list.map((_, place) => place).filter((place) => !(isNumbered && place === 0));
      await db
        .prepare(`INSERT INTO ${name} (${kept.map((place) => list[place])}) VALUES (${kept.map(() => "?")})`)
        .bind(...kept.map((place) => values[place]))
        .run();
    }
  }
}

function columnOf(
  name: TableName,
  column: { name: string; type: string; notnull: number },
  index: number,
  id: string,
  { websiteId, clientId }: Filled,
  now: number,
): unknown {
  const later = now + 3_600_000 * (index + 20);
  const known: Record<string, unknown> = {
    website_id: websiteId,
    client_id: name === "clients" || name === "failing_endpoints" ? `${clientId}${index}` : clientId,
    message_id: id,
    first_id: id,
    notice_id: `${id}-${index}`,
    event: STATUSES[index % STATUSES.length],
    status: STATUSES[index % STATUSES.length],
    phone: index % 3 === 2 && name === "events" ? null : 12_125_550_000 + index,
    code: `${websiteId}-code-${index}`,
    event_ids: JSON.stringify([`${id}_${STATUSES[index % STATUSES.length]}`]),
    operations: "[]",
    holds: null,
    events: null,
    outcome: "answered",
    claimed_at: null,
    claim: null,
    copied_at: now + 1_000_000,
    changed_at: name === "clients" ? now - 10 : now,
    due_at: later,
    updated_at: later,
    accepted_at: now - index,
    expires_at: later,
    cancelled_at: later,
    occurred_at: now,
    stored_at: now,
    callback_due: 0,
    part: index,
    day: `2026-11-${10 + index}`,
    import_id: `${websiteId}-import-${index}`,
    carrier: "sandbox",
    received_at: now,
    applied: 1,
    change_id: index + 1,
    after_id: index,
    last_id: index + 1,
    undone_to: index % 2 ? index : null,
    was_email: null,
    old_until: null,
    callback_url: null,
  };
  if (column.name in known) return known[column.name];
  if (column.notnull === 0 && index % 2 === 1) return null;
  return column.type === "INTEGER" ? index : `${column.name} ${index} "é" \\ 😀\n'`;
}
