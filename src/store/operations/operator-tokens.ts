import type { Author } from "../../domain/operations/audit.ts";
import { runNamed, runQuery } from "../database.ts";
import { auditStatement, selectAudited } from "./audit.ts";

/** Times in milliseconds since 1970. */
export interface OperatorToken {
  name: string;
  createdAt: number;
  createdBy: string;
  /** null: it has no end yet. */
  endsAt: number | null;
}

const IS_VALID = "(ends_at IS NULL OR ends_at > ?2)";

/** @param hash SHA-256: nobody chooses it, so the time of the look-up says nothing about tokens that are valid */
export async function findOperatorName(db: D1Database, hash: string, now: number): Promise<string | undefined> {
  const sql = `SELECT name FROM operator_tokens WHERE token_hash = ?1 AND ${IS_VALID}`;
  const [row] = await runQuery<{ name: string }>(db.prepare(sql).bind(hash, now));
  return row?.name;
}

export async function listOperatorTokens(db: D1Database, now: number): Promise<OperatorToken[]> {
  const sql = `SELECT name, created_at AS createdAt, created_by AS createdBy, ends_at AS endsAt FROM operator_tokens
    WHERE name > ?1 AND ${IS_VALID} ORDER BY name, created_at`;
  return runQuery<OperatorToken>(db.prepare(sql).bind("", now));
}

/** Rows that no longer mean anything go with the next change of their name. */
function deleteEnded(db: D1Database, name: string, now: number): D1PreparedStatement {
  return db.prepare("DELETE FROM operator_tokens WHERE name = ?1 AND ends_at <= ?2").bind(name, now);
}

const MOST_OF_A_NAME = 2;

/**
 * The token that has the name keeps it, until `othersEndAt` if given.
 * @returns false when two tokens have the name
 */
export async function insertOperatorToken(
  db: D1Database,
  author: Author,
  { name, hash, othersEndAt }: { name: string; hash: string; othersEndAt: number | null },
  now: number,
): Promise<boolean> {
  const own = "SELECT 1 FROM operator_tokens WHERE token_hash = ?2";
  const rows = await runNamed(db, {
    ended: deleteEnded(db, name, now),
    inserted: [
      db
        .prepare(
          `INSERT INTO operator_tokens (token_hash, name, created_at, created_by) SELECT ?2, ?1, ?3, ?4
           WHERE (SELECT count(*) FROM operator_tokens WHERE name = ?1) < ${MOST_OF_A_NAME} ON CONFLICT DO NOTHING`,
        )
        .bind(name, hash, now, author.operator),
      auditStatement(db, author, { action: "create-token", subject: name, after: { othersEndAt } }, now),
    ],
    others:
      othersEndAt === null
        ? null
        : db
            .prepare(
              `UPDATE operator_tokens SET ends_at = min(coalesce(ends_at, ?3), ?3)
               WHERE name = ?1 AND token_hash <> ?2 AND EXISTS (${own})`,
            )
            .bind(name, hash, othersEndAt),
    own: db.prepare("SELECT 1 FROM operator_tokens WHERE token_hash = ?1").bind(hash),
  });
  return rows.own.length === 1;
}

/** Which of the tokens of a name; `old` and `new` only while there are two. */
export type WhichTokens = "all" | "old" | "new";

/** @returns how many tokens have the name now; undefined when none has ended */
export async function deleteOperatorTokens(
  db: D1Database,
  author: Author,
  { name, which }: { name: string; which: WhichTokens },
  now: number,
): Promise<number | undefined> {
  const order = which === "new" ? "DESC" : "ASC";
  const { limit, least } = which === "all" ? { limit: MOST_OF_A_NAME, least: 1 } : { limit: 1, least: MOST_OF_A_NAME };
  const rows = await runNamed(db, {
    ended: deleteEnded(db, name, now),
    deleted: [
      db
        .prepare(
          `DELETE FROM operator_tokens WHERE token_hash IN
             (SELECT token_hash FROM operator_tokens WHERE name = ?1 ORDER BY created_at ${order} LIMIT ${limit})
           AND (SELECT count(*) FROM operator_tokens WHERE name = ?1) >= ${least}`,
        )
        .bind(name),
      auditStatement(db, author, { action: "end-token", subject: name, after: { which } }, now),
    ],
    isDone: selectAudited(db, author),
    left: db.prepare("SELECT count(*) AS count FROM operator_tokens WHERE name = ?1").bind(name),
  });
  return rows.isDone.length === 1 ? (rows.left as { count: number }[])[0]?.count : undefined;
}
