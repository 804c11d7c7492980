// An operator decides whether a text was meant as an opt-out.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { maskNumbers } from "../../domain/operations/mask.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { otherFormOf } from "../../domain/people/two-form-numbers.ts";
import { dueEvents } from "../callbacks/events.ts";
import { changeNotices } from "../callbacks/notices.ts";
import { runNamed, runQuery } from "../database.ts";
import { auditStatement, runAudited } from "../operations/audit.ts";
import { prepare, sql } from "../sql.ts";
import { type Acted, keywordStatements, type TextKey } from "./keyword-statements.ts";
import type { InboundTextRow } from "./rows.ts";

/** undefined: unknown. */
export async function findText(
  db: D1Database,
  { websiteId, carrier, carrierMessageId }: TextKey,
): Promise<InboundTextRow | undefined> {
  const [row] = await runQuery<InboundTextRow>(
    prepare(
      db,
      sql`SELECT * FROM inbound_texts WHERE website_id = ${websiteId} AND carrier = ${carrier}
        AND carrier_message_id = ${carrierMessageId}`,
    ),
  );
  return row;
}

interface Deciding {
  author: Author;
  /** Names the notices of the transaction. */
  run: string;
  now: number;
  /** The website gets a copy of the text, if it has none: the text is another's. */
  isCopied?: boolean;
}

/**
 * Stores a decision on a text that waits for one. To opt out is what a STOP would have done at this time, without its reply. Repeating
 * it changes nothing.
 */
export async function decideText(
  db: D1Database,
  row: InboundTextRow,
  optOut: boolean,
  { author, run, now, isCopied = false }: Deciding,
): Promise<DueEvent[]> {
  const key = keyOf(row);
  const { websiteId, carrier, carrierMessageId } = key;
  // It counts by when it is decided, and no reply confirms it: a STOP that follows gets one.
  const acted: Acted = {
    ...{ ...key, phones: [toDigits(row.sender)], keyword: "stop", text: row.text, now, sentAt: null, run },
    ...{ isConfirmed: false, isOnlyOne: true, tombstones: [] },
  };
  const rows = await runAudited(db, {
    copied:
      isCopied && optOut
        ? prepare(
            db,
            sql`INSERT INTO inbound_texts (website_id, carrier, carrier_message_id, sender, recipient, text, received_at, maybe_opt_out,
                applied)
              SELECT ${websiteId}, ${carrier}, ${carrierMessageId}, ${row.sender}, ${row.recipient}, ${row.text}, ${row.received_at}, 1, 1
              WHERE true ON CONFLICT DO NOTHING`,
          )
        : null,
    // The statements of a keyword act on texts that are not applied.
    decided: prepare(
      db,
      sql`UPDATE inbound_texts SET maybe_opt_out = 0, decided_opt_out = ${optOut ? 1 : 0}, decided_at = ${now},
          decided_by = ${author.operator}, applied = iif(${optOut ? 1 : 0}, 0, applied)
        WHERE website_id = ${websiteId} AND carrier = ${carrier} AND carrier_message_id = ${carrierMessageId}
          AND maybe_opt_out = 1`,
    ),
    audited: auditStatement(db, author, entryOf(row, { optOut }), now),
    act: optOut ? keywordStatements(db, acted) : null,
    applied: prepare(
      db,
      sql`UPDATE inbound_texts SET applied = 1
        WHERE website_id = ${websiteId} AND carrier = ${carrier} AND carrier_message_id = ${carrierMessageId} AND applied = 0`,
    ),
  });
  // "made": the sweep queues them.
  return rows === "made" ? [] : dueEvents(rows.act);
}

/**
 * Takes a decision back: the text waits for one again. The number is what it was before, unless somebody has set it since: its own STOP
 * always holds. The report keeps the opt-out that it has counted.
 */
export async function takeBack(
  db: D1Database,
  row: InboundTextRow,
  { author, run, now }: Deciding,
): Promise<DueEvent[]> {
  const { websiteId, carrier, carrierMessageId } = keyOf(row);
  const phone = toDigits(row.sender);
  const other = otherFormOf(phone);
  // A later decision stays.
  const decidedAt = row.decided_at;
  const added = { websiteId, source: "operator", proof: author.requestId, now } as const;
  const rows = await runNamed(db, {
    // The number has its state of the decision, and nobody has opted it out again.
    taken: prepare(
      db,
      sql`UPDATE subscriptions AS s SET opted_out_by_person = 0, opt_out_confirmed_at = NULL,
          subscribed = coalesce((SELECT l.was_subscribed FROM subscription_changes l WHERE l.change_id = s.change_id), 0)
        WHERE s.website_id = ${websiteId} AND s.phone IN (${phone}, ${other})
          AND s.opted_out_at = ${decidedAt} AND s.stop_stored_at <= ${decidedAt}
          AND EXISTS (SELECT 1 FROM inbound_texts i CROSS JOIN subscription_changes l ON l.change_id = s.change_id
            WHERE i.website_id = ${websiteId} AND i.carrier = ${carrier} AND i.carrier_message_id = ${carrierMessageId}
              AND i.decided_at = ${decidedAt} AND i.decided_opt_out = 1
              AND l.source = 'keyword' AND l.changed_at = i.decided_at AND l.proof = i.text)`,
    ),
    // It is subscribed again, and its row of the ledger says yet that it is not.
    ledger: prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
        SELECT s.website_id, s.phone, 0, 1, ${now}, 'operator', ${author.requestId}
        FROM subscriptions s CROSS JOIN subscription_changes l ON l.change_id = s.change_id
        WHERE s.website_id = ${websiteId} AND s.phone IN (${phone}, ${other}) AND s.subscribed = 1 AND l.subscribed = 0`,
    ),
    told: changeNotices(db, added, run),
    subscription: prepare(
      db,
      sql`UPDATE subscriptions AS s SET change_id = (SELECT max(c.change_id) FROM subscription_changes c
          WHERE c.website_id = s.website_id AND c.phone = s.phone)
        WHERE s.website_id = ${websiteId} AND s.phone IN (${phone}, ${other}) AND s.subscribed = 1
          AND EXISTS (SELECT 1 FROM subscription_changes l WHERE l.change_id = s.change_id AND l.subscribed = 0)`,
    ),
    undecided: prepare(
      db,
      sql`UPDATE inbound_texts SET maybe_opt_out = 1, decided_opt_out = NULL, decided_at = NULL, decided_by = NULL
        WHERE website_id = ${websiteId} AND carrier = ${carrier} AND carrier_message_id = ${carrierMessageId}
          AND decided_at = ${decidedAt}`,
    ),
    audited: auditStatement(db, author, entryOf(row, { optOut: null }), now),
  });
  return dueEvents(rows.told);
}

const keyOf = (row: InboundTextRow): TextKey => ({
  websiteId: row.website_id,
  carrier: row.carrier,
  carrierMessageId: row.carrier_message_id,
});

/** The text itself is not in the audit log. */
const entryOf = (row: InboundTextRow, after: { optOut: boolean | null }) =>
  ({ action: "decide-inbound", websiteId: row.website_id, subject: maskNumbers(row.sender), after }) as const;
