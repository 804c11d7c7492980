import type { Author } from "../../domain/operations/audit.ts";
import type { Role } from "../../domain/operations/operator-token.ts";
import { runNamed, runQuery, runWrite } from "../database.ts";
import { piece, prepare, sql } from "../sql.ts";
import { auditStatement, runAudited, selectAudited } from "./audit.ts";

/** Times in milliseconds since 1970. */
export interface Session {
  /** Shown; it opens nothing. */
  sessionId: string;
  /** The name of the token that has signed in. */
  operator: string;
  role: Role;
  createdAt: number;
  usedAt: number;
  /** Its own end, or that of its token. */
  endsAt: number;
}

/** The columns of a session `s` with its token `t`: a session is over once its token has ended, or is deleted. */
const COLUMNS = piece(
  `s.session_id AS sessionId, t.name AS operator, t.role, s.created_at AS createdAt, s.used_at AS usedAt,
    min(s.ends_at, coalesce(t.ends_at, s.ends_at)) AS endsAt`,
);

/** @param secretHash SHA-256 of the cookie's value */
export async function findSession(db: D1Database, secretHash: string, now: number): Promise<Session | undefined> {
  const [session] = await runQuery<Session>(
    prepare(
      db,
      sql`SELECT ${COLUMNS} FROM operator_sessions s CROSS JOIN operator_tokens t ON t.token_hash = s.token_hash
        WHERE s.secret_hash = ${secretHash} AND s.ends_at > ${now} AND (t.ends_at IS NULL OR t.ends_at > ${now})`,
    ),
  );
  return session;
}

/** The latest first. */
export async function listSessions(db: D1Database, now: number): Promise<Session[]> {
  return runQuery<Session>(
    prepare(
      db,
      sql`SELECT ${COLUMNS} FROM operator_sessions s CROSS JOIN operator_tokens t ON t.token_hash = s.token_hash
        WHERE s.ends_at > ${now} AND (t.ends_at IS NULL OR t.ends_at > ${now}) ORDER BY s.created_at DESC, s.session_id`,
    ),
  );
}

interface NewSession {
  sessionId: string;
  secretHash: string;
  tokenHash: string;
  endsAt: number;
}

/** Rows that have ended go with the next one. */
export async function insertSession(
  db: D1Database,
  author: Author,
  { sessionId, secretHash, tokenHash, endsAt }: NewSession,
  now: number,
): Promise<void> {
  await runAudited(db, {
    ended: prepare(db, sql`DELETE FROM operator_sessions WHERE ends_at <= ${now}`),
    inserted: [
      prepare(
        db,
        sql`INSERT INTO operator_sessions (secret_hash, session_id, token_hash, created_at, used_at, ends_at)
          SELECT ${secretHash}, ${sessionId}, ${tokenHash}, ${now}, ${now}, ${endsAt}
          WHERE true ON CONFLICT DO NOTHING`,
      ),
      auditStatement(db, author, { action: "sign-in", subject: sessionId }, now),
    ],
  });
}

export async function noteSessionUse(db: D1Database, sessionId: string, now: number): Promise<void> {
  await runWrite(
    db,
    prepare(
      db,
      sql`UPDATE operator_sessions SET used_at = ${now} WHERE session_id = ${sessionId} AND used_at < ${now}`,
    ),
  );
}

/** By whoever is signed in. It is no change of the service: the audit log does not have it. */
export async function signOut(db: D1Database, sessionId: string): Promise<void> {
  await runWrite(db, prepare(db, sql`DELETE FROM operator_sessions WHERE session_id = ${sessionId}`));
}

/** @returns false when there is no such session */
export async function deleteSession(
  db: D1Database,
  author: Author,
  { sessionId, operator }: Pick<Session, "sessionId" | "operator">,
  now: number,
): Promise<boolean> {
  const rows = await runNamed(db, {
    deleted: [
      prepare(db, sql`DELETE FROM operator_sessions WHERE session_id = ${sessionId}`),
      auditStatement(db, author, { action: "end-session", subject: sessionId, after: { of: operator } }, now),
    ],
    isDone: selectAudited(db, author),
  });
  return rows.isDone.length === 1;
}
