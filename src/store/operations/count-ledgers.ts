// The table counts, as it is added up from the ledgers: messages (in the order of their rowids), their events, and the changes of
// subscriptions. Each row of a ledger is counted once, and stays counted when it is purged or erased. What deletes rows of the ledgers
// counts them first, and lets the next message have no rowid that is counted: see countBefore and stepBack.
import { dayNumber } from "../../domain/day.ts";
import { CLASSES_JSON } from "../../domain/messages/outcome-class.ts";
import { runNamed } from "../database.ts";
import { piece, prepare, type Sql, sql } from "../sql.ts";
import { minuteOf } from "./outcome-counts.ts";

/** How long minutes are kept: five minutes longer than they are shown, so that what is counted late still finds its row. */
export const KEPT_MINUTES = 65;

/** How long days are kept: a day longer than they are shown. */
export const KEPT_DAYS = 31;

/** Rows of each ledger that one transaction counts: a tenth of a second. */
const STEP_ROWS = 10_000;

/** Rows of the ledgers: messages `m`, events `e` with their messages `m`, changes `l`. */
interface Counted {
  messages: Sql;
  events: Sql;
  changes: Sql;
}

const OF_STEP: Counted = {
  messages: piece(`counted_ledgers c
    CROSS JOIN messages m ON m.rowid > c.messages_after AND m.rowid <= c.messages`),
  events: piece(`counted_ledgers c CROSS JOIN events e ON e.seq > c.events_after AND e.seq <= c.events
    CROSS JOIN messages m ON m.message_id = e.message_id`),
  changes: piece(`counted_ledgers c
    CROSS JOIN subscription_changes l ON l.change_id > c.changes_after AND l.change_id <= c.changes`),
};

/** @returns `rows`: how many were counted; `isBehind`: there are more */
export async function countStep(
  db: D1Database,
  now: number,
  mostRows = STEP_ROWS,
): Promise<{ rows: number; isBehind: boolean }> {
  const { state } = await runNamed(db, {
    begun: prepare(db, sql`INSERT INTO counted_ledgers (only) VALUES (1) ON CONFLICT DO NOTHING`),
    moved: prepare(
      db,
      sql`UPDATE counted_ledgers SET messages_after = n.messages_after, messages = n.messages, events_after = n.events_after,
          events = n.events, changes_after = n.changes_after, changes = n.changes,
          as_of = iif(n.messages = n.last_message AND n.events = n.last_event AND n.changes = n.last_change, ${now}, as_of)
        FROM (SELECT last_message, last_event, last_change,
            messages AS messages_after, min(last_message, coalesce(next_message + ${mostRows} - 1, last_message)) AS messages,
            events AS events_after, min(last_event, coalesce(next_event + ${mostRows} - 1, last_event)) AS events,
            changes AS changes_after, min(last_change, coalesce(next_change + ${mostRows} - 1, last_change)) AS changes
          FROM (SELECT c.messages, c.events, c.changes,
              (SELECT coalesce(max(rowid), 0) FROM messages) AS last_message,
              (SELECT coalesce(max(seq), 0) FROM events) AS last_event,
              (SELECT coalesce(max(change_id), 0) FROM subscription_changes) AS last_change,
              (SELECT min(rowid) FROM messages WHERE rowid > c.messages) AS next_message,
              (SELECT min(seq) FROM events WHERE seq > c.events) AS next_event,
              (SELECT min(change_id) FROM subscription_changes WHERE change_id > c.changes) AS next_change
            FROM counted_ledgers c LIMIT 1) LIMIT 1) n`,
    ),
    counted: countStatements(db, OF_STEP, now),
    state: prepare(
      db,
      sql<{
        rows: number;
        isBehind: 0 | 1;
      }>`SELECT messages - messages_after + events - events_after + changes - changes_after AS rows,
          messages < (SELECT coalesce(max(rowid), 0) FROM messages) OR events < (SELECT coalesce(max(seq), 0) FROM events)
            OR changes < (SELECT coalesce(max(change_id), 0) FROM subscription_changes) AS isBehind
        FROM counted_ledgers`,
    ),
  });
  return { rows: state[0]?.rows ?? 0, isBehind: state[0]?.isBehind === 1 };
}

/** How far the ledgers are counted: one row. */
const COUNTED = piece(`(SELECT coalesce(max(messages), 0) AS messages, coalesce(max(events), 0) AS events,
  coalesce(max(changes), 0) AS changes FROM counted_ledgers) c`);

/**
 * Counts rows that are about to be deleted, unless they are counted. It runs before they are deleted, in the same transaction.
 * @param messages query of message ids; their events are meant, too
 * @param changes condition on rows `l` of subscription_changes
 */
export function countBefore(db: D1Database, messages: Sql, changes: Sql, now: number): D1PreparedStatement[] {
  return countStatements(
    db,
    {
      messages: sql`${COUNTED} CROSS JOIN (${messages}) d
        CROSS JOIN messages m ON m.message_id = d.message_id AND m.rowid > c.messages`,
      events: sql`${COUNTED} CROSS JOIN (${messages}) d
        CROSS JOIN events e ON e.message_id = d.message_id AND e.seq > c.events CROSS JOIN messages m ON m.message_id = d.message_id`,
      changes: sql`${COUNTED} CROSS JOIN subscription_changes l ON ${changes} AND l.change_id > c.changes`,
    },
    now,
  );
}

/** Messages that are about to be deleted, as if they had never been accepted, count no more. @param messages query of message ids */
export function uncount(db: D1Database, messages: Sql, now: number): D1PreparedStatement {
  const stored = sql`${COUNTED} CROSS JOIN (${messages}) d`;
  return countTexts(
    db,
    sql`${stored} CROSS JOIN messages m ON m.message_id = d.message_id AND m.rowid <= c.messages`,
    sql`${stored} CROSS JOIN events e ON e.message_id = d.message_id AND e.seq <= c.events CROSS JOIN messages m ON m.message_id = d.message_id`,
    { sign: -1, now },
  );
}

/** SQLite may give the rowid of the last message again if that is deleted. It runs after the deletion, in the same transaction. */
export function stepBack(db: D1Database): D1PreparedStatement {
  return prepare(
    db,
    sql`UPDATE counted_ledgers SET messages = (SELECT coalesce(max(rowid), 0) FROM messages)
      WHERE messages > (SELECT coalesce(max(rowid), 0) FROM messages)`,
  );
}

const countStatements = (
  db: D1Database,
  { messages, events, changes }: Counted,
  now: number,
): D1PreparedStatement[] => [
  countTexts(db, messages, events, { sign: 1, now }),
  countGone(db, events, now),
  countGrowth(db, changes, now),
];

/**
 * By website and for all of them, in the minute and on the day of acceptance, and by purpose on that day. A text that was SENDING is it no
 * more with its next event.
 */
function countTexts(
  db: D1Database,
  messages: Sql,
  events: Sql,
  { sign, now }: { sign: 1 | -1; now: number },
): D1PreparedStatement {
  return prepare(
    db,
    sql`WITH told AS MATERIALIZED (SELECT m.website_id, m.send_purpose, m.accepted_at / 60000 AS minute, coalesce(m.carrier, '') AS carrier,
            e.message_id, e.event, coalesce(e.reason_code, '') AS reason, e.seq, e.event LIKE 'CLICK_%' AS is_click
          FROM ${events} WHERE NOT m.is_reply),
        changed AS MATERIALIZED (SELECT website_id, send_purpose, minute, carrier, status, reason, sum(count) AS count FROM (
            SELECT m.website_id, m.send_purpose, m.accepted_at / 60000 AS minute, '' AS carrier, 'accepted' AS status, '' AS reason, 1 AS count
            FROM ${messages} WHERE NOT m.is_reply
          UNION ALL
            SELECT website_id, send_purpose, minute, carrier, event, reason, 1 FROM told WHERE NOT is_click
          UNION ALL
            SELECT t.website_id, t.send_purpose, t.minute, t.carrier, s.event, coalesce(s.reason_code, ''), -1
            FROM told t CROSS JOIN events s ON s.message_id = t.message_id AND s.event = 'SENDING' AND s.seq < t.seq
            WHERE NOT t.is_click
          UNION ALL
            SELECT website_id, send_purpose, minute, '', 'clicked', '', 1 FROM told t WHERE is_click AND NOT EXISTS (SELECT 1 FROM events f
              WHERE f.message_id = t.message_id AND f.event LIKE 'CLICK_%' AND f.seq < t.seq)
        ) GROUP BY 1, 2, 3, 4, 5, 6)
        INSERT INTO counts (span, at, kind, subject, detail, count)
        SELECT s.value, iif(s.value = 'minute', minute, minute / 1440), coalesce(${CLASSES_JSON} ->> (status || ' ' || reason), status),
          iif(a.value, '', website_id), CASE s.value WHEN 'minute' THEN carrier WHEN 'day' THEN '' ELSE send_purpose END, ${sign} * sum(count)
        FROM changed CROSS JOIN json_each('[0, 1]') a CROSS JOIN json_each('["minute", "day", "campaign"]') s
        WHERE NOT (a.value AND s.value = 'campaign') AND iif(s.value = 'minute', minute > ${minuteOf(now) - KEPT_MINUTES} AND status <> 'clicked',
          minute / 1440 > ${dayNumber(now) - KEPT_DAYS})
        GROUP BY 1, 2, 3, 4, 5 HAVING sum(count) <> 0
        ON CONFLICT (subject, span, kind, at, detail) DO UPDATE SET count = count + excluded.count`,
  );
}

/** Texts that a carrier has taken, by purpose in the minute in which it was: how fast a campaign goes. */
function countGone(db: D1Database, events: Sql, now: number): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO counts (span, at, kind, subject, detail, count)
        SELECT 'minute', e.occurred_at / 60000, 'gone', m.website_id, m.send_purpose, count(*)
        FROM ${events} WHERE NOT m.is_reply AND e.event IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY')
          AND e.occurred_at / 60000 > ${minuteOf(now) - KEPT_MINUTES}
          AND NOT EXISTS (SELECT 1 FROM events s WHERE s.message_id = e.message_id
            AND s.event IN ('SENDING', 'DELIVERED', 'FAILED_TO_DELIVERY') AND s.seq < e.seq)
        GROUP BY 2, 4, 5
        ON CONFLICT (subject, span, kind, at, detail) DO UPDATE SET count = count + excluded.count`,
  );
}

/** A number that was unknown, and is opted out, is no change. */
function countGrowth(db: D1Database, changes: Sql, now: number): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO counts (span, at, kind, subject, detail, count)
        SELECT 'day', l.changed_at / 86400000, iif(l.subscribed = 1, 'joined', 'parted'), iif(a.value, '', l.website_id), '', count(*)
        FROM ${changes} CROSS JOIN json_each('[0, 1]') a
        WHERE iif(l.subscribed = 1, l.was_subscribed IS NOT 1, l.was_subscribed = 1) AND l.changed_at / 86400000 > ${dayNumber(now) - KEPT_DAYS}
        GROUP BY 2, 3, 4
        ON CONFLICT (subject, span, kind, at, detail) DO UPDATE SET count = count + excluded.count`,
  );
}

/**
 * Counts, on the days of acceptance, messages that a person has answered by opting out: no ledger says it.
 * @param which query of message ids, which gives none when it is run again
 */
export function countOptedOut(db: D1Database, which: Sql, now: number): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO counts (span, at, kind, subject, detail, count)
      SELECT s.value, m.accepted_at / 86400000, 'optedOut', iif(a.value, '', m.website_id), iif(s.value = 'day', '', m.send_purpose), count(*)
      FROM (${which}) w CROSS JOIN messages m ON m.message_id = w.message_id
        CROSS JOIN json_each('[0, 1]') a CROSS JOIN json_each('["day", "campaign"]') s
      WHERE NOT (a.value AND s.value = 'campaign') AND m.accepted_at / 86400000 > ${dayNumber(now) - KEPT_DAYS} GROUP BY 1, 2, 4, 5
      ON CONFLICT (subject, span, kind, at, detail) DO UPDATE SET count = count + excluded.count`,
  );
}
