import { joinFault } from "./joins.ts";
import { LIMITS } from "./limits.ts";
import { planFaults } from "./plans.ts";
import { platform } from "./platform.ts";

interface Prepared {
  sql: string;
  values: unknown[];
  original: D1PreparedStatement;
}

/** D1 with its limits; and what no statement of the service may do. */
export function strictDatabase(db: D1Database): D1Database {
  const prepared = new WeakMap<D1PreparedStatement, Prepared>();
  const wrap = (one: Prepared): D1PreparedStatement => {
    const all = async () => (await ask(db, [one]))[0];
    const unused = (name: string) => () => {
      throw new Error(`the strict platform does not count ${name}`);
    };
    const statement = {
      // As in workerd, for a test that looks at what is asked.
      statement: one.sql,
      params: one.values,
      bind: (...values: unknown[]) => wrap({ ...one, values, original: one.original.bind(...values) }),
      all,
      run: all,
      first: unused("first"),
      raw: unused("raw"),
    } as unknown as D1PreparedStatement;
    prepared.set(statement, one);
    return statement;
  };
  return {
    prepare: (sql: string) => wrap({ sql, values: [], original: db.prepare(sql) }),
    batch: async (statements: D1PreparedStatement[]) =>
      ask(
        db,
        statements.map((statement) => prepared.get(statement) as Prepared),
      ),
  } as unknown as D1Database;
}

let waiting = 0;

async function ask(db: D1Database, statements: Prepared[]): Promise<D1Result<unknown>[]> {
  return platform.call({ what: "D1" }, async () => {
    if (waiting >= platform.longestQueue.database) {
      throw new Error("D1_ERROR: D1 DB is overloaded. Too many requests queued.");
    }
    waiting += 1;
    try {
      for (const statement of statements) checkStatement(statement);
      checkFence(statements);
      for (const { sql } of statements) {
        const fault = joinFault(sql);
        if (fault) platform.refuse(fault);
      }
      for (const fault of await planFaults(db, statements)) platform.refuse(fault);
      const results = await db.batch<unknown>(statements.map(({ original }) => original));
      checkResults(results);
      await checkRows(db, statements);
      return results;
    } finally {
      waiting -= 1;
    }
  });
}

const TOO_BIG = "string or blob too big: SQLITE_TOOBIG";

/** @throws Error as D1 does */
function refuse(message: string, about: string): never {
  platform.refuse(`${message} ${about.slice(0, 200)}`);
  throw new Error(`D1_ERROR: ${message}`);
}

/** Texts of statements that need no second look. */
const checked = new Set<string>();

function checkText(sql: string): void {
  if (checked.has(sql)) return;
  if (exceeds([sql], LIMITS.statementBytes.value)) refuse("statement too long: SQLITE_TOOBIG", sql);
  if (mostArguments(sql) > LIMITS.functionArguments.value) refuse("too many arguments on function: SQLITE_ERROR", sql);
  checked.add(sql);
}

function checkStatement({ sql, values }: Prepared): void {
  checkText(sql);
  if (values.length > LIMITS.boundParameters.value) refuse("too many SQL variables: SQLITE_ERROR", sql);
  for (const value of values) if (exceeds([value], LIMITS.valueBytes.value)) refuse(TOO_BIG, sql);
}

const WRITES = /\b(INSERT INTO|UPDATE (?!SET)\w+|DELETE FROM) /;

/** Counts that are added once, and never tried again: see runOnce. */
const ONCE = /^\s*INSERT INTO counts /;

/** What writes begins with the fence: see src/store/fence.ts. */
function checkFence(statements: Prepared[]): void {
  const write = statements.find(({ sql }) => WRITES.test(sql) && !ONCE.test(sql));
  if (write && !statements[0]?.sql.includes("INTO late_tries"))
    platform.refuse(`a write without the fence: ${write.sql}`);
}

function checkResults(results: D1Result<unknown>[]): void {
  const read = results.reduce((sum, { meta }) => sum + meta.rows_read, 0);
  const { counts } = platform;
  if (counts) {
    counts.rowsRead += read;
    counts.rowsWritten += results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
  }
  if (read > LIMITS.rowsReadPerCall.value) {
    refuse("D1 DB storage operation exceeded timeout which caused object to be reset.", `${read} rows read`);
  }
  for (const row of results.flatMap((result) => result.results as object[])) {
    if (exceeds(Object.values(row), LIMITS.valueBytes.value)) refuse(TOO_BIG, Object.keys(row).join());
  }
}

/** A row is made of what was bound: only a statement with much of it can have made one that is too large. */
async function checkRows(db: D1Database, statements: Prepared[]): Promise<void> {
  for (const { sql, values } of statements) {
    if (!exceeds(values, LIMITS.valueBytes.value / 2)) continue;
    const [, table] = /\b(?:INSERT INTO|UPDATE) (\w+)/.exec(sql) ?? [];
    if (table === undefined) continue;
    const columns = await db.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>();
    const size = columns.results.map(({ name }) => `coalesce(length(CAST(${name} AS BLOB)), 0)`).join(" + ");
    const { results } = await db.prepare(`SELECT max(${size}) AS bytes FROM ${table}`).all<{ bytes: number | null }>();
    if (Number(results[0]?.bytes) > LIMITS.valueBytes.value) refuse(TOO_BIG, sql);
  }
}

/** UTF-16 units take three bytes at most in UTF-8: a surrogate pair takes four, for two. */
const MOST_BYTES_A_CHARACTER = 3;

const encoder = new TextEncoder();

function bytesOf(value: unknown): number {
  if (typeof value === "string") return encoder.encode(value).byteLength;
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 8;
}

/** The sum is exact where it matters: most values are far too short to be counted. */
function exceeds(values: unknown[], bytes: number): boolean {
  let most = 0;
  for (const value of values)
    most += typeof value === "string" ? value.length * MOST_BYTES_A_CHARACTER : bytesOf(value);
  return most > bytes && values.reduce((sum: number, value) => sum + bytesOf(value), 0) > bytes;
}

/** The most arguments of any function that the statement calls. Rows of VALUES and lists of columns are no calls. */
export function mostArguments(sql: string): number {
  const counts: { isCall: boolean; commas: number }[] = [];
  let most = 0;
  for (const [token] of sql.matchAll(/'(?:[^']|'')*'|(?:\b\w+)?\s*\(|\)|,/g)) {
    if (token.endsWith("(")) counts.push({ isCall: isFunction(token.slice(0, -1).trim(), sql), commas: 0 });
    else if (token === ",") counts.at(-1) && (counts.at(-1) as { commas: number }).commas++;
    else if (token === ")") {
      const ended = counts.pop();
      if (ended?.isCall) most = Math.max(most, ended.commas + 1);
    }
  }
  return most;
}

const KEYWORDS = /^(?:|AND|AS|BY|CONFLICT|EXISTS|FROM|IN|NOT|ON|OR|SELECT|THEN|VALUES|WHERE|WHEN)$/i;

function isFunction(name: string, sql: string): boolean {
  return !KEYWORDS.test(name) && !new RegExp(`\\bINSERT(?: OR \\w+)? INTO ${name} *\\(`).test(sql);
}
