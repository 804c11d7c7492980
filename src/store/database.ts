import { isStoreRefused, RequestFailure } from "../domain/failure.ts";
import {
  LONGEST_STORE_PAUSE_MILLISECONDS,
  SILENT_STORE_TRIES,
  STORE_TRIES,
  STORE_TRY_MILLISECONDS,
} from "../domain/messages/retry-policy.ts";
import { SilenceError, withinTime } from "../platform/time-limit.ts";
import { FENCE, fence } from "./fence.ts";
import type { Query } from "./sql.ts";

// What the messages of D1 mean: https://developers.cloudflare.com/d1/observability/debug-d1/#error-list

/** Errors in our own statements: a retry cannot help, and reporting them as an outage would mislead. */
const OWN_FAULT =
  /constraint failed|cannot store|no such (table|column|index)|syntax error|D1_TYPE_ERROR|datatype mismatch|too many SQL|too big|TOOBIG|malformed JSON|bad JSON path/i;

/** The row that names the work of a transaction, which is stored without ON CONFLICT. */
const NAMES_WORK = /UNIQUE constraint failed: (audit_log\.request_id|bulk_parts\.)/;

/** The work of a transaction is done: an earlier try of it has taken effect. This one has changed nothing. */
export class RowExistsError extends Error {}

/** D1 is overloaded, or this invocation may make no more calls. The call was refused and not run; a repetition adds to the load. */
const REFUSED = /D1 DB is overloaded|Too many (subrequests|API requests) by/i;

/** D1 was reset by what it ran. It may have run this call, and a repetition would be as heavy. */
const TOO_HEAVY = /exceeded (timeout|its memory limit|its CPU time limit)/i;

/**
 * Runs statements as one transaction, with retries, unless the error says that a retry cannot help. A failure does not tell whether the
 * transaction took effect, so every batch must be safe to run twice. A try that was given up takes no effect after the next one has: see
 * fence.ts. After the last one, it may take effect for TRY_LIFE_SECONDS.
 * @throws RequestFailure store-unavailable after the last try; isRefused when each try was refused
 */
export async function runBatch(db: D1Database, statements: D1PreparedStatement[]): Promise<D1Result<unknown>[]> {
  const call = crypto.randomUUID();
  const results = await untilItAnswers(
    (number) => db.batch<unknown>([...fence(db, { call, number }, STORE_TRY_MILLISECONDS), ...statements]),
    STORE_TRY_MILLISECONDS,
  );
  const bytes = results.at(-1)?.meta.size_after;
  if (bytes) sizes.set(db, { bytes, at: Date.now() });
  return results.slice(results.length - statements.length);
}

/** What the latest transaction of this isolate has told, which any write does. */
const sizes = new WeakMap<D1Database, { bytes: number; at: number }>();

/** null: not known yet. */
export const sizeOf = (db: D1Database): { bytes: number; at: number } | null => sizes.get(db) ?? null;

/** Statements that run one after the other, with one result; null: none. */
type Statements = D1PreparedStatement | D1PreparedStatement[] | null;

/** The type of their rows, where `sql` was given one. */
type RowOf<Some> = Some extends (infer One)[] ? RowOf<One> : Some extends Query<infer Row> ? Row : never;

export type Named = Record<string, Statements>;

/** The rows of statements, by name. */
export type Rows<Some extends Named> = { [Name in keyof Some]: RowOf<Some[Name]>[] };

/** Like runBatch, with results by name. */
export async function runNamedResults<Some extends Named>(
  db: D1Database,
  statements: Some,
): Promise<{ [Name in keyof Some]: { results: RowOf<Some[Name]>[]; changes: number } }> {
  const named = Object.entries(statements).map(([name, some]) => [name, [some ?? []].flat()] as const);
  const results = await runBatch(
    db,
    named.flatMap(([, some]) => some),
  );
  const entries = named.map(([name, some]) => {
    const own = results.splice(0, some.length);
    const changes = own.reduce((sum, { meta }) => sum + meta.changes, 0);
    return [name, { results: own.flatMap((result) => result.results), changes }];
  });
  return Object.fromEntries(entries);
}

/** Like runNamedResults, with the rows only. */
export async function runNamed<Some extends Named>(db: D1Database, statements: Some): Promise<Rows<Some>> {
  const results = await runNamedResults(db, statements);
  return Object.fromEntries(Object.entries(results).map(([name, { results: rows }]) => [name, rows])) as Rows<Some>;
}

/** Runs one statement that writes. @returns its rows */
export async function runWrite<T = unknown>(db: D1Database, statement: D1PreparedStatement): Promise<T[]> {
  const [result] = await runBatch(db, [statement]);
  return (result?.results ?? []) as T[];
}

/** Runs one statement that only reads; see runBatch for failures. @param tryMilliseconds timeout of one try */
export async function runQuery<T = unknown>(
  statement: D1PreparedStatement,
  tryMilliseconds = STORE_TRY_MILLISECONDS,
): Promise<T[]> {
  const { results } = await untilItAnswers(() => statement.all<T>(), tryMilliseconds);
  return results;
}

/** Runs a statement that is not safe to run twice. @throws the error of D1: the statement may have taken effect */
export async function runOnce(statement: D1PreparedStatement): Promise<void> {
  await withinTime(STORE_TRY_MILLISECONDS, statement.all());
}

/** The latest of migrations/ that this version needs. */
export const LATEST_MIGRATION = "0001_schema.sql";

/** The liveness check. Not retried. */
export async function probeDatabase(db: D1Database): Promise<void> {
  await selectLatest(db).all();
}

/** It fails where the latest migration is not applied. */
export function selectLatest(db: D1Database): D1PreparedStatement {
  return db.prepare("SELECT as_of FROM counted_ledgers");
}

/** @param error of probeDatabase */
export const failingStatus = (error: unknown): "unmigrated" | "away" =>
  /no such (table|column)/.test(String(error)) ? "unmigrated" : "away";

/** A row of any table. Each store maps the rows of its tables, which rows.ts describes. */
export type Row = Record<string, string | number | null>;

/** @param otherwise replaces malformed JSON: one bad row must not fail the whole page */
export function parseJsonColumn<T>(column: string | null | undefined, otherwise: T): T {
  try {
    return JSON.parse(String(column)) as T;
  } catch {
    return otherwise;
  }
}

/**
 * If a try fails that comes after a lost one, the lost one may have taken effect. So the failure is a refusal (`isRefused`), or a fault of
 * our own, only if no try before it was lost.
 * @param run gets the number of the try, from 1
 */
async function untilItAnswers<T>(run: (number: number) => Promise<T>, tryMilliseconds: number): Promise<T> {
  let silences = 0;
  let wasLost = false;
  for (let tries = 1; ; tries++) {
    try {
      return await withinTime(tryMilliseconds, run(tries));
    } catch (error) {
      if (NAMES_WORK.test(String(error))) throw new RowExistsError("done before", { cause: error });
      const verdict = judge(error);
      if (verdict === "own-fault" && !wasLost) throw error;
      if (error instanceof SilenceError) silences += 1;
      wasLost ||= verdict === "lost" || verdict === "lost-for-good";
      const isOver = verdict !== "lost" && verdict !== "late";
      if (isOver || tries === STORE_TRIES || silences === SILENT_STORE_TRIES)
        throw new RequestFailure({ kind: "store-unavailable", isRefused: !wasLost }, { cause: error });
      await scheduler.wait(Math.random() * LONGEST_STORE_PAUSE_MILLISECONDS);
    }
  }
}

/**
 * What the failure of one try says. `refused`, `late` and `own-fault`: the try had no effect. `late`: the fence refused it, and another one has a
 * deadline of its own. `lost`: the try may have taken effect, and another one may be heard. `lost-for-good`: another one would fail, too.
 */
function judge(error: unknown): "refused" | "late" | "own-fault" | "lost" | "lost-for-good" {
  if (error instanceof RequestFailure) return isStoreRefused(error) ? "refused" : "lost-for-good";
  const message = String(error);
  if (message.includes(FENCE)) return "late";
  if (OWN_FAULT.test(message)) return "own-fault";
  if (REFUSED.test(message)) return "refused";
  return TOO_HEAVY.test(message) ? "lost-for-good" : "lost";
}

/**
 * D1 takes 2,000,000 bytes in one value, which it does not enforce locally. A character has at most three bytes in UTF-8
 * (a surrogate pair four, for two).
 */
const LIST_CHARACTERS = 600_000;

/** Rows as JSON arrays, each small enough to travel as one parameter to json_each. */
export function* toJsonLists(rows: Iterable<unknown>): Generator<string, void> {
  let items: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const item = JSON.stringify(row);
    if (items.length > 0 && characters + item.length > LIST_CHARACTERS) {
      yield `[${items.join(",")}]`;
      items = [];
      characters = 0;
    }
    items.push(item);
    characters += item.length + 1;
  }
  if (items.length > 0) yield `[${items.join(",")}]`;
}
