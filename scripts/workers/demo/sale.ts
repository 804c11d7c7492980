// The day of a sale: so many texts that an operator sees what a large day looks like. They are stored as they would be by now, because calls
// for each of them would take a minute.
import type { Deps } from "../../../src/deps.ts";
import { newId } from "../../../src/domain/databases/home.ts";
import { countryOf } from "../../../src/domain/people/places.ts";
import { findWebsite } from "../../../src/store/clients/websites.ts";
import { prepare, sql } from "../../../src/store/sql.ts";
import type { Sending } from "./platforms.ts";

export const SALE_TEXTS = 20_000;

const SEND_PURPOSE = "black-friday";
const TEXT = "Northwind: Today only, half price on last season's shells. Reply STOP to end.";

/** 5,000 a minute, as a carrier may take them. */
const MILLISECONDS_APART = 12;

/** Numbers of 555-0100 to 555-0199 with this area code and those after it. */
const FIRST_NUMBER = 16_005_550_100;
const NUMBERS_OF_AN_AREA = 100;
const numberOf = (index: number) =>
  FIRST_NUMBER + Math.floor(index / NUMBERS_OF_AN_AREA) * 10_000_000 + (index % NUMBERS_OF_AN_AREA);

/** They have subscribed before the month that is counted. */
const SUBSCRIBED_BEFORE = 60 * 86_400_000;

/** @param at when it begins: milliseconds since 1970 */
export async function storeSale({ db }: Deps, { websiteId, clientId }: Sending, at: number): Promise<void> {
  const home = (await findWebsite(db, websiteId))?.home ?? 0;
  const timeOf = (index: number) => at + index * MILLISECONDS_APART;
  const texts = JSON.stringify(
    Array.from({ length: SALE_TEXTS }, (_, index) => {
      const phone = numberOf(index);
      return { id: newId(home, timeOf(index), crypto.randomUUID()), phone, country: countryOf(phone) };
    }),
  );
  const accepted = sql`${at} + key * ${MILLISECONDS_APART}`;
  const status = sql`iif(key % 61 = 0, 'FAILED_TO_DELIVERY', 'DELIVERED')`;
  const reason = sql`iif(key % 61 = 0, 'UNDELIVERED', NULL)`;
  await db.batch([
    prepare(
      db,
      sql`INSERT INTO subscription_changes (website_id, phone, subscribed, changed_at, source, proof)
        SELECT ${websiteId}, value ->> 'phone', 1, ${at - SUBSCRIBED_BEFORE}, 'import', 'sale' FROM json_each(${texts})`,
    ),
    prepare(
      db,
      sql`INSERT INTO subscriptions (website_id, phone, subscribed, change_id)
        SELECT website_id, phone, 1, change_id FROM subscription_changes WHERE website_id = ${websiteId} AND proof = 'sale'`,
    ),
    prepare(
      db,
      sql`INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status, reason_code,
          accepted_at, updated_at, attempts, carrier, encoding, segments, kind, country)
        SELECT value ->> 'id', ${websiteId}, ${clientId}, value ->> 'phone', ${TEXT}, '', ${SEND_PURPOSE}, ${status}, ${reason},
          ${accepted}, ${accepted} + 4000 + key % 900, 1, 'sandbox', 'GSM-7', 1, 'marketing', value ->> 'country' FROM json_each(${texts})`,
    ),
    prepare(
      db,
      sql`INSERT INTO events (website_id, client_id, message_id, event, occurred_at)
        SELECT ${websiteId}, ${clientId}, value ->> 'id', 'SENDING', ${accepted} + 700 FROM json_each(${texts})`,
    ),
    prepare(
      db,
      sql`INSERT INTO events (website_id, client_id, message_id, event, occurred_at, reason_code)
        SELECT ${websiteId}, ${clientId}, value ->> 'id', ${status}, ${accepted} + 4000 + key % 900, ${reason} FROM json_each(${texts})`,
    ),
  ]);
}
