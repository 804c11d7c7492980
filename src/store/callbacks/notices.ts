// What clients hear of inbound texts and of subscriptions: an event for each client that wants it, with its body. The statements run in
// the transaction of what they tell of, and only where hasListeners has found a client: else each would read some rows for nothing.
import type { NoticeType } from "../../domain/callbacks/callback.ts";
import { LATEST_TEXT } from "../clients/senders.ts";
import { runQuery } from "../database.ts";
import type { ChangeSource } from "../rows.ts";

/** The clients `c` of a website that want notices; `isTold` is their condition. */
export const TOLD_CLIENTS = "clients c INDEXED BY clients_with_events";
const isTold = (type: NoticeType, websiteId: string) =>
  `c.website_id = ${websiteId} AND c.events IS NOT NULL AND instr(c.events, '"${type}"') > 0`;

/** Whether a client of these websites, or of the website of this message, may want notices. Reads one row where none does. */
export async function hasListeners(
  db: D1Database,
  of: { websiteIds: string[] } | { messageId: string },
): Promise<boolean> {
  const [from, column, value] =
    "messageId" in of
      ? ["messages m", "m.website_id AND m.message_id = ?1", of.messageId]
      : ["json_each(?1) w", "w.value", JSON.stringify(of.websiteIds)];
  const select = `SELECT 1 FROM ${from} CROSS JOIN ${TOLD_CLIENTS} WHERE c.events IS NOT NULL AND c.website_id = ${column} LIMIT 1`;
  return (await runQuery(db.prepare(select).bind(value))).length > 0;
}

const INSERT = "INSERT INTO events (message_id, client_id, website_id, event, phone, body, occurred_at, due_at)";

/** A statement with this end returns rows for dueEvents. Run again, it writes nothing. */
const RETURNING = "ON CONFLICT (message_id, event) DO NOTHING RETURNING message_id, event, due_at";

/** An inbound text, as it is told. */
export interface ToldText {
  from: string;
  /** As digits; null when it is no phone number. */
  phone: number | null;
  to: string;
  text: string;
  mediaUrls: string[];
  keyword: string | null;
  receivedAt: number;
}

/**
 * Tells of a text. Runs after the text is stored, and before its keyword is answered.
 * @param fresh joins the websites `w` that have not applied the text, and TOLD_CLIENTS; its parameters are `values`
 */
export function textNotices(
  db: D1Database,
  run: string,
  { from, phone, to, text, mediaUrls, keyword, receivedAt }: ToldText,
  fresh: string,
  values: readonly [unknown, unknown, unknown],
): D1PreparedStatement {
  const body = { from, to, text, mediaUrls, receivedAt: toIso(receivedAt), keyword, inReplyTo: null };
  return db
    .prepare(
      `${INSERT} SELECT ?4 || '-' || c.client_id, c.client_id, c.website_id, 'message.received', ?5,
         json_set(?6, '$.inReplyTo', ${LATEST_TEXT("message_id", "c.website_id", "?5")}), ?7,
         iif(c.callback_url IS NULL, NULL, ?7)
       FROM ${fresh} WHERE ${isTold("message.received", "w.value")} ${RETURNING}`,
    )
    .bind(...values, run, phone, JSON.stringify(body), receivedAt);
}

/** New rows of the ledger, in SQL on the parameters `values`. */
export interface ToldChanges {
  values: readonly unknown[];
  with?: string;
  /** Joins TOLD_CLIENTS. */
  from: string;
  where: string;
  websiteId: string;
  phone: string;
  subscribed: string;
}

/** Whose changes they are. */
export interface ToldOrigin {
  /** Names the notices of the transaction. */
  run: string;
  source: ChangeSource;
  /** The client that made them: it is not told. */
  clientId?: string | undefined;
  now: number;
}

/**
 * Tells of new rows of the ledger. Runs after the statement that adds them and before the one that changes the subscriptions,
 * and chooses as the former does.
 */
export function changeNotices(db: D1Database, changes: ToldChanges, origin: ToldOrigin): D1PreparedStatement {
  const { run, source, clientId = "", now } = origin;
  const about = (name: string) => `?${changes.values.length + 1} ->> '${name}'`;
  // As LATEST_CHANGE of subscriptions.ts, which imports this file.
  const changeId =
    "(SELECT max(change_id) FROM subscription_changes l WHERE l.website_id = t.website_id AND l.phone = t.phone)";
  const chosen = `${changes.with ?? ""} SELECT c.client_id, c.website_id, c.callback_url, ${changes.phone} AS phone, ${changes.subscribed} AS subscribed
    FROM ${changes.from} WHERE ${isTold("subscription.changed", changes.websiteId)} AND c.client_id <> ${about("clientId")}
      AND (${changes.where})`;
  return db
    .prepare(
      `${INSERT} SELECT ${about("run")} || '-' || change_id || '-' || client_id, client_id, website_id, 'subscription.changed', phone,
         json_object('phone', '+' || CAST(phone AS INTEGER), 'subscribed', json(iif(subscribed = 1, 'true', 'false')), 'source', ${about("source")},
           'changedAt', ${about("changedAt")}, 'changeId', change_id), ${about("now")}, iif(callback_url IS NULL, NULL, ${about("now")})
       FROM (SELECT t.*, ${changeId} AS change_id FROM (${chosen}) t) WHERE true ORDER BY client_id, change_id ${RETURNING}`,
    )
    .bind(...changes.values, JSON.stringify({ run, source, clientId, changedAt: toIso(now), now }));
}

function toIso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
