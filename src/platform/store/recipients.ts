/**
 * The messages of ?1, a JSON array of objects, of the website ?2, as `recipients`: each with its number there, given or found by its
 * e-mail address. Cancelled messages are left out: a transaction may commit long after its caller gave up.
 */
export const RECIPIENTS = `WITH recipients AS (
    SELECT value ->> 'messageId' AS message_id, ?2 AS website_id, value,
      iif(value ->> 'email' IS NULL, value ->> 'phone',
      (SELECT phone FROM subscriptions WHERE website_id = ?2 AND email = value ->> 'email' AND subscribed = 1
       ORDER BY change_id DESC LIMIT 1)) AS phone
    FROM json_each(?1)
    WHERE NOT EXISTS (SELECT 1 FROM cancelled_messages c WHERE c.message_id = value ->> 'messageId')
  )`;
