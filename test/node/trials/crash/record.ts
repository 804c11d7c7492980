import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The service's own record of a message. */
export interface MessageRow {
  messageId: string;
  websiteId: string;
  /** E.164 */
  phone: string;
  status: string;
  reason: string | null;
  /** A run has claimed it for submission, and has not said what came of it. */
  claimed: boolean;
  /** When a submission was last begun; milliseconds since 1970. */
  claimedAt: number | null;
}

/** The service's own record of an event. */
export interface EventRow {
  eventId: string;
  messageId: string;
  websiteId: string;
  due: boolean;
  attempted: boolean;
  outcome: string | null;
  httpStatus: number | null;
}

export interface ServiceRecord {
  messages: MessageRow[];
  events: EventRow[];
}

/** The folder of the database, in that of the service. */
export const TABLES = join("state", "d1", "miniflare-D1DatabaseObject");

/**
 * Reads D1's file as the killed service has left it: a copy, so that nothing of what a next start finds is changed.
 * @throws Error when the file is damaged
 */
export function readRecord(directory: string): ServiceRecord {
  const copy = mkdtempSync(join(tmpdir(), "textgate-record-"));
  try {
    cpSync(join(directory, TABLES), copy, { recursive: true });
    const file = readdirSync(copy).find((name) => name.endsWith(".sqlite") && !name.startsWith("metadata"));
    const db = new DatabaseSync(join(copy, String(file)));
    const [check] = db.prepare("PRAGMA integrity_check").all();
    if (check?.integrity_check !== "ok") throw new Error(`D1's file is damaged: ${check?.integrity_check}`);
    const record = { messages: readMessages(db), events: readEvents(db) };
    db.close();
    return record;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const readRows = (db: DatabaseSync) => db.prepare("SELECT * FROM messages").all();

function readMessages(db: DatabaseSync): MessageRow[] {
  return readRows(db).map((row) => ({
    messageId: String(row.message_id),
    websiteId: String(row.website_id),
    phone: `+${row.phone}`,
    status: String(row.status),
    reason: row.reason === null ? null : String(row.reason),
    claimed: row.status === "PENDING_TO_SEND" && row.claimed_at !== null,
    claimedAt: row.claimed_at === null ? null : Number(row.claimed_at),
  }));
}

function readEvents(db: DatabaseSync): EventRow[] {
  const rows = db
    .prepare(
      `SELECT e.message_id, e.event, e.due_at, e.attempted_at, e.outcome, e.http_status, m.website_id
       FROM events e JOIN messages m ON m.message_id = e.message_id`,
    )
    .all();
  return rows.map((row) => ({
    eventId: `${row.message_id}_${row.event}`,
    messageId: String(row.message_id),
    websiteId: String(row.website_id),
    due: row.due_at !== null || row.outcome !== null,
    attempted: row.attempted_at !== null,
    outcome: row.outcome === null ? null : String(row.outcome),
    httpStatus: row.http_status === null ? null : Number(row.http_status),
  }));
}
