// By which carrier and sender messages go: by those of their website, or by its fallback. See src/domain/messages/by-fallback.ts.
import { BY } from "../../domain/messages/by-fallback.ts";
import type { BreakerKey } from "../../domain/messages/circuit-breaker.ts";
import { piece, type Sql, sql } from "../sql.ts";

/** By which the message `m` of the website `w` may go. */
export const ROUTES = sql`json_each(CASE
  WHEN m.by_fallback = ${BY.onlyOwn} OR w.settings ->> '$.fallback' IS NULL
    THEN json_array(json_object('carrier', w.carrier, 'sender', w.sender))
  WHEN m.by_fallback = ${BY.onlyFallback} THEN json_array(w.settings -> '$.fallback')
  ELSE json_array(json_object('carrier', w.carrier, 'sender', w.sender), w.settings -> '$.fallback') END)`;

/**
 * The websites with this sender, for a join as `w`: as their own, or as their fallback.
 * @param key with the sender `""`: those with any sender of the carrier
 */
export function websitesBy({ carrier, sender }: BreakerKey, now: number): Sql {
  const ofKey = (column: Sql) => (sender === "" ? piece("true") : sql`${column} = ${sender}`);
  return sql`(SELECT website_id, holds, sender, 0 AS is_fallback, 0 AS own_pauses FROM websites INDEXED BY websites_by_sender
      WHERE carrier = ${carrier} AND ${ofKey(piece("sender"))}
    UNION ALL SELECT o.website_id, o.holds, f.sender, 1, EXISTS (SELECT 1 FROM carrier_pauses p
        WHERE p.carrier = o.carrier AND p.sender IN ('', o.sender) AND p.open_until > ${now})
      FROM former_senders f CROSS JOIN websites o ON o.website_id = f.website_id
      WHERE f.carrier = ${carrier} AND ${ofKey(piece("f.sender"))}
        AND o.settings ->> '$.fallback.carrier' = f.carrier AND o.settings ->> '$.fallback.sender' = f.sender)`;
}

/** Whether the message `m` goes by this sender of `w`: by a fallback go those that have nothing else, or whose own pauses. */
export const GOES_BY_IT = sql`iif(w.is_fallback, m.by_fallback = ${BY.onlyFallback} OR w.own_pauses AND m.by_fallback <> ${BY.onlyOwn},
  m.by_fallback <> ${BY.onlyFallback})`;
