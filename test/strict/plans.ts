import { ALLOWED_PLANS } from "./allowed-plans.ts";

/** A step of a plan that reads what it is not asked for: a table or an index from end to end, or by a part of its key. */
export interface Finding {
  /** With the table's own name: `SEARCH messages USING INDEX messages_by_time (website_id=?)`. */
  step: string;
  sql: string;
}

interface Schema {
  tables: Set<string>;
  /** By index; the key of a table without rowids by `PRIMARY KEY <table>`. */
  columns: Map<string, number>;
  /** The step's terms where an index that leaves out NULL is read from end to end, by index: SQLite calls that a search, `due_at>?`. */
  wholes: Map<string, string>;
}

/** What each statement was found to read, by its key: it is explained once in a process. */
const findings = new Map<string, Finding[]>();
/** The same by its text: each call asks for it. */
const findingsOfTexts = new Map<string, Finding[]>();

/** undefined for a statement that was not explained. */
function findingsOf(sql: string): Finding[] | undefined {
  const known = findingsOfTexts.get(sql);
  if (known) return known;
  const found = findings.get(keyOf(sql));
  if (found) findingsOfTexts.set(sql, found);
  return found;
}

/** A time that is part of the text does not change the plan. */
const keyOf = (sql: string) => sql.replace(/\b\d{12,}\b/g, "0").replace(/\s+/g, " ");

let schema: Schema | undefined;

/** What is wrong with the plans of the statements that are not listed in allowed-plans.ts. */
export async function planFaults(db: D1Database, statements: { sql: string; values: unknown[] }[]): Promise<string[]> {
  const unknown = statements.filter(({ sql }) => !findingsOf(sql)).map((it) => [keyOf(it.sql), it] as const);
  if (unknown.length > 0) await explain(db, [...new Map(unknown).values()]);
  const found = statements.flatMap(({ sql }) => findingsOf(sql) ?? []);
  return found.filter((finding) => !isAllowed(finding)).map(({ step, sql }) => `${step}: ${sql}`);
}

function isAllowed({ step, sql }: Finding): boolean {
  const index = ALLOWED_PLANS.findIndex(
    (plan) =>
      (plan.step instanceof RegExp ? plan.step.test(step) : plan.step === step) &&
      (!plan.sql || sql.includes(plan.sql)),
  );
  if (index >= 0) used.add(index);
  return index >= 0;
}

const used = new Set<number>();

/** The allowed plans that were needed since it was last asked, by their places in the list. */
export function takeUsedPlans(): number[] {
  const taken = [...used];
  used.clear();
  return taken;
}

/** A statement that cannot be prepared fails by itself. */
async function explain(db: D1Database, statements: { sql: string; values: unknown[] }[]): Promise<void> {
  schema ??= await readSchema(db);
  const known = schema;
  const explained = statements.map(({ sql, values }) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).bind(...values));
  const plans = await db.batch<{ detail: string }>(explained).catch(() => []);
  for (const [index, { results }] of plans.entries()) {
    const sql = keyOf(statements[index]?.sql ?? "");
    const steps = results.flatMap(({ detail }) => findStep(detail, sql, known));
    findings.set(
      sql,
      [...new Set(steps)].map((step) => ({ step, sql })),
    );
  }
}

const STEP =
  /^(SCAN|SEARCH) (\S+)(?: EXISTS)?(?: USING (?:PARTIAL )?(?:COVERING )?(?:INDEX (\S+)|(INTEGER )?PRIMARY KEY))?(?: \(([^)]*)\))?/;

function findStep(detail: string, sql: string, { tables, columns, wholes }: Schema): string[] {
  const [, kind, name = "", index, integer, terms = ""] = STEP.exec(detail) ?? [];
  const table = detail.includes("VIRTUAL TABLE") ? undefined : tableOf(name, sql, tables);
  if (kind === undefined || table === undefined || integer !== undefined) return [];
  const step = detail
    .replace(` ${name}`, ` ${table}`)
    .replace(/^(S\w+ \w+) EXISTS/, "$1")
    .replace(/ LEFT-JOIN$/, "")
    .replace("COVERING ", "");
  const isByKey = index !== undefined || detail.includes(" USING PRIMARY KEY");
  // An index that SQLite makes for the statement alone is one more scan.
  if (kind === "SCAN" || !isByKey) return [step];
  const wanted = columns.get(index ?? `PRIMARY KEY ${table}`);
  if (wanted === undefined) throw new Error(`no such index is known: ${detail}`);
  if (index !== undefined && wholes.get(index) === terms) return [step];
  // Two bounds of one column are one column: `(website_id=? AND day>? AND day<?)`.
  const found = new Set((terms.match(/\w+/g) ?? []).filter((word) => word !== "AND"));
  return found.size < wanted ? [step] : [];
}

/** undefined for json_each, a subquery and the like. */
function tableOf(name: string, sql: string, tables: Set<string>): string | undefined {
  if (tables.has(name)) return name;
  for (const [, before = ""] of sql.matchAll(new RegExp(`\\b(\\w+)(?: AS)? ${name}\\b`, "g"))) {
    if (tables.has(before)) return before;
  }
  return undefined;
}

async function readSchema(db: D1Database): Promise<Schema> {
  const { results } = await db
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL")
    .all<{ type: string; name: string; sql: string }>();
  const columns = new Map<string, number>();
  const wholes = new Map<string, string>();
  const count = (list: string | undefined) => list?.split(",").length ?? 1;
  for (const { type, name, sql } of results) {
    if (type === "index") {
      columns.set(name, count(/ON \w+ *\(([^)]*)\)/.exec(sql)?.[1]));
      const [, first] = /ON \w+ *\((\w+)\) WHERE \1 IS NOT NULL/.exec(sql) ?? [];
      if (first !== undefined) wholes.set(name, `${first}>?`);
    } else {
      const key = count(/PRIMARY KEY *\(([^)]*)\)/.exec(sql)?.[1]);
      columns.set(`PRIMARY KEY ${name}`, key);
      columns.set(`sqlite_autoindex_${name}_1`, key);
    }
  }
  return { tables: new Set(results.filter(({ type }) => type === "table").map(({ name }) => name)), columns, wholes };
}
