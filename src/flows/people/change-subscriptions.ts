import type { Deps } from "../../deps.ts";
import { PHONE_FORM, toDigits } from "../../domain/people/phone.ts";
import type { SubscriptionChange } from "../../domain/people/subscriber-rows.ts";
import { hasListeners } from "../../store/callbacks/notices.ts";
import { changeSubscriptions, type SubscriptionsSet } from "../../store/people/change-subscriptions.ts";
import { beginImport, endImport } from "../../store/people/imports.ts";
import { type ChangeOrigin, findStored } from "../../store/people/subscriptions.ts";
import { requireOpen } from "../databases/places.ts";
import { queueCallbacks } from "../messages/queue-jobs.ts";
import { unlessItFails } from "../unless-it-fails.ts";
import { readTombstones } from "./erasure-tombstones.ts";

/**
 * Sets the subscriptions of numbers. The word of a person wins: a number that its owner has opted out, or that was erased, is
 * not subscribed. An opt-out is always stored.
 * @param changes distinct numbers
 */
export async function setSubscriptions(
  deps: Deps,
  { websiteId, home }: { websiteId: string; home: number },
  changes: Iterable<SubscriptionChange>,
  origin: ChangeOrigin,
): Promise<{ count: number; refused: number[] }> {
  const newRun = (await hasListeners(deps.db, { websiteIds: [websiteId] })) ? () => deps.newId(home) : null;
  const how = { newRun, isDry: false, keepsUnsubscribed: false };
  const { due, count, refused } = await changeSubscriptions(
    deps.db,
    websiteId,
    changes,
    origin,
    how,
    before(deps, websiteId),
  );
  if (due.length > 0) deps.waitUntil(queueCallbacks(deps, due));
  return { count, refused: refused.byPerson };
}

/** What each part of the numbers needs. */
const before = (deps: Deps, websiteId: string) => ({
  requireOpen: () => requireOpen(deps),
  readTombstones: () => readTombstones(deps, websiteId),
});

/** `count`: new, changed and unchanged numbers. */
export type Imported = Omit<SubscriptionsSet, "due">;

/**
 * Sets subscriptions as a file says, so that it can be undone. Whom anyone has unsubscribed, it leaves so.
 * @param isDry stores nothing, and counts what would be stored
 * @param resubscribes subscribes again whom anybody else than the person has unsubscribed
 */
export async function importSubscribers(
  deps: Deps,
  websiteId: string,
  changes: Iterable<SubscriptionChange>,
  { importId, isDry, resubscribes }: { importId: string; isDry: boolean; resubscribes: boolean },
): Promise<Imported> {
  const origin = { source: "import", proof: importId, now: deps.now() } as const;
  // Nobody is told of an import.
  const how = { newRun: null, isDry, keepsUnsubscribed: !resubscribes };
  const work = () => changeSubscriptions(deps.db, websiteId, changes, origin, how, before(deps, websiteId));
  if (isDry) return work();
  await beginImport(deps.db, importId, websiteId, origin.now);
  try {
    const imported = await work();
    await noteEnd(deps, importId, "done");
    return imported;
  } catch (error) {
    await noteEnd(deps, importId, "failed");
    throw error;
  }
}

/** An import whose end cannot be stored can be undone some minutes later. */
const noteEnd = (deps: Deps, importId: string, outcome: "done" | "failed") =>
  unlessItFails(deps, "import.not-ended", { importId, outcome }, () => endImport(deps.db, importId, outcome));

/**
 * The numbers to opt out that are no longer possible, and that the website has stored or texted: numbering plans change, and
 * with them the data of the library.
 * @param invalid as given
 * @returns as digits
 */
export function findInvalidOptOuts(deps: Deps, websiteId: string, invalid: string[]): Promise<number[]> {
  const phones = invalid.filter((text) => PHONE_FORM.test(text)).map(toDigits);
  return findStored(deps.db, websiteId, phones);
}
