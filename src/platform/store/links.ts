import { runNamed, runQuery } from "./database.ts";
import { type DueEvent, dueEvents } from "./events.ts";

/** Where a link leads; undefined for one that never was, or is no more. */
export async function findLink(db: D1Database, code: string): Promise<{ messageId: string; url: string } | undefined> {
  const [row] = await runQuery(db.prepare("SELECT message_id, url FROM links WHERE code = ?1").bind(code));
  return row && { messageId: row.message_id as string, url: row.url as string };
}

export interface Click {
  messageId: string;
  /** Of this click: recorded again, it counts once. */
  clickId: string;
  clickedAt: number;
  isPerson: boolean;
}

/** Counts a click; a person's is an event of its message. */
export async function recordClick(db: D1Database, click: Click): Promise<DueEvent[]> {
  const rows = await runNamed(db, {
    click: db
      .prepare(
        `INSERT INTO clicks (message_id, click_id, clicked_at, is_person)
         SELECT ?1, ?2, ?3, ?4 FROM messages WHERE message_id = ?1 ON CONFLICT DO NOTHING`,
      )
      .bind(click.messageId, click.clickId, click.clickedAt, click.isPerson ? 1 : 0),
    event: click.isPerson
      ? db
          .prepare(
            `INSERT INTO events (message_id, event, occurred_at, callback_due, queued_at)
             SELECT m.message_id, 'CLICK_' || ?2, ?3, m.callback_data <> '' AND c.callback_url IS NOT NULL, ?3
             FROM messages m LEFT JOIN clients c ON c.client_id = m.client_id WHERE m.message_id = ?1
             ON CONFLICT DO NOTHING RETURNING message_id, event, callback_due`,
          )
          .bind(click.messageId, click.clickId, click.clickedAt)
      : null,
  });
  return dueEvents(rows.event);
}

export interface ClickCounts {
  people: number;
  robots: number;
  /** Of a person; milliseconds since 1970. */
  firstAt: number | null;
}

export async function readClicks(db: D1Database, messageId: string): Promise<ClickCounts> {
  const [row] = await runQuery(
    db
      .prepare(
        `SELECT coalesce(sum(is_person), 0) AS people, coalesce(sum(1 - is_person), 0) AS robots,
           min(iif(is_person = 1, clicked_at, NULL)) AS first_at FROM clicks WHERE message_id = ?1`,
      )
      .bind(messageId),
  );
  return { people: Number(row?.people), robots: Number(row?.robots), firstAt: row?.first_at as number | null };
}
