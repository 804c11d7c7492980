/** SQL of the website: a bulk request has one for all of its messages, and each single send names its own. */
export const THE_WEBSITE = "?2";
export const ITS_WEBSITE = "value ->> 'websiteId'";

/**
 * The messages of ?1, a JSON array of objects, as `recipients`: each with its website and its number there, given or found by
 * its e-mail address. Cancelled messages are left out: a transaction may commit long after its caller gave up.
 */
export const recipients = (website: string) => `WITH recipients AS (
    SELECT value ->> 'messageId' AS message_id, ${website} AS website_id, value,
      iif(value ->> 'email' IS NULL, value ->> 'phone',
      (SELECT phone FROM subscriptions WHERE website_id = ${website} AND email = value ->> 'email' AND subscribed = 1
       ORDER BY change_id DESC LIMIT 1)) AS phone
    FROM json_each(?1)
    WHERE NOT EXISTS (SELECT 1 FROM cancelled_messages c WHERE c.message_id = value ->> 'messageId')
  )`;
