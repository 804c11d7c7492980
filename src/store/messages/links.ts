import type { DueEvent } from "../../domain/callbacks/callback.ts";
import { dueEvents } from "../callbacks/events.ts";
import { runNamed, runQuery } from "../database.ts";
import { hasCounted } from "../operations/report-counts.ts";
import type { LinkRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";

/** undefined: the link never existed, or was purged. */
export async function findLink(db: D1Database, code: string): Promise<{ messageId: string; url: string } | undefined> {
  const [row] = await runQuery<LinkRow>(prepare(db, sql`SELECT message_id, url FROM links WHERE code = ${code}`));
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
export const CALLED_BACK = 3;

/**
 * Counts a click. A person's first few clicks are events of the message as well, and count once, however often they are
 * recorded. A click in a shared row counts twice if it is recorded again after another click of that row: D1 may report a
 * failure of a transaction that took effect.
 */
export async function recordClick(db: D1Database, click: Click): Promise<DueEvent[]> {
  const { counter, row, event } = click.isPerson ? personStatements(click) : robotStatements(click);
  const rows = await runNamed(db, {
    counter: prepare(db, counter),
    row: prepare(db, row),
    event: event && prepare(db, event),
  });
  return dueEvents(rows.event);
}

/**
 * Each of the first CALLED_BACK clicks of people has a row of its own, under the id of the click, and an event. The clicks after them share
 * the row `more`. A click that is recorded again changes nothing if it finds its own row, or its id as the latest of the row `more`.
 */
function personStatements({ messageId, clickId, clickedAt }: Click) {
  const rowId = sql`iif(EXISTS (SELECT 1 FROM clicks WHERE message_id = ${messageId} AND click_id = ${clickId})
      OR (SELECT count(*) FROM (SELECT 1 FROM clicks WHERE message_id = ${messageId} AND is_person = 1
        LIMIT ${CALLED_BACK})) < ${CALLED_BACK}, ${clickId}, 'more')`;
  return {
    counter: sql`UPDATE report_counts SET clicks = clicks + 1,
        clicked = clicked + (NOT EXISTS (SELECT 1 FROM clicks WHERE message_id = ${messageId} AND is_person = 1))
      WHERE ${hasCounted(sql`SELECT ${messageId} WHERE NOT EXISTS (SELECT 1 FROM clicks
        WHERE message_id = ${messageId} AND last_click_id = ${clickId} AND click_id = ${rowId})`)}`,
    row: sql`INSERT INTO clicks (message_id, click_id, clicked_at, is_person, last_click_id)
      SELECT ${messageId}, ${rowId}, ${clickedAt}, 1, ${clickId} FROM messages WHERE message_id = ${messageId}
      ON CONFLICT (message_id, click_id) DO UPDATE SET count = count + 1, last_click_id = excluded.last_click_id
      WHERE last_click_id IS NOT excluded.last_click_id`,
    event: sql`INSERT INTO events (website_id, client_id, message_id, event, occurred_at, due_at)
      SELECT m.website_id, m.client_id, m.message_id, ${`CLICK_${clickId}`}, ${clickedAt},
        iif(m.callback_data <> '' AND c.callback_url IS NOT NULL
          AND (c.events IS NULL OR instr(c.events, '"message.clicked"') > 0), ${clickedAt}, NULL)
      FROM messages m LEFT JOIN clients c ON c.client_id = m.client_id WHERE m.message_id = ${messageId}
        AND EXISTS (SELECT 1 FROM clicks WHERE message_id = ${messageId} AND click_id = ${clickId})
      ON CONFLICT (message_id, event) DO NOTHING RETURNING message_id, event, due_at`,
  };
}

/** All clicks of robots on a message share the row `robots`. */
function robotStatements({ messageId, clickId, clickedAt }: Click) {
  return {
    counter: sql`UPDATE report_counts SET robot_clicks = robot_clicks + 1
      WHERE ${hasCounted(sql`SELECT ${messageId} WHERE NOT EXISTS (SELECT 1 FROM clicks
        WHERE message_id = ${messageId} AND last_click_id = ${clickId} AND click_id = 'robots')`)}`,
    row: sql`INSERT INTO clicks (message_id, click_id, clicked_at, is_person, last_click_id)
      SELECT ${messageId}, 'robots', ${clickedAt}, 0, ${clickId} FROM messages WHERE message_id = ${messageId}
      ON CONFLICT (message_id, click_id) DO UPDATE SET count = count + 1, last_click_id = excluded.last_click_id
      WHERE last_click_id IS NOT excluded.last_click_id`,
    event: null,
  };
}

export interface ClickCounts {
  people: number;
  robots: number;
  /** First click of a person: milliseconds since 1970. */
  firstAt: number | null;
}

export const NO_CLICKS: ClickCounts = { people: 0, robots: 0, firstAt: null };
