// The changes of one transaction, as they travel to D1.
import type { SubscriptionChange } from "../../domain/people/subscriber-rows.ts";
import { type Sql, sql } from "../sql.ts";

/** A transaction of so many rows takes D1 a tenth of a second, in which nothing else is stored. */
const PART_ROWS = 25_000;

/** D1 takes 2,000,000 bytes in one value. An address has no other characters than ASCII. */
const PART_CHARACTERS = 1_000_000;
const ROW_CHARACTERS = 17;
const ADDRESS_CHARACTERS = 60;

/** Cuts changes where a transaction would become too large. */
export function* toParts(changes: Iterable<SubscriptionChange>): Generator<SubscriptionChange[], void> {
  let part: SubscriptionChange[] = [];
  let characters = 0;
  for (const change of changes) {
    part.push(change);
    characters += change.email === null ? ROW_CHARACTERS : ADDRESS_CHARACTERS + change.email.length;
    if (part.length < PART_ROWS && characters <= PART_CHARACTERS) continue;
    yield part;
    [part, characters] = [[], 0];
  }
  if (part.length > 0) yield part;
}

export const isOptIn = ({ subscribed }: SubscriptionChange) => subscribed;

/** SQLite reads plain numbers in a quarter of the time of objects, so only the rows with an address are objects. */
function toJson(changes: SubscriptionChange[]): string {
  const plain = changes.filter(({ email }) => email === null);
  return JSON.stringify({
    optOuts: plain.filter((change) => !isOptIn(change)).map(({ phone }) => phone),
    optIns: plain.filter(isOptIn).map(({ phone }) => phone),
    withAddress: changes.filter(({ email }) => email !== null),
  });
}

/** A table of the changes: `phone`, `subscribed`, `email`. */
export function tableOf(changes: SubscriptionChange[]): Sql {
  const json = toJson(changes);
  return sql`(SELECT value AS phone, 0 AS subscribed, NULL AS email FROM json_each(${json}, '$.optOuts')
    UNION ALL SELECT value, 1, NULL FROM json_each(${json}, '$.optIns')
    UNION ALL SELECT value ->> 'phone', value ->> 'subscribed', value ->> 'email' FROM json_each(${json}, '$.withAddress'))`;
}
