// The statements that store new messages and their links, of a single send and of a bulk request alike.
import { isStoreUnavailable, RequestFailure } from "../../domain/failure.ts";
import { SCHEDULED_LEAD_MILLISECONDS } from "../../domain/messages/retry-policy.ts";
import type { AcceptedMessage } from "../../domain/messages/send.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { recipients } from "./recipients.ts";

export const isRefused = ({ refusedAs }: Pick<AcceptedMessage, "refusedAs">) => refusedAs !== undefined;

/** Inserts messages with the statuses that their subscriptions decide. @param condition on the recipient `r` */
export function insertMessages(list: string, condition: Sql): Sql {
  return sql`${recipients(list)} INSERT INTO messages (message_id, website_id, client_id, phone, email, text, media_url, click_url,
      callback_data, send_purpose, encoding, segments, ignored_fields, send_at, expires_at, accepted_at, updated_at,
      kind, time_zone, region, country, opens_at, status, due_at)
    SELECT r.message_id, r.website_id, r.value ->> 'clientId', r.phone, r.value ->> 'email', r.value ->> 'text',
      r.value ->> 'mediaUrl', r.value ->> 'clickUrl', r.value ->> 'callbackData', r.value ->> 'sendPurpose',
      r.value ->> 'encoding', r.value ->> 'segments', r.value ->> 'ignoredFields', r.value ->> 'sendAt',
      r.value ->> 'expiresAt', r.value ->> 'acceptedAt', r.value ->> 'acceptedAt', r.value ->> 'kind', r.value ->> 'timeZone',
      r.value ->> 'region', iif(r.phone = coalesce(r.value ->> 'phone', r.value ->> 'phoneFound'), r.value ->> 'country', NULL),
      r.value ->> 'opensAt', r.status,
      CASE WHEN r.status <> 'PENDING_TO_SEND' OR r.value ->> 'sendAt' > (r.value ->> 'acceptedAt') + ${SCHEDULED_LEAD_MILLISECONDS} THEN NULL
        ELSE coalesce(r.value ->> 'sendAt', r.value ->> 'acceptedAt') END
    FROM recipients r WHERE ${condition} ON CONFLICT (message_id) DO NOTHING`;
}

/** Says of refused messages why they have failed. */
export function explainRefused(db: D1Database, list: string): D1PreparedStatement {
  return prepare(
    db,
    sql`UPDATE messages AS m SET reason = j.value ->> 'refusedBecause', reason_code = j.value ->> 'refusedAs'
      FROM json_each(${list}) j
      WHERE m.message_id = j.value ->> 'messageId' AND m.status = 'FAILED_TO_SEND' AND m.reason_code IS NULL
        AND j.value ->> 'refusedAs' IS NOT NULL`,
  );
}

/** Stores where the links of messages lead. */
export function insertLinks(db: D1Database, list: string, condition: Sql): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO links (code, message_id, url) SELECT j.value ->> 'linkCode', m.message_id, m.click_url
      FROM json_each(${list}) j CROSS JOIN messages m ON m.message_id = j.value ->> 'messageId'
      WHERE j.value ->> 'linkCode' IS NOT NULL AND m.website_id = j.value ->> 'websiteId' AND m.click_url IS NOT NULL
        AND ${condition} AND NOT EXISTS (SELECT 1 FROM links l WHERE l.message_id = m.message_id)`,
  );
}

/** A refused question does not tell what the transaction before it has stored. */
export function failUnconfirmed(error: unknown): never {
  throw isStoreUnavailable(error) ? new RequestFailure({ kind: "store-unavailable" }, { cause: error }) : error;
}
