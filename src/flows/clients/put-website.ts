import { carrierRules } from "../../carriers/index.ts";
import type { Deps } from "../../deps.ts";
import { type GivenSettings, type Website, websiteSettingsSchema } from "../../domain/clients/website.ts";
import { failField, parseFields, RequestFailure } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { findPace, type SenderName, storePace } from "../../store/clients/sender-paces.ts";
import { findWebsite, insertWebsite, updateWebsite } from "../../store/clients/websites.ts";
import { claimHome, copyPlace, FIRST, keepSenderHome, type Place } from "../../store/databases/directory.ts";
import { chooseDatabase } from "../databases/choose-database.ts";
import { inDatabase, inDatabaseOf, inFirst } from "../databases/places.ts";
import { tryNewWay } from "../messages/carrier-pauses.ts";
import { readCarriers } from "./carrier-accounts.ts";
import { spreadChange } from "./spread-changes.ts";

/** Limit for retries after a concurrent change. */
const MOST_READS = 10;

/**
 * Creates a website, or changes the given settings. Safe to repeat.
 * @param value an unchecked body
 * @returns `own`: the deps of its database
 * @throws RequestFailure fields-wrong, store-unavailable
 */
export async function putWebsite(
  deps: Deps,
  author: Author,
  websiteId: string,
  value: unknown,
): Promise<{ own: Deps; isNew: boolean }> {
  for (let reads = 0; reads < MOST_READS; reads++) {
    const own = await inDatabaseOf(deps, { websiteId });
    const present = await findWebsite(own.db, websiteId);
    const given = parseFields(websiteSettingsSchema(present, carrierRules(await readCarriers(deps))), value);
    if (present) requireSame(present, given);
    const place = present ?? (await makePlace(deps, websiteId, given.database));
    const { carrier, sender, fallback } = { ...present, ...given };
    if (place && carrier && sender) await keepSender(deps, place, { carrier, sender });
    if (place && fallback) await keepSender(deps, place, fallback);
    const put = present ? own : inDatabase(deps, place?.database ?? FIRST);
    const isPut = present
      ? await updateWebsite(put.db, author, present, given, deps.now())
      : await insertWebsite(put.db, author, websiteId, place, given, deps.now());
    if (!isPut) continue;
    await spreadChange(put, { websiteId });
    if (present && isOnNewWay(present, given))
      tryNewWay(put, { carrier: carrier ?? present.carrier, sender: sender ?? "" });
    return { own: put, isNew: !present };
  }
  throw new RequestFailure({ kind: "store-unavailable" });
}

/** Whether its texts go by other carriers or senders now. */
const isOnNewWay = (present: Website, given: GivenSettings): boolean =>
  (["carrier", "sender", "fallback"] as const).some(
    (part) => given[part] !== undefined && JSON.stringify(given[part]) !== JSON.stringify(present[part]),
  );

function requireSame({ database }: Website, given: GivenSettings): void {
  if ((given.database ?? database) !== database)
    failField("database", `is ${database}: a website stays in its database`);
}

/**
 * The place of a new website. One that an interrupted call has given it stays. null: the first database, which gives the website its
 * home in the transaction that stores it.
 */
async function makePlace(deps: Deps, websiteId: string, named: string | undefined): Promise<Place | null> {
  const { db, database, others } = inFirst(deps);
  const chosen = await chooseDatabase(deps, named);
  if (others.size === 0) return null;
  const place = await claimHome(db, websiteId, chosen);
  if (named !== undefined && place.database !== named) failField("database", `is ${place.database} already`);
  if (place.database === database) return null;
  await copyPlace(deps.kv, place);
  return place;
}

/** Before the website has it: a reply that comes at once is looked for there. Its database gets the pace of the sender. */
async function keepSender(deps: Deps, place: Place, { carrier, sender }: SenderName): Promise<void> {
  const { db, database } = inFirst(deps);
  if (place.database === database) return;
  await keepSenderHome(db, { carrier, sender, home: place.home });
  await storePace(inDatabase(deps, place.database).db, { carrier, sender }, await findPace(db, { carrier, sender }));
}
