import type { Author } from "../../domain/operations/audit.ts";
import type { Role } from "../../domain/operations/operator-token.ts";
import { runQuery } from "../database.ts";
import { piece, prepare, sql } from "../sql.ts";
import { auditStatement, runAudited, selectAudited } from "./audit.ts";

/** Times in milliseconds since 1970. */
export interface OperatorToken {
  name: string;
  createdAt: number;
  createdBy: string;
  /** null: it has no end yet. */
  endsAt: number | null;
  role: Role;
}

/** Whose token it is, and what its bearer may do. */
export type Operator = Pick<OperatorToken, "name" | "role">;

/** @param hash SHA-256: nobody chooses it, so the time of the look-up says nothing about tokens that are valid */
export async function findTokenOperator(db: D1Database, hash: string, now: number): Promise<Operator | undefined> {
  const query = prepare(
    db,
    sql`SELECT name, role FROM operator_tokens WHERE token_hash = ${hash} AND (ends_at IS NULL OR ends_at > ${now})`,
  );
  const [row] = await runQuery<Operator>(query);
  return row;
}

/** The operator of a name, with the newest of the name's tokens. */
export async function findNamedOperator(
  db: D1Database,
  name: string,
  now: number,
): Promise<(Operator & { tokenHash: string }) | undefined> {
  const [row] = await runQuery<Operator & { tokenHash: string }>(
    prepare(
      db,
      sql`SELECT name, role, token_hash AS tokenHash FROM operator_tokens
        WHERE name = ${name} AND (ends_at IS NULL OR ends_at > ${now}) ORDER BY created_at DESC, token_hash LIMIT 1`,
    ),
  );
  return row;
}

export async function listOperatorTokens(db: D1Database, now: number): Promise<OperatorToken[]> {
  return runQuery<OperatorToken>(
    prepare(
      db,
      sql`SELECT name, created_at AS createdAt, created_by AS createdBy, ends_at AS endsAt, role FROM operator_tokens
        WHERE name > '' AND (ends_at IS NULL OR ends_at > ${now}) ORDER BY name, created_at`,
    ),
  );
}

/** Rows that no longer mean anything go with the next change of their name. */
function deleteEnded(db: D1Database, name: string, now: number): D1PreparedStatement {
  return prepare(db, sql`DELETE FROM operator_tokens WHERE name = ${name} AND ends_at <= ${now}`);
}

const MOST_OF_A_NAME = 2;

/**
 * The token that has the name keeps it, until `othersEndAt` if given.
 * @returns false when two tokens have the name
 */
export async function insertOperatorToken(
  db: D1Database,
  author: Author,
  { name, role, hash, othersEndAt }: Operator & { hash: string; othersEndAt: number | null },
  now: number,
): Promise<boolean> {
  const rows = await runAudited(db, {
    ended: deleteEnded(db, name, now),
    inserted: [
      prepare(
        db,
        sql`INSERT INTO operator_tokens (token_hash, name, created_at, created_by, role)
          SELECT ${hash}, ${name}, ${now}, ${author.operator}, ${role}
          WHERE (SELECT count(*) FROM operator_tokens WHERE name = ${name}) < ${MOST_OF_A_NAME}
          ON CONFLICT DO NOTHING`,
      ),
      auditStatement(db, author, { action: "create-token", subject: name, after: { role, othersEndAt } }, now),
    ],
    others:
      othersEndAt === null
        ? null
        : prepare(
            db,
            sql`UPDATE operator_tokens SET ends_at = min(coalesce(ends_at, ${othersEndAt}), ${othersEndAt})
              WHERE name = ${name} AND token_hash <> ${hash} AND created_at <= ${now}
                AND EXISTS (SELECT 1 FROM operator_tokens WHERE token_hash = ${hash})`,
          ),
    own: prepare(db, sql`SELECT 1 FROM operator_tokens WHERE token_hash = ${hash}`),
  });
  return rows === "made" || rows.own.length === 1;
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
  const order = piece(which === "new" ? "DESC" : "ASC");
  const { limit, least } = which === "all" ? { limit: MOST_OF_A_NAME, least: 1 } : { limit: 1, least: MOST_OF_A_NAME };
  const left = sql<{ count: number }>`SELECT count(*) AS count FROM operator_tokens WHERE name = ${name}`;
  const rows = await runAudited(db, {
    ended: deleteEnded(db, name, now),
    deleted: [
      prepare(
        db,
        sql`DELETE FROM operator_tokens WHERE token_hash IN
            (SELECT token_hash FROM operator_tokens WHERE name = ${name} ORDER BY created_at ${order} LIMIT ${limit})
          AND (SELECT count(*) FROM operator_tokens WHERE name = ${name}) >= ${least}`,
      ),
      auditStatement(db, author, { action: "end-token", subject: name, after: { which } }, now),
    ],
    isDone: selectAudited(db, author),
    left: prepare(db, left),
  });
  if (rows === "made") return (await runQuery<{ count: number }>(prepare(db, left)))[0]?.count;
  return rows.isDone.length === 1 ? rows.left[0]?.count : undefined;
}
