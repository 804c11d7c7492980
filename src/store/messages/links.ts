import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { dueEvents } from "../callbacks/events.ts";
import { runNamed, runQuery } from "../database.ts";
import { countLate } from "../operations/daily-counts.ts";
import type { LinkRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";

/** undefined: the link never existed, or was purged. */
export async function findLink(db: D1Database, code: string): Promise<{ messageId: string; url: string } | undefined> {
  const [row] = await runQuery<LinkRow>(db.prepare("SELECT message_id, url FROM links WHERE code = ?1").bind(code));
  return row && { messageId: row.message_id, url: row.url };
}

export interface Click {
  messageId: string;
  /** Unique per click. */
  clickId: string;
  clickedAt: number;
  isPerson: boolean;
}

/** Clicks per message that cause callbacks. The limit keeps a link from making the service post endlessly. */
const CALLED_BACK = 3;

/** Rows that several clicks share: people's clicks beyond the first few, and robots' clicks. Other ids are of single clicks. */
const SHARED_ROWS = { people: "more", robots: "robots" };

/**
 * Counts a click. A person's first few clicks are events of the message as well, and count once, however often they are
 * recorded. A click in a shared row counts twice if it is recorded again after another click of that row: D1 may report a
 * failure of a transaction that took effect.
 */
export async function recordClick(db: D1Database, click: Click): Promise<DueEvent[]> {
  const { messageId, clickId, clickedAt, isPerson } = click;
  const shared = isPerson ? SHARED_ROWS.people : SHARED_ROWS.robots;
  const rows = await runNamed(db, {
    counters: countLate(
      db,
      isPerson
        ? "clicks = clicks + 1, clicked = clicked + (NOT EXISTS (SELECT 1 FROM clicks WHERE message_id = ?1 AND is_person = 1))"
        : "robot_clicks = robot_clicks + 1",
      `SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM clicks WHERE message_id = ?1 AND last_click_id = ?2
         AND click_id = ${isPerson ? `iif(${IS_RECORDED} OR ${IS_EARLY}, ?2, ?3)` : "?3"})`,
      [messageId, clickId, shared],
    ),
    click: db
      .prepare(
        `INSERT INTO clicks (message_id, click_id, clicked_at, is_person, last_click_id)
         SELECT ?1, iif(?4 AND (${IS_RECORDED} OR ${IS_EARLY}), ?2, ?5), ?3, ?4, ?2 FROM messages WHERE message_id = ?1
         ON CONFLICT (message_id, click_id) DO UPDATE SET count = count + 1, last_click_id = excluded.last_click_id
         WHERE last_click_id IS NOT excluded.last_click_id`,
      )
      .bind(messageId, clickId, clickedAt, isPerson ? 1 : 0, shared),
    event: isPerson
      ? prepare(
          db,
          sql`INSERT INTO events (website_id, client_id, message_id, event, occurred_at, due_at)
            SELECT m.website_id, m.client_id, m.message_id, ${`CLICK_${clickId}`}, ${clickedAt},
              iif(m.callback_data <> '' AND c.callback_url IS NOT NULL
                AND (c.events IS NULL OR instr(c.events, '"message.clicked"') > 0), ${clickedAt}, NULL)
            FROM messages m LEFT JOIN clients c ON c.client_id = m.client_id WHERE m.message_id = ${messageId}
              AND EXISTS (SELECT 1 FROM clicks WHERE message_id = ${messageId} AND click_id = ${clickId})
            ON CONFLICT (message_id, event) DO NOTHING RETURNING message_id, event, due_at`,
        )
      : null,
  });
  return dueEvents(rows.event);
}

/** Whether the click ?2 of the message ?1 has a row of its own, and whether it may still get one. */
const IS_RECORDED = "EXISTS (SELECT 1 FROM clicks WHERE message_id = ?1 AND click_id = ?2)";
const IS_EARLY = `(SELECT count(*) FROM (SELECT 1 FROM clicks WHERE message_id = ?1 AND is_person = 1
  LIMIT ${CALLED_BACK})) < ${CALLED_BACK}`;

export interface ClickCounts {
  people: number;
  robots: number;
  /** First click of a person: milliseconds since 1970. */
  firstAt: number | null;
}

/** Columns of ClickCounts, of the rows of clicks of a message. */
export const CLICK_COUNTS = `coalesce(sum(iif(is_person = 1, count, 0)), 0) AS people,
  coalesce(sum(iif(is_person = 0, count, 0)), 0) AS robots, min(iif(is_person = 1, clicked_at, NULL)) AS firstAt`;

export const NO_CLICKS: ClickCounts = { people: 0, robots: 0, firstAt: null };
