import { type Sql, sql } from "../sql.ts";

/**
 * Condition: the message `m` of a list is over the frequency cap of its website. Counts the submissions begun to its person within the
 * hours of the cap, and those that the same claim is about to begin, in the order of their acceptance: a statement does not see the rows
 * that it changes. The claim is one transaction, so no two runs pass the cap together. Reads nothing for a message without a kind.
 * @param mayGo condition on `m`: the claim would take it otherwise
 */
export function isOverCap(list: string, mayGo: Sql, now: number): Sql {
  return sql`(m.kind IS 'marketing' AND m.message_id IN (SELECT c.message_id FROM (
      SELECT m.message_id, m.website_id, m.phone, w.frequency_cap AS cap,
        row_number() OVER (PARTITION BY m.website_id, m.phone ORDER BY m.accepted_at, m.message_id) AS place
      FROM messages m CROSS JOIN websites w ON w.website_id = m.website_id
      WHERE m.message_id IN (SELECT value FROM json_each(${list})) AND m.kind IS 'marketing' AND w.frequency_cap IS NOT NULL
        AND m.claimed_at IS NULL AND ${mayGo}) c
    WHERE c.place + (SELECT count(*) FROM messages begun WHERE begun.website_id = c.website_id AND begun.phone = c.phone
        AND begun.kind IS NOT 'transactional' AND begun.is_reply = 0
        AND begun.claimed_at > ${now} - (c.cap ->> 'hours') * 3600000) > c.cap ->> 'count'))`;
}
