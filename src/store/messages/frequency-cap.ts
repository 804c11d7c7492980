// The frequency cap of a website counts the submissions begun to a person within its hours, in whichever form the number is. A claim is
// one transaction, so no two runs pass the cap together.
import { CAP_PAUSE_SECONDS } from "../../domain/messages/retry-policy.ts";
import { oneFormIn, otherFormIn } from "../people/number-forms.ts";
import { piece, prepare, type Query, type Sql, sql } from "../sql.ts";

const ONE_PERSON = oneFormIn(piece("m.phone"));

/** How many submissions were begun to the person of the message `m`, by the cap of the website `w`. @param condition on them, as `b` */
const begun = (now: number, condition: Sql): Sql =>
  sql`(SELECT count(*) FROM messages b WHERE b.website_id = m.website_id AND b.phone IN (m.phone, ${otherFormIn(piece("m.phone"))})
    AND b.kind IS NOT 'transactional' AND b.is_reply = 0
    AND b.claimed_at > ${now} - (w.settings ->> '$.frequencyCap.hours') * 3600000 AND ${condition})`;

/**
 * Condition on a message `m`: it is over the cap for good. A submission without an outcome is not counted, because it may come to nothing.
 * Reads nothing for a message without a kind.
 * @param mayGo condition on `m`: the claim would take it otherwise
 */
export function isOverCap(mayGo: Sql, now: number): Sql {
  return sql`(m.kind IS 'marketing' AND ${mayGo} AND EXISTS (SELECT 1 FROM websites w WHERE w.website_id = m.website_id
    AND ${begun(now, piece("b.status <> 'PENDING_TO_SEND'"))} >= w.settings ->> '$.frequencyCap.count'))`;
}

/**
 * Puts back the messages of a list for which the cap has no place beside those that are being submitted, and those of the list that were
 * accepted earlier: they may go if one of these comes to nothing. It runs before the claim of the others.
 * @param mayGo condition on `m`: the claim would take it otherwise
 */
export function putBackCrowded(
  db: D1Database,
  list: string,
  mayGo: Sql,
  now: number,
): Query<{ message_id: string; due_at: number }> {
  return prepare(
    db,
    sql`UPDATE messages SET due_at = ${now + CAP_PAUSE_SECONDS * 1000},
        reason = 'the frequency cap has no place for it while other messages to the person are being submitted'
      WHERE message_id IN (SELECT value FROM json_each(${list})) AND kind IS 'marketing' AND +message_id IN (SELECT c.message_id FROM (
        SELECT m.message_id, w.settings ->> '$.frequencyCap.count' - ${begun(now, piece("true"))} AS room,
          row_number() OVER (PARTITION BY m.website_id, ${ONE_PERSON} ORDER BY m.accepted_at, m.message_id) AS place
        FROM messages m CROSS JOIN websites w ON w.website_id = m.website_id
        WHERE m.message_id IN (SELECT value FROM json_each(${list})) AND m.kind IS 'marketing' AND w.settings ->> 'frequencyCap' IS NOT NULL
          AND m.claimed_at IS NULL AND ${mayGo}) c WHERE c.place > c.room)
      RETURNING message_id, due_at`,
  );
}
