// Pure. Writes docs/schema.sql: the schema after all migrations, with their comments.

/** Comments, by table or column, that say more than the migration's or replace a wrong one: an applied migration is never edited. */
const COMMENTS: Record<string, string> = {
  "clients.rotated_at": "when the secrets were last rotated: a second rotation soon after replaces the first",
  "subscriptions.opted_out_by_person": "1: by keyword or at the carrier; only the person can undo it",
  "subscriptions.opt_out_confirmed_at": "when the confirmation of a STOP was last sent",
  "subscription_changes.source": "import, api, keyword, carrier, undo, operator",
  "subscription_changes.proof": "the id of a request or of an import, or the text of the message",
  "messages.reason": "in words, for the operator",
  "messages.reason_code": "why it has this status: see src/domain/reason.ts",
  "messages.queued_at":
    "the sweep counts its waiting time from here: its job was queued or is due, or its cut-off claim was found; 0: overdue",
  "messages.encoding": "GSM-7, UCS-2",
  "messages.segments": "",
  "messages.is_reply": "1: confirms an opt-out, so it is sent after the opt-out; 2: any other reply to a keyword",
  "messages.opted_out": "1: the latest message to a person who then opted out",
  send_keys: "Replaced by the tables from idempotency_keys on. Neither read nor written; a later release drops it.",
  "events.queued_at": "the sweep counts its waiting time from here: its job was queued; 0: overdue",
  "events.reason_code": "of the message, when the event was stored",
  "daily_counts.reasons": "JSON: a count for each reason; NULL: no message has one",
  "report_rows.reasons": "as in daily_counts",
  "events.outcome": "answered, timed-out, unreachable, not-posted",
  inbound_texts: "Texts that people sent. A carrier may deliver one twice: its id is stored once per website.",
  "inbound_texts.applied":
    "1: the keyword took effect; 2: it could not, for lack of a website or a phone number; 3: it took effect, and this website replied",
  "clicks.count":
    "how many clicks the row stands for: a person's first few on a message have a row each, others share one",
  "clicks.last_click_id": "of such a shared row, the click that was counted last: counting it again changes nothing",
  erased_people: "Tombstones of erased numbers: they stay opted out.",
  erasure_key: "The key of the tombstones. It is made once and never replaced: see src/platform/store/erasure-key.ts.",
  former_senders: "The senders that a website has had: people still reply to what came from them.",
  "dead_jobs.id": "the queue's own id of the job",
  "dead_jobs.error": "of the last try; NULL: not known, the job comes from the dead-letter queue",
  event_batches:
    "The events of one client, in order. Its latest batch gets more until the sweep looks at it. The highest number is never deleted.",
  outcome_counts: "How submissions and callbacks of the last hour ended, by minute.",
};

/** Where a comment begins that stands behind a column. */
const COMMENT_COLUMN = 39;

interface Statement {
  /** Comments about the migration: a blank line separates them from the statement. */
  remarks: string[];
  /** Comment lines directly before the statement. */
  above: string[];
  sql: string;
}

/** A column or a constraint. */
interface Item {
  above: string[];
  sql: string;
  comment: string;
}

interface Table extends Statement {
  name: string;
  columns: Item[];
  constraints: Item[];
  indexes: Statement[];
}

type Tables = Map<string, Table>;

/**
 * @param migrations their texts, in order
 * @throws Error for a statement that it does not know
 */
export function writeSchema(migrations: readonly string[], comments = COMMENTS): string {
  const tables: Tables = new Map();
  for (const statement of migrations.flatMap(readStatements)) apply(tables, statement);
  for (const [place, comment] of Object.entries(comments)) replaceComment(tables, place, comment);
  const head = "-- The schema after all migrations. Written by `npm run docs`: do not edit.\n\n";
  return head + [...tables.values()].map(printTable).join("\n");
}

const OPAQUE = /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"/y;

/** Splits at a character outside of comments, quotes and parentheses. */
function split(sql: string, separator: string): string[] {
  const parts = [""];
  let depth = 0;
  for (let at = 0; at < sql.length; ) {
    OPAQUE.lastIndex = at;
    const token = OPAQUE.exec(sql)?.[0] ?? sql.charAt(at);
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (token === separator && depth === 0) parts.push("");
    else parts.push(parts.pop() + token);
    at += token.length;
  }
  return parts;
}

function readStatements(migration: string): Statement[] {
  return split(migration, ";").flatMap((part) => {
    const [, before = "", sql = ""] = /^((?:\s|--[^\n]*\n)*)(.*)$/s.exec(part) ?? [];
    const blocks = before.trim() === "" ? [] : before.trim().split(/\n\s*\n/);
    const above = /\n\s*\n$/.test(before) ? [] : (blocks.pop()?.split("\n") ?? []);
    return sql.trim() === "" ? [] : [{ remarks: blocks, above, sql: sql.trim() }];
  });
}

function apply(tables: Tables, statement: Statement): void {
  const { sql, above } = statement;
  const read = (form: RegExp) => form.exec(sql)?.slice(1);
  const created = read(/^CREATE TABLE (\w+) \(/);
  const indexed = read(/^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+)/);
  const added = read(/^ALTER TABLE (\w+) ADD COLUMN (.+)$/s);
  const droppedTable = read(/^DROP TABLE (\w+)$/);
  const droppedIndex = read(/^DROP INDEX (\w+)$/);
  if (created) tables.set(String(created[0]), readTable(String(created[0]), statement));
  else if (indexed) find(tables, indexed[0]).indexes.push(statement);
  else if (added) find(tables, added[0]).columns.push({ above, sql: String(added[1]), comment: "" });
  else if (droppedTable) tables.delete(find(tables, droppedTable[0]).name);
  else if (droppedIndex) for (const table of tables.values()) dropIndex(table, String(droppedIndex[0]));
  else if (!/^(INSERT|UPDATE|DELETE)\b/.test(sql)) throw new Error(`unknown statement: ${sql}`);
}

function find(tables: Tables, name = ""): Table {
  const table = tables.get(name);
  if (!table) throw new Error(`no such table: ${name}`);
  return table;
}

function dropIndex(table: Table, name: string): void {
  table.indexes = table.indexes.filter(({ sql }) => !sql.includes(` INDEX ${name} `));
}

function readTable(name: string, statement: Statement): Table {
  const { sql } = statement;
  const items = readItems(sql.slice(sql.indexOf("(") + 1, sql.lastIndexOf(")")));
  const isConstraint = (item: Item) => /^(PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY|CONSTRAINT)\b/.test(item.sql);
  const columns = items.filter((item) => !isConstraint(item));
  return { ...statement, name, columns, constraints: items.filter(isConstraint), indexes: [] };
}

/** A comment behind a comma belongs to the item before the comma. */
function readItems(body: string): Item[] {
  const parts = split(body, ",");
  const behindComma = parts.map((part) => /^[^\S\n]*--([^\n]*)\n/.exec(part)?.[1]);
  return parts.map((part, index) => {
    const own = behindComma[index] === undefined ? part : part.slice(part.indexOf("\n"));
    const [sql = "", behind] = own.split("--");
    return { above: [], sql: sql.trim(), comment: (behindComma[index + 1] ?? behind ?? "").trim() };
  });
}

function replaceComment(tables: Tables, place: string, comment: string): void {
  const [name, column] = place.split(".");
  const table = find(tables, name);
  if (column === undefined) {
    table.above = [`-- ${comment}`];
    return;
  }
  const item = table.columns.find(({ sql }) => sql.startsWith(`${column} `));
  if (!item) throw new Error(`no such column: ${place}`);
  item.above = [];
  item.comment = comment;
}

function printTable({ name, sql, remarks, above, columns, constraints, indexes }: Table): string {
  const items = [...columns, ...constraints];
  const lines = items.flatMap((item, index) => printItem(item, index < items.length - 1));
  const options = sql.slice(sql.lastIndexOf(")") + 1);
  return [
    ...remarks.map((remark) => `${remark}\n`),
    ...above,
    `CREATE TABLE ${name} (`,
    ...lines,
    `)${options};`,
    ...indexes.flatMap((index, at) => [
      ...(at === 0 || index.above.length > 0 ? [""] : []),
      ...index.above,
      `${index.sql};`,
    ]),
    "",
  ].join("\n");
}

function printItem({ above, sql, comment }: Item, hasNext: boolean): string[] {
  const definition = `  ${sql}${hasNext ? "," : ""}`;
  const line = comment === "" ? definition : `${definition.padEnd(COMMENT_COLUMN - 1)} -- ${comment}`;
  return [...above.map((text) => `  ${text}`), line];
}
