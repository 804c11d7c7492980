// The move of a website to another database, in pieces. A piece may be cut off anywhere, and two may run at once: what is stored in
// the target is stored in its turn.
import type { Deps } from "../deps.ts";
import { homeOf } from "../domain/home.ts";
import type { Move, MoveStep } from "../domain/move.ts";
import { readNumbers, reserveNumbers, shiftNumbers } from "../platform/store/move-numbers.ts";
import {
  countRows,
  deleteRows,
  findDifferences,
  type Key,
  keysOf,
  nameKey,
  PAGE_ROWS,
  type Rows,
  readPage,
  readRows,
  toTarget,
  toTargetKey,
  toTargetPlace,
  writeRows,
} from "../platform/store/move-rows.ts";
import { MOVED_TABLES, PAGED, type TableName } from "../platform/store/moved-tables.ts";
import { setStep } from "../platform/store/moves.ts";
import { STATE } from "../platform/store/moving.ts";
import {
  beginArrival,
  beginLog,
  endLog,
  type Logged,
  PASS,
  type Presence,
  type Progress,
  readLog,
  readPresence,
  takeTurn,
  trimLog,
} from "../platform/store/presence.ts";
import { clearPage, dropUnused } from "./clear-move.ts";
import { inDatabase, inFirst } from "./places.ts";

/** Rows of the log that are replayed at once. */
const LOG_ROWS = 1000;

/** Rows that are copied at once, with what follows them: the target writes for no one else meanwhile. */
const COPIED_ROWS = 250;

/** So many of the latest rows of the log are kept: they are compared once the fence is up. */
export const COMPARED_ROWS = 2000;

/** A move, and the databases between which it is. */
export interface MoveWork {
  /** In the first database. */
  deps: Deps;
  move: Move;
  source: D1Database;
  target: D1Database;
}

export type Arrival = Presence & { progress: Progress };

export function beginWork(deps: Deps, move: Move): MoveWork {
  const [source, target] = [inDatabase(deps, move.source).db, inDatabase(deps, move.target).db];
  return { deps: inFirst(deps), move, source, target };
}

export const goOn = ({ deps, move }: MoveWork, step: MoveStep, error: string | null = null): Promise<void> =>
  setStep(deps.db, move, step, deps.now(), error);

async function take(
  work: MoveWork,
  arrival: Presence,
  statements: D1PreparedStatement[],
  progress: Progress,
): Promise<Arrival> {
  await takeTurn(work.target, work.move.home, arrival.turn, statements, progress);
  return { state: STATE.arriving, turn: arrival.turn + 1, progress };
}

/** Clears what an earlier move has left in the target, finds room for its numbers, and begins the log. */
export async function prepareMove(work: MoveWork): Promise<void> {
  const { deps, move, source, target } = work;
  const arrival = await readPresence(target, move.home);
  if (!arrival) return beginArrival(target, move);
  if (arrival.progress?.run === move.startedAt) {
    await beginLog(source, move);
    return goOn(work, "copy");
  }
  if (!(await clearPage(target, move, arrival))) return;
  const numbers = [await readNumbers(source, move.websiteId), await readNumbers(target, move.websiteId)] as const;
  const total = await countRows(source, move.websiteId);
  const room = shiftNumbers(...numbers);
  const progress: Progress = { run: move.startedAt, ...room, pass: PASS.copy, at: null, rows: [0, 0], total, log: 0 };
  await take(work, arrival, reserveNumbers(target, progress.shifts, deps.now()), progress);
}

export async function readArrival({ target, move }: MoveWork): Promise<Arrival> {
  const arrival = await readPresence(target, move.home);
  if (arrival?.progress?.run !== move.startedAt) throw new Error("the target has lost what had arrived");
  return arrival as Arrival;
}

/** The next page of a pass through the tables, after some of what has changed since. */
export async function passOn(work: MoveWork): Promise<void> {
  const { move, source, target } = work;
  const begun = await readArrival(work);
  const { pass } = begun.progress;
  if (pass === PASS.done) return goOn(work, "switch");
  if (pass === PASS.check && move.step === "copy") return goOn(work, "check");
  // Rows refer to that of the website, which is on the first page.
  const isFirst = pass === PASS.copy && begun.progress.at === null;
  const { arrival, count } = isFirst ? { arrival: begun, count: 0 } : await catchUp(work, begun, LOG_ROWS - 1);
  if (count === LOG_ROWS && pass === PASS.check) return;
  const { at, shifts, rows: seen } = arrival.progress;
  const { name, after } = at ?? { name: PAGED[0] as TableName, after: null };
  const most = pass === PASS.copy ? COPIED_ROWS : PAGE_ROWS;
  const { rows: found, end } = await readPage(source, name, move, { after, most });
  const rows = toTarget(found, shifts, move.target);
  const fault =
    pass === PASS.copy ? faultOf(rows, move) : await differenceOf(work, arrival, { name, after, end, rows });
  if (fault) return failMove(work, fault);
  const next = end ? name : PAGED[PAGED.indexOf(name) + 1];
  await take(work, arrival, pass === PASS.copy ? writeRows(target, rows) : [], {
    ...arrival.progress,
    pass: next ? pass : pass + 1,
    at: next ? { name: next, after: end } : null,
    rows: seen.with(pass, (seen[pass] ?? 0) + (found[name]?.length ?? 0)),
  });
}

const faultOf = ({ messages = [] }: Rows, { home }: Move) =>
  messages.some((row) => homeOf(String(row.message_id)) !== home)
    ? "messages: some have ids of before the website had its home"
    : null;

interface Page {
  name: TableName;
  after: Key | null;
  end: Key | null;
  rows: Rows;
}

/** What the target has otherwise, and not because it has changed since. */
async function differenceOf(
  work: MoveWork,
  arrival: Arrival,
  { name, after, end, rows }: Page,
): Promise<string | null> {
  const { source, target, move } = work;
  const { shifts, log } = arrival.progress;
  const place = (key: Key | null) => toTargetPlace(name, key, shifts);
  const found = await readPage(target, name, move, { after: place(after), until: place(end), most: 2 * LOG_ROWS });
  const differences = findDifferences(rows, found.rows);
  if (differences.length === 0) return null;
  const logged = await readLog(source, move.home, log, Number.MAX_SAFE_INTEGER);
  const excused = new Set(logged.map((entry) => nameKey(entry.name, inTarget(entry, shifts))));
  return describe(differences.filter((one) => !excused.has(nameKey(one.name, one.key))));
}

const inTarget = ({ name, key }: Pick<Logged, "name" | "key">, shifts: Progress["shifts"]) =>
  toTargetKey(name, MOVED_TABLES[name].key, key, shifts);

/** Without a key: it may be a phone number. */
function describe(differences: { name: TableName }[]): string | null {
  const counts = [...Map.groupBy(differences, ({ name }) => name)].map(([name, { length }]) => `${name}: ${length}`);
  return counts.length === 0 ? null : `rows that differ in the target: ${counts.join(", ")}`;
}

/** The rows that some entries of the log are about, as the target is to have them. */
async function readLogged({ source, move }: MoveWork, entries: Logged[], shifts: Progress["shifts"]) {
  const distinct = [...new Map(entries.map((entry) => [nameKey(entry.name, entry.key), entry])).values()];
  const byName = Map.groupBy(distinct, ({ name }) => name);
  const keys = new Map([...byName].map(([name, some]) => [name, some.map(({ key }) => key)]));
  const targetKeys = new Map([...byName].map(([name, some]) => [name, some.map((entry) => inTarget(entry, shifts))]));
  return { rows: toTarget(await readRows(source, keys), shifts, move.target), targetKeys };
}

/** Keys of rows that are not there any more. */
function withoutRows(keys: Map<TableName, Key[]>, rows: Rows): Map<TableName, Key[]> {
  const found = keysOf(rows);
  const missing = [...keys].map(([name, some]) => {
    const present = new Set(found.get(name)?.map((key) => JSON.stringify(key)));
    return [name, some.filter((key) => !present.has(JSON.stringify(key)))] as const;
  });
  return new Map(missing.filter(([, some]) => some.length > 0));
}

/** Copies or deletes what the next rows of the log name, as it is now. @returns how many there were */
async function replayLog(work: MoveWork, arrival: Arrival): Promise<{ arrival: Arrival; count: number }> {
  const { source, target, move } = work;
  const { shifts, log } = arrival.progress;
  const entries = await readLog(source, move.home, log, LOG_ROWS);
  const last = entries.at(-1);
  if (!last) return { arrival, count: 0 };
  const { rows, targetKeys } = await readLogged(work, entries, shifts);
  const statements = [...deleteRows(target, withoutRows(targetKeys, rows)), ...writeRows(target, rows)];
  const next = await take(work, arrival, statements, { ...arrival.progress, log: last.seq });
  if (entries.length === LOG_ROWS) await trimLog(source, move.home, last.seq - COMPARED_ROWS);
  return { arrival: next, count: entries.length };
}

/** Rounds without a pause: a website that sends all the time changes thousands of rows in a second. */
const MOST_ROUNDS = 20;

/** Replays until a round has no more rows than that. @returns the `count` of the last */
export async function catchUp(
  work: MoveWork,
  begun: Arrival,
  most: number,
): Promise<{ arrival: Arrival; count: number }> {
  let state = await replayLog(work, begun);
  for (let round = 1; state.count > most && round < MOST_ROUNDS; round++) state = await replayLog(work, state.arrival);
  return state;
}

/** Compares what the latest rows of the log name. */
export async function compareLogged(work: MoveWork, { progress }: Arrival): Promise<string | null> {
  const entries = await readLog(work.source, work.move.home, progress.log - COMPARED_ROWS, COMPARED_ROWS);
  const { rows, targetKeys } = await readLogged(work, entries, progress.shifts);
  return describe(findDifferences(rows, await readRows(work.target, targetKeys)));
}

/** The website stays where it is, as if nothing had been. */
export async function failMove(work: MoveWork, fault: string): Promise<void> {
  const { deps, move, source } = work;
  deps.log("error", "move.failed", { websiteId: move.websiteId, step: move.step, error: fault });
  await endLog(source, move.home);
  await goOn(work, "failed", fault);
  await dropUnused(source);
}
