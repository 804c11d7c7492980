// An operator decides whether a text was meant as an opt-out.
import type { DueEvent } from "../../domain/callbacks/callback.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { maskNumbers } from "../../domain/operations/mask.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { otherFormOf } from "../../domain/people/two-form-numbers.ts";
import { dueEvents } from "../callbacks/events.ts";
import { changeNotices, HEARS_OF_CHANGES } from "../callbacks/notices.ts";
import { runNamed, runQuery } from "../database.ts";
import { auditStatement, runAudited } from "../operations/audit.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { type Acted, keywordStatements } from "./keyword-statements.ts";
import type { InboundTextRow } from "./rows.ts";

/** What names a text. */
export interface TextKey {
  websiteId: string;
  carrier: string;
  carrierMessageId: string;
}

/** undefined: unknown. */
export async function findText(db: D1Database, key: TextKey): Promise<InboundTextRow | undefined> {
  const [row] = await runQuery<InboundTextRow>(prepare(db, sql`SELECT * FROM inbound_texts i WHERE ${isThe(key)}`));
  return row;
}

const isThe = ({ websiteId, carrier, carrierMessageId }: TextKey): Sql =>
  sql`i.website_id = ${websiteId} AND i.carrier = ${carrier} AND i.carrier_message_id = ${carrierMessageId}`;

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
  const phone = toDigits(row.sender);
  // It counts by when it is decided, and no reply confirms it: a STOP that follows gets one.
  const acted: Acted = {
    ...{ keyword: "stop", text: row.text, now, sentAt: null, rankAt: now, isConfirmed: false, isOnlyOne: true, run },
    ...{ carrier, carrierMessageId, websiteIds: JSON.stringify([websiteId]), phone, forms: "[]", tombstones: [] },
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
      sql`UPDATE inbound_texts AS i SET maybe_opt_out = 0, decided_opt_out = ${optOut ? 1 : 0}, decided_at = ${now},
          decided_by = ${author.operator}, applied = iif(${optOut ? 1 : 0}, 0, applied)
        WHERE ${isThe(key)} AND maybe_opt_out = 1`,
    ),
    audited: auditStatement(db, author, entryOf(row, { optOut }), now),
    act: optOut ? keywordStatements(db, acted) : null,
    applied: prepare(db, sql`UPDATE inbound_texts AS i SET applied = 1 WHERE ${isThe(key)} AND applied = 0`),
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
  const key = keyOf(row);
  const { websiteId } = key;
  const phone = toDigits(row.sender);
  const isTheirs = sql`s.website_id = ${websiteId} AND s.phone IN (${phone}, ${otherFormOf(phone)})`;
  // The decision as it was read: a later one stays.
  const isDecision = sql`${isThe(key)} AND i.decided_at = ${row.decided_at}`;
  // The change `l` is the decision's, and nobody has opted the number out again.
  const isOurs = sql`${isDecision} AND i.decided_opt_out = 1 AND l.source = 'keyword' AND l.changed_at = i.decided_at
    AND l.proof = i.text AND s.opted_out_at = i.decided_at AND s.stop_stored_at <= i.decided_at`;
  const changed = sql`inbound_texts i CROSS JOIN subscriptions s ON ${isTheirs}
    CROSS JOIN subscription_changes l ON l.change_id = s.change_id`;
  const rows = await runNamed(db, {
    told: changeNotices(
      db,
      sql`SELECT c.client_id, c.website_id, c.callback_url, s.phone, 1 AS subscribed
        FROM ${changed} CROSS JOIN clients c INDEXED BY clients_with_events
        WHERE c.website_id = ${websiteId} AND ${HEARS_OF_CHANGES} AND ${isOurs} AND l.was_subscribed = 1`,
      { run, source: "keyword", now },
    ),
    ledger: prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
        SELECT s.website_id, s.phone, 0, 1, ${now}, 'operator', ${author.requestId}
        FROM ${changed} WHERE ${isOurs} AND l.was_subscribed = 1`,
    ),
    subscription: prepare(
      db,
      sql`UPDATE subscriptions AS s SET opted_out_by_person = 0, opt_out_confirmed_at = NULL,
          subscribed = coalesce((SELECT c.was_subscribed FROM subscription_changes c WHERE c.change_id = s.change_id), 0),
          change_id = (SELECT max(c.change_id) FROM subscription_changes c WHERE c.website_id = s.website_id AND c.phone = s.phone)
        WHERE ${isTheirs} AND EXISTS (SELECT 1 FROM inbound_texts i
          CROSS JOIN subscription_changes l ON l.change_id = s.change_id WHERE ${isOurs})`,
    ),
    undecided: prepare(
      db,
      sql`UPDATE inbound_texts AS i SET maybe_opt_out = 1, decided_opt_out = NULL, decided_at = NULL, decided_by = NULL
        WHERE ${isDecision}`,
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
