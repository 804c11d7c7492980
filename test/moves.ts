// Worlds in which websites move.
import { newId } from "../src/domain/databases/home.ts";
import { quietAfterMilliseconds } from "../src/domain/databases/move.ts";
import { workOnMove } from "../src/flows/databases/run-moves.ts";
import { MOVED_NAMES, MOVED_TABLES, type TableName } from "../src/store/databases/moved-tables.ts";
import { boundDatabase, rowsOf } from "./databases.ts";
import type { Random } from "./random.ts";
import { platform } from "./strict/platform.ts";
import type { World } from "./world.ts";

type Row = Record<string, unknown>;

/** Begins a move, as the operator's call does. Its job is left to finishMove. */
export async function beginMove(world: World, websiteId: string, target: string): Promise<void> {
  const answer = await world.operator("POST", `/websites/${websiteId}/move`, { database: target });
  if (answer.status !== 202) throw new Error(`move: ${answer.status} ${await answer.text()}`);
  dropMoveJobs(world);
}

function dropMoveJobs(world: World): void {
  world.jobs.splice(0, world.jobs.length, ...world.jobs.filter(({ body }) => body.kind !== "move"));
}

export async function stateOf(world: World, websiteId: string): Promise<unknown> {
  return (await world.rows("SELECT state FROM moves WHERE website_id = ?1", websiteId))[0]?.state;
}

/** One piece of a move. */
export const workOnPiece = (world: World, websiteId: string): Promise<void> => workOnJob(world, websiteId, 1);

/** One job of a move. KV's clock stands between jobs that are seconds apart. */
async function workOnJob(world: World, websiteId: string, mostPieces?: number): Promise<void> {
  platform.keyWrites.clear();
  await world.invoke("queue", () => workOnMove(world.deps, websiteId, mostPieces));
  dropMoveJobs(world);
}

/** Works on the move alone, until it is at rest in whole jobs, or piece by piece until `until` holds. While it waits, the clock goes on. */
export async function finishMove(world: World, websiteId: string, until: (state: unknown) => boolean = isAtRest) {
  for (let piece = 0; piece < 500; piece++) {
    const [move] = await world.rows(
      "SELECT state, ended_at, progress ->> 'pausedAt' AS paused_at FROM moves WHERE website_id = ?1",
      websiteId,
    );
    if (until === isAtRest ? move?.ended_at !== null : until(move?.state)) return;
    if (typeof move?.paused_at === "number" && world.now < move.paused_at + quietAfterMilliseconds()) world.advance(20);
    await workOnJob(world, websiteId, until === isAtRest ? undefined : 1);
  }
  throw new Error(`the move does not end: ${JSON.stringify(await world.rows("SELECT * FROM moves"))}`);
}

const isAtRest = () => false;

/** A day later, the sweep and its jobs delete what the move has left behind, and forget it. */
export async function clearMove(world: World, websiteId: string): Promise<void> {
  for (let round = 0; round < 200; round++) {
    world.advance(round === 0 ? 24 * 3600 + 1 : 60);
    platform.keyWrites.clear();
    await world.sweep();
    await workOnPiece(world, websiteId);
    if ((await stateOf(world, websiteId)) === undefined) return;
  }
  throw new Error("what the move has left behind is not cleared");
}

/** The rows of a website, as one database has them, without what a move changes. */
export async function rowsOfWebsite(database: string, websiteId: string, home: number) {
  const part = `'7${home.toString(16).padStart(5, "0")}'`;
  const clients = (await rowsOf(database, `SELECT client_id FROM clients WHERE website_id = '${websiteId}'`)).map(
    ({ client_id }) => `'${client_id}'`,
  );
  const statements = MOVED_NAMES.map((name) => {
    const { by, key } = MOVED_TABLES[name];
    const where =
      by === "website_id"
        ? `website_id = '${websiteId}'`
        : by === "client_id"
          ? `client_id IN (${clients})`
          : `substr(${by}, 15, 4) || substr(${by}, 21, 2) = ${part}`;
    return `SELECT * FROM ${name} WHERE ${where} ORDER BY ${key}`;
  });
  const db = boundDatabase(database);
  const results = await db.batch<Row>(statements.map((sql) => db.prepare(sql)));
  return new Map<TableName, Row[]>(MOVED_NAMES.map((name, index) => [name, results[index]?.results ?? []]));
}

const STATUSES = ["DELIVERED", "SENDING", "PENDING_TO_SEND", "FAILED_TO_SEND"];

interface Filled {
  websiteId: string;
  home: number;
  clientId: string;
}

/** Rows of a website in every table that moves, `count` of each. Nothing in them is due. @param random what else they have */
export async function fillTables(
  database: string,
  website: Filled,
  now: number,
  count = 3,
  random?: Random,
): Promise<void> {
  const db = boundDatabase(database);
  const ids = Array.from({ length: count }, (_, index) => newId(website.home, now - index, crypto.randomUUID()));
  const names = MOVED_NAMES.filter((name) => name !== "websites" && name !== "moved_feeds");
  const columnsOf = await db.batch<Column>(names.map((name) => db.prepare(`PRAGMA table_info(${name})`)));
  const inserts = names.flatMap((name, place) => {
    const isNumbered = name === "subscription_changes" || name === "events";
    const columns = (columnsOf[place]?.results ?? []).slice(isNumbered ? 1 : 0);
    const list = columns.map((column) => `"${column.name}"`);
    return ids.map((id, index) =>
      db
        .prepare(`INSERT INTO ${name} (${list}) VALUES (${list.map(() => "?")})`)
        .bind(...columns.map((column) => columnOf(name, column, index, id, website, now, random))),
    );
  });
  await db.batch(inserts);
}

interface Column {
  name: string;
  type: string;
  notnull: number;
}

function columnOf(
  name: TableName,
  column: Column,
  index: number,
  id: string,
  { websiteId, clientId }: Filled,
  now: number,
  random?: Random,
): unknown {
  const later = now + 3_600_000 * (index + 20);
  const status = STATUSES[index % STATUSES.length];
  // A pending message, or a callback without an outcome.
  const isOpen = name === "messages" ? status === "PENDING_TO_SEND" : index % 2 === 1;
  const known: Record<string, unknown> = {
    website_id: websiteId,
    client_id: name === "clients" || name === "failing_endpoints" ? `${clientId}${index}` : clientId,
    message_id: id,
    first_id: id,
    event: status,
    status,
    phone: index % 3 === 2 && name === "events" ? null : 12_125_550_000 + index,
    code: `${websiteId}-code-${index}`,
    holds: null,
    outcome: isOpen ? null : "answered",
    claimed_at: null,
    claim: null,
    copied_at: now + 1_000_000,
    changed_at: name === "clients" ? now - 10 : now,
    due_at: isOpen ? later : null,
    updated_at: later,
    accepted_at: now - index,
    expires_at: later,
    cancelled_at: later,
    occurred_at: now,
    stored_at: now,
    part: index,
    day: `2026-11-${10 + index}`,
    import_id: `${websiteId}-import-${index}`,
    carrier: "sandbox",
    received_at: now,
    applied: 1,
    change_id: index + 1,
    before_id: index % 2 ? index : null,
    after_id: index,
    last_id: index + 1,
    undone_to: index % 2 ? index : null,
    was_email: null,
    old_until: null,
  };
  if (column.name in known) return known[column.name];
  if (random) return randomValue(column, random);
  if (column.notnull === 0 && index % 2 === 1) return null;
  return column.type === "INTEGER" ? index : `${column.name} ${index} "é" \\ 😀\n'`;
}

function randomValue({ type, notnull }: Column, random: Random): unknown {
  if (notnull === 0 && random.next() < 0.3) return null;
  if (type === "INTEGER") return Math.floor(random.next() * 2 ** 53) * (random.next() < 0.2 ? -1 : 1);
  const code = () => Math.floor(random.next() * 0x3000) + 1;
  const text = String.fromCodePoint(...Array.from({ length: Math.floor(random.next() * 40) }, code));
  return random.next() < 0.5 ? text : `${text} ${random.next()} "\\' 😀`;
}
