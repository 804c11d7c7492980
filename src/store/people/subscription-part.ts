// The changes of one transaction, as they travel to D1.
import type { Consent } from "../../domain/people/consent.ts";
import type { SubscriptionChange } from "../../domain/people/subscriber-rows.ts";
import { otherFormOf } from "../../domain/people/two-form-numbers.ts";
import { type Sql, sql } from "../sql.ts";

/** A transaction of so many rows takes D1 a tenth of a second, in which nothing else is stored. */
const PART_ROWS = 25_000;

/** D1 takes 2,000,000 bytes in one value. An address has no other characters than ASCII. What shows a consent may have any. */
const PART_CHARACTERS = 1_000_000;
const ROW_CHARACTERS = 17;
const ADDRESS_CHARACTERS = 85;
const CONSENT_CHARACTERS = 70;
const BYTES_OF_CHARACTER = 3;

/** Cuts changes where a transaction would become too large. */
export function* toParts(changes: Iterable<SubscriptionChange>): Generator<SubscriptionChange[], void> {
  let part: SubscriptionChange[] = [];
  let characters = 0;
  for (const change of changes) {
    part.push(change);
    characters += isPlain(change) ? ROW_CHARACTERS : ADDRESS_CHARACTERS + (change.email?.length ?? 0);
    if (change.consent) characters += CONSENT_CHARACTERS + bytesOf(change.consent);
    if (part.length < PART_ROWS && characters <= PART_CHARACTERS) continue;
    yield part;
    [part, characters] = [[], 0];
  }
  if (part.length > 0) yield part;
}

const bytesOf = ({ evidence }: Consent) =>
  evidence === null ? 0 : BYTES_OF_CHARACTER * JSON.stringify(evidence).length;

/** The other form of a number that is to be subscribed; null: it has one form. */
const otherOf = ({ phone, subscribed }: SubscriptionChange) => (subscribed ? otherFormOf(phone) : null);

/** Whether a number is to be subscribed that has another form. */
const hasOther = (change: SubscriptionChange) => otherOf(change) !== null;

const isPlain = (change: SubscriptionChange) =>
  change.email === null && change.consent === undefined && !hasOther(change);

export const isOptIn = ({ subscribed }: SubscriptionChange) => subscribed;

/** SQLite reads plain numbers in a quarter of the time of objects, so only the rows with an address, a consent or two forms are objects. */
function toJson(changes: SubscriptionChange[]): string {
  const plain = changes.filter(isPlain);
  return JSON.stringify({
    optOuts: plain.filter((change) => !isOptIn(change)).map(({ phone }) => phone),
    optIns: plain.filter(isOptIn).map(({ phone }) => phone),
    withMore: changes.filter((change) => !isPlain(change)).map((change) => ({ ...change, other: otherOf(change) })),
  });
}

/**
 * A query of the changes: `phone`, `subscribed`, `email`, `consented_at`, `evidence`, `other` (see otherOf).
 * @param consent of all that have none of their own
 */
export function tableOf(changes: SubscriptionChange[], consent?: Consent): Sql {
  const json = toJson(changes);
  const [consentedAt, evidence] = [consent?.consentedAt ?? null, consent?.evidence ?? null];
  return sql`SELECT value AS phone, 0 AS subscribed, NULL AS email, NULL AS consented_at, NULL AS evidence, NULL AS other
        FROM json_each(${json}, '$.optOuts')
      UNION ALL SELECT value, 1, NULL, ${consentedAt}, ${evidence}, NULL FROM json_each(${json}, '$.optIns')
      UNION ALL SELECT value ->> 'phone', value ->> 'subscribed', value ->> 'email',
        coalesce(value ->> '$.consent.consentedAt', ${consentedAt}), coalesce(value ->> '$.consent.evidence', ${evidence}), value ->> 'other'
        FROM json_each(${json}, '$.withMore')`;
}
