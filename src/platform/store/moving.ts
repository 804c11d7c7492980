// Which websites are not, or not quite, in a database: see the table `moving`. One that has left is refused by the database itself,
// whatever an isolate believes.
import { MOVED_NAMES, MOVED_TABLES, type TableName } from "./moved-tables.ts";

/** Of a website in a database; of one that is there and stays there, no row is. */
export const STATE = { leaving: 0, fenced: 1, left: 2, arriving: 3 } as const;

/** The version and the home in an id, as the column id_part has them: ids of version 4 have none. */
export const ID_PART = (id: string) => `substr(${id}, 15, 4) || substr(${id}, 21, 2)`;

export const idPartOf = (home: number) => `7${home.toString(16).padStart(5, "0")}`;

const no = (condition: string, least: number) =>
  `NOT EXISTS (SELECT 1 FROM moving v WHERE ${condition} AND v.state >= ${least})`;

/** SQL condition: the website may be written here. Work on all websites of a database leaves the others out. */
export const IS_OPEN = (websiteId: string) => no(`v.website_id = ${websiteId}`, STATE.fenced);

/** SQL condition: the website is read here. */
export const IS_HERE = (websiteId: string) => no(`v.website_id = ${websiteId}`, STATE.left);

/** The same of the website of an id. */
export const ID_IS_HERE = (id: string) => no(`v.id_part = ${ID_PART(id)}`, STATE.left);

/** SQL condition: the row of the table is of the website `v`. */
export function isOf(name: TableName, row: string): string {
  const { by } = MOVED_TABLES[name];
  if (by === "website_id") return `v.website_id = ${row}.website_id`;
  if (by === "client_id") return `v.website_id = (SELECT website_id FROM clients WHERE client_id = ${row}.client_id)`;
  return `v.id_part = ${ID_PART(`${row}.${by}`)}`;
}

/** Query: a row where a website arrives in the database, or is about to leave it. */
export const IS_COMPARED = `SELECT 1 FROM moving WHERE state IN (${STATE.fenced}, ${STATE.arriving}) LIMIT 1`;

const OPERATIONS = ["INSERT", "UPDATE", "DELETE"] as const;

const nameOf = (name: TableName, operation: string) => `moving_${name}_${operation.toLowerCase()}`;

/**
 * Made with the first move and dropped after the last: what writes without a move goes on costs nothing more. A deletion is
 * logged, and never refused: what deletes by age works on all websites at once.
 */
function triggerOf(name: TableName, operation: (typeof OPERATIONS)[number]): string {
  const row = operation === "DELETE" ? "OLD" : "NEW";
  const from = `FROM moving v WHERE ${isOf(name, row)}`;
  const key = MOVED_TABLES[name].key.map((column) => `${row}.${column}`).join(", ");
  const refuse = `SELECT RAISE(ABORT, 'moved') ${from} AND v.state IN (${STATE.fenced}, ${STATE.left}); `;
  return `CREATE TRIGGER IF NOT EXISTS ${nameOf(name, operation)} AFTER ${operation} ON ${name} WHEN EXISTS (SELECT 1 ${from} AND v.state < ${STATE.arriving}) BEGIN ${operation === "DELETE" ? "" : refuse}INSERT INTO move_log (home, name, key) SELECT v.home, '${name}', json_array(${key}) ${from} AND v.state < ${STATE.left}; END`;
}

const ofEach = (write: (name: TableName, operation: (typeof OPERATIONS)[number]) => string) =>
  MOVED_NAMES.flatMap((name) => OPERATIONS.map((operation) => write(name, operation)));

export const createTriggers = (db: D1Database): D1PreparedStatement[] =>
  ofEach(triggerOf).map((sql) => db.prepare(sql));

export const dropTriggers = (db: D1Database): D1PreparedStatement[] =>
  ofEach((name, operation) => `DROP TRIGGER IF EXISTS ${nameOf(name, operation)}`).map((sql) => db.prepare(sql));

/** SQL that fails where it is evaluated; it must depend on a column, or it is evaluated in any case. */
export const FAIL = (why: string, column: string) => `json_extract('{}', ${why} || ${column})`;

/** Fails when one of the websites with the homes of ?1 is not in this database. @returns all that are on the move, as `home` */
export const GUARD = `SELECT v.home, iif(v.state >= ${STATE.left} AND v.home IN (SELECT value FROM json_each(?1)),
  ${FAIL("'moved'", "v.home")}, 0) AS fault FROM moving v`;

export const isMovedError = (error: unknown): boolean =>
  /D1_ERROR: (?:moved|bad JSON path: 'moved)/.test(String(error));

export const isLateError = (error: unknown): boolean => String(error).includes("bad JSON path: 'late");
