// What stands around a message: the consent of the person when it was accepted, and the texts before and after it.
import type { MessageStatus } from "../../domain/messages/message.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { runNamed } from "../database.ts";
import type { ChangeSource, MessageRow, SubscriptionChangeRow } from "../rows.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import type { StoredMessage } from "./stored-message.ts";

/** What the ledger said at a moment. Times are milliseconds since 1970. */
export interface Consent {
  subscribed: boolean;
  /** null, with what follows: the number was never subscribed nor opted out. */
  since: number | null;
  source: ChangeSource | null;
  /** Whose import or act it was; null also where no operator made it. */
  operator: string | null;
  proof: string | null;
  changeId: number | null;
  /** When the person agreed and what shows it, as a client or an import has told it. */
  consentedAt: number | null;
  evidence: string | null;
}

export interface Neighbor {
  messageId: string;
  acceptedAt: number;
  sendPurpose: string;
  status: MessageStatus;
}

export interface MessageContext {
  /** null: the message has no number. */
  consent: Consent | null;
  /** The latest text before it to the same number from the same website, and the first after it. */
  before: Neighbor | null;
  after: Neighbor | null;
}

type Change = Pick<
  SubscriptionChangeRow,
  "change_id" | "subscribed" | "changed_at" | "source" | "proof" | "consented_at" | "evidence"
> & { operator: string | null };
type Text = Pick<MessageRow, "message_id" | "accepted_at" | "send_purpose" | "status">;

export async function readContext(
  db: D1Database,
  { websiteId, phone, acceptedAt }: Pick<StoredMessage, "websiteId" | "phone" | "acceptedAt">,
): Promise<MessageContext> {
  if (phone === null) return { consent: null, before: null, after: null };
  const digits = toDigits(phone);
  const texts: Sql = sql`SELECT message_id, accepted_at, send_purpose, status FROM messages
    WHERE website_id = ${websiteId} AND phone = ${digits}`;
  const rows = await runNamed(db, {
    // A change of the address alone is none of the consent.
    change: prepare(
      db,
      sql`SELECT l.change_id, l.subscribed, l.changed_at, l.source, l.proof, l.consented_at, l.evidence, a.operator
        FROM subscription_changes l LEFT JOIN audit_log a ON a.request_id = l.proof AND l.source IN ('import', 'operator')
        WHERE l.website_id = ${websiteId} AND l.phone = ${digits} AND l.changed_at <= ${acceptedAt}
          AND l.was_subscribed IS NOT l.subscribed ORDER BY l.change_id DESC LIMIT 1`,
    ),
    before: prepare(db, sql`${texts} AND accepted_at < ${acceptedAt} ORDER BY accepted_at DESC LIMIT 1`),
    after: prepare(db, sql`${texts} AND accepted_at > ${acceptedAt} ORDER BY accepted_at LIMIT 1`),
  });
  return {
    consent: toConsent((rows.change as Change[])[0]),
    before: toNeighbor((rows.before as Text[])[0]),
    after: toNeighbor((rows.after as Text[])[0]),
  };
}

function toConsent(row: Change | undefined): Consent {
  return {
    subscribed: row?.subscribed === 1,
    since: row?.changed_at ?? null,
    source: row?.source ?? null,
    operator: row?.operator ?? null,
    proof: row?.proof ?? null,
    changeId: row?.change_id ?? null,
    consentedAt: row?.consented_at ?? null,
    evidence: row?.evidence ?? null,
  };
}

function toNeighbor(row: Text | undefined): Neighbor | null {
  if (!row) return null;
  return {
    messageId: row.message_id,
    acceptedAt: row.accepted_at,
    sendPurpose: row.send_purpose,
    status: row.status,
  };
}
