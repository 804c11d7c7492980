import { type AuditEntry, type Author, type StoredAudit, toRequestId } from "../../domain/operations/audit.ts";
import { type Named, parseJsonColumn, RowExistsError, type Rows, runNamed, runQuery, runWrite } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import type { AuditRow } from "./rows.ts";

const toJson = (facts: AuditEntry["after"]) => (facts ? JSON.stringify(facts) : null);

function insert(
  db: D1Database,
  { operator, requestId }: Author,
  { action, websiteId, clientId, subject, before, after }: AuditEntry,
  { now, outcome, condition }: { now: number; outcome: string | null; condition: Sql },
  onConflict = piece("ON CONFLICT DO NOTHING"),
): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO audit_log (request_id, stored_at, operator, action, website_id, client_id, subject, before, after, outcome)
      SELECT ${requestId}, ${now}, ${operator}, ${action}, ${websiteId ?? null}, ${clientId ?? null}, ${subject ?? null},
        ${toJson(before ?? null)}, ${toJson(after ?? null)}, ${outcome}
      WHERE ${condition} ${onConflict}`,
  );
}

/**
 * For the transaction of the change, right after the statement that makes it: stored only if that statement has changed a row. A second run
 * that would change something again fails, and is rolled back: see runAudited.
 */
export function auditStatement(db: D1Database, author: Author, entry: AuditEntry, now: number): D1PreparedStatement {
  return insert(db, author, entry, { now, outcome: "done", condition: piece("changes() > 0") }, piece(""));
}

/**
 * Runs the change of a request with its entry in the audit log, as one transaction, once: whatever others have changed since.
 * @returns "made": an earlier try has made the change, and its answer was lost
 */
export async function runAudited<Some extends Named>(db: D1Database, statements: Some): Promise<Rows<Some> | "made"> {
  return runNamed(db, statements).catch((error: unknown) => {
    if (error instanceof RowExistsError) return "made";
    throw error;
  });
}

/** Before a change that is not one transaction. @throws RequestFailure store-unavailable: then nothing is to be changed */
export async function beginAudit(db: D1Database, author: Author, entry: AuditEntry, now: number): Promise<void> {
  await runWrite(db, insert(db, author, entry, { now, outcome: null, condition: piece("true") }));
}

/** Stores that somebody has looked up a person. @throws RequestFailure store-unavailable: then nothing is to be shown */
export async function storeAudit(db: D1Database, author: Author, entry: AuditEntry, now: number): Promise<void> {
  await runWrite(db, insert(db, author, entry, { now, outcome: "done", condition: piece("true") }));
}

/**
 * Stores a look-up of a person as storeAudit does, unless the operator has had so many in that time.
 * @returns undefined: it is stored. Otherwise when the first of them was: milliseconds since 1970
 */
export async function storeLookUp(
  db: D1Database,
  author: Author,
  entry: Omit<AuditEntry, "action">,
  { most, milliseconds }: { most: number; milliseconds: number },
  now: number,
): Promise<number | undefined> {
  const isLate = sql`action = 'look-up' AND operator = ${author.operator} AND stored_at > ${now - milliseconds}`;
  const condition = sql`(SELECT count(*) FROM audit_log WHERE ${isLate}) < ${most}`;
  const { stored, first } = await runNamed(db, {
    inserted: insert(db, author, { action: "look-up", ...entry }, { now, outcome: "done", condition }),
    stored: selectAudited(db, author),
    first: prepare(db, sql<{ at: number }>`SELECT min(stored_at) AS at FROM audit_log WHERE ${isLate}`),
  });
  return stored.length > 0 ? undefined : (first[0]?.at ?? now);
}

/**
 * As beginAudit, unless the client has had so many of these changes in that time.
 * @returns whether it has begun, also in an earlier try
 */
export async function beginRareAudit(
  db: D1Database,
  author: Author,
  entry: AuditEntry & { clientId: string },
  { most, milliseconds }: { most: number; milliseconds: number },
  now: number,
): Promise<boolean> {
  const latest = sql`SELECT action, stored_at FROM audit_log WHERE client_id = ${entry.clientId} ORDER BY id DESC LIMIT 100`;
  const condition = sql`(SELECT count(*) FROM (${latest})
    WHERE action = ${entry.action} AND stored_at > ${now - milliseconds}) < ${most}`;
  const { begun } = await runNamed(db, {
    inserted: insert(db, author, entry, { now, outcome: null, condition }),
    begun: selectAudited(db, author),
  });
  return begun.length > 0;
}

export async function endAudit(
  db: D1Database,
  requestId: string,
  outcome: "done" | "failed",
  after: AuditEntry["after"],
): Promise<void> {
  await runWrite(
    db,
    prepare(
      db,
      sql`UPDATE audit_log SET outcome = ${outcome}, after = coalesce(${toJson(after ?? null)}, after)
        WHERE request_id = ${requestId}`,
    ),
  );
}

/** For a transaction: whether the request has changed something in it, or in an earlier run of it. */
export function selectAudited(db: D1Database, { requestId }: Author): D1PreparedStatement {
  return prepare(db, sql`SELECT 1 FROM audit_log WHERE request_id = ${requestId}`);
}

/** By one of these columns, each of which has an index. */
export const AUDIT_FILTERS = { website: "website_id", client: "client_id", by: "operator" } as const;
export type AuditFilter = { name: keyof typeof AUDIT_FILTERS; value: string } | null;

/** Newest first. @param before an id; null: the newest */
export async function listAudit(
  db: D1Database,
  filter: AuditFilter,
  limit: number,
  before: number | null = null,
): Promise<StoredAudit[]> {
  const isAskedFor = filter ? sql`${piece(AUDIT_FILTERS[filter.name])} = ${filter.value}` : piece("true");
  const rows = await runQuery<AuditRow>(
    prepare(
      db,
      sql`SELECT * FROM audit_log WHERE id < ${before ?? Number.MAX_SAFE_INTEGER} AND ${isAskedFor}
        ORDER BY id DESC LIMIT ${limit}`,
    ),
  );
  return rows.map(toAudit);
}

function toAudit(row: AuditRow): StoredAudit {
  return {
    id: row.id,
    requestId: toRequestId({ requestId: row.request_id }),
    operator: row.operator,
    storedAt: row.stored_at,
    action: row.action as StoredAudit["action"],
    websiteId: row.website_id,
    clientId: row.client_id,
    subject: row.subject,
    before: parseJsonColumn(row.before, null),
    after: parseJsonColumn(row.after, null),
    outcome: row.outcome as StoredAudit["outcome"],
  };
}
