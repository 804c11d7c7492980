import { type Sql, sql } from "../sql.ts";

/**
 * The messages of a list, as `recipients`: each with its number, given or found by its e-mail address, and the status that its
 * subscription decides. A message with `refusedAs` has that status if it would be sent otherwise. Cancelled messages are left out: a route to
 * the store that was given up may still run.
 * They are MATERIALIZED, because SQLite would otherwise look up the subscription again for each mention of the status.
 * @param list a JSON array of objects
 */
export function recipients(list: string): Sql {
  return sql`WITH given AS (
      SELECT value, value ->> 'messageId' AS message_id, value ->> 'websiteId' AS website_id, value ->> 'email' AS email
      FROM json_each(${list})),
    found AS (
      SELECT g.value, g.message_id, g.website_id, iif(g.email IS NULL, g.value ->> 'phone',
        (SELECT s.phone FROM subscriptions s WHERE s.website_id = g.website_id AND s.email = g.email AND s.subscribed = 1
         ORDER BY s.change_id DESC LIMIT 1)) AS phone
      FROM given g WHERE NOT EXISTS (SELECT 1 FROM cancelled_messages c WHERE c.message_id = g.message_id)),
    recipients AS MATERIALIZED (
      SELECT f.*, CASE WHEN f.phone IS NULL THEN 'FAILED_TO_MATCH' ELSE
        CASE (SELECT s.subscribed FROM subscriptions s WHERE s.website_id = f.website_id AND s.phone = f.phone)
          WHEN 1 THEN iif(f.value ->> 'refusedAs' IS NULL, 'PENDING_TO_SEND', 'FAILED_TO_SEND') WHEN 0 THEN 'NOT_SUBSCRIBED' ELSE 'NOT_FOUND' END END AS status
      FROM found f)`;
}
