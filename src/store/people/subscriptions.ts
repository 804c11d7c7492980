// Who is subscribed. What opts a person out is in opt-out.ts and opt-out-at-carrier.ts; all that is known of one person, in person.ts.
import type { Author } from "../../domain/operations/audit.ts";
import { maskNumbers } from "../../domain/operations/mask.ts";
import type { Consent } from "../../domain/people/consent.ts";
import type { PhoneList } from "../../domain/people/number-list/distinct-phones.ts";
import { toSortedJson } from "../../domain/people/number-list/sorted-json.ts";
import { runQuery, toJsonLists } from "../database.ts";
import { auditStatement, runAudited } from "../operations/audit.ts";
import type { ChangeSource, SubscriptionRow } from "../rows.ts";
import { prepare, sql } from "../sql.ts";

/**
 * Looks up which numbers are subscribed to the website's text program, in one query.
 * @param phones distinct
 * @returns 1 (subscribed) or 0 per number, in the order of `phones.valid`
 */
export async function findSubscribed(
  db: D1Database,
  websiteId: string,
  phones: Pick<PhoneList, "valid" | "order">,
): Promise<Uint8Array> {
  // Sorted keys read the index sequentially. The positions come back as one value instead of one row each.
  const [row] = await runQuery<{ places: string }>(
    prepare(
      db,
      sql`SELECT json_group_array(j.key) AS places FROM json_each(${toSortedJson(phones)}) j
        CROSS JOIN subscriptions s ON s.website_id = ${websiteId} AND s.phone = j.value WHERE s.subscribed = 1`,
    ),
  );
  const subscribed = new Uint8Array(phones.valid.length);
  for (const place of JSON.parse(row?.places ?? "[]") as number[]) subscribed[phones.order[place] as number] = 1;
  return subscribed;
}

/** The numbers (as digits) that the website has subscribed or texted. No query for an empty list. */
export async function findStored(db: D1Database, websiteId: string, phones: number[]): Promise<number[]> {
  const found: number[] = [];
  for (const list of toJsonLists(phones)) {
    const rows = await runQuery<Pick<SubscriptionRow, "phone">>(
      prepare(
        db,
        sql`SELECT j.value AS phone FROM json_each(${list}) j
          WHERE EXISTS (SELECT 1 FROM subscriptions s WHERE s.website_id = ${websiteId} AND s.phone = j.value)
            OR EXISTS (SELECT 1 FROM messages m WHERE m.website_id = ${websiteId} AND m.phone = j.value)`,
      ),
    );
    found.push(...rows.map(({ phone }) => phone));
  }
  return found;
}

/** Source of a change, and its proof: a request id, or the text of a message. */
export interface ChangeOrigin {
  source: ChangeSource;
  proof: string;
  now: number;
  /** The client that made it: it is not told. */
  clientId?: string;
  /** Kept with each number that it subscribes. */
  consent?: Consent;
}

/** An undo of an import does not bring the address back. @returns false: unknown number */
export async function removeEmail(
  db: D1Database,
  author: Author,
  websiteId: string,
  phone: number,
  now: number,
): Promise<boolean> {
  const subject = maskNumbers(String(phone));
  const rows = await runAudited(db, {
    forgotten: prepare(
      db,
      sql`UPDATE subscription_changes SET was_email = ''
        WHERE website_id = ${websiteId} AND phone = ${phone} AND was_email <> ''`,
    ),
    change: prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof, was_email)
        SELECT website_id, phone, subscribed, subscribed, ${now}, 'operator', ${author.requestId}, '' FROM subscriptions
        WHERE website_id = ${websiteId} AND phone = ${phone} AND email IS NOT NULL`,
    ),
    removed: prepare(
      db,
      sql`UPDATE subscriptions SET email = NULL, change_id = coalesce((SELECT max(c.change_id) FROM subscription_changes c
          WHERE c.website_id = ${websiteId} AND c.phone = ${phone}), change_id)
        WHERE website_id = ${websiteId} AND phone = ${phone} RETURNING phone`,
    ),
    audit: auditStatement(db, author, { action: "remove-email", websiteId, subject }, now),
  });
  return rows === "made" || rows.removed.length === 1;
}
