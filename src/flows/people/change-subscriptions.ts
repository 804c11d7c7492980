import type { Deps } from "../../deps.ts";
import { PHONE_FORM, toDigits } from "../../domain/people/phone.ts";
import type { SubscriptionChange } from "../../domain/people/subscriber-rows.ts";
import { otherFormOf } from "../../domain/people/two-form-numbers.ts";
import { hasListeners } from "../../store/callbacks/notices.ts";
import { changeSubscriptions } from "../../store/people/change-subscriptions.ts";
import { type ChangeOrigin, findStored } from "../../store/people/subscriptions.ts";
import { queueCallbacks } from "../messages/queue-jobs.ts";
import { readTombstones } from "./erasure-tombstones.ts";

/**
 * Sets the subscriptions of numbers. The word of a person wins: a number that its owner has opted out, or that was erased, is
 * not subscribed. An opt-out is always stored.
 * @param changes distinct numbers
 */
export async function setSubscriptions(
  deps: Deps,
  { websiteId, home }: { websiteId: string; home: number },
  changes: SubscriptionChange[],
  origin: ChangeOrigin,
): Promise<{ count: number; refused: number[] }> {
  const newRun = (await hasListeners(deps.db, websiteId)) ? () => deps.newId(home) : null;
  const target = { db: deps.db, websiteId, origin, newRun, due: [], import: null };
  const { refused } = await changeSubscriptions(target, changes, beforeEach(deps, websiteId));
  if (target.due.length > 0) deps.waitUntil(queueCallbacks(deps, target.due));
  return { count: changes.length - refused.length, refused: refused.map(({ phone }) => phone) };
}

/** What each transaction needs. */
export const beforeEach = (deps: Deps, websiteId: string) => ({
  readTombstones: () => readTombstones(deps, websiteId),
});

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

/**
 * The other forms of the numbers that are opted out, as far as the website has stored or texted them: where a country writes a number in two
 * ways, a list may have had the other one.
 * @param changes of distinct numbers, and so is the answer. As digits
 */
export function findOtherForms(deps: Deps, websiteId: string, changes: SubscriptionChange[]): Promise<number[]> {
  const others = changes.flatMap(({ phone, subscribed }) => (subscribed ? [] : (otherFormOf(phone) ?? [])));
  if (others.length === 0) return Promise.resolve([]);
  const given = new Set(changes.map(({ phone }) => phone));
  return findStored(
    deps.db,
    websiteId,
    others.filter((phone) => !given.has(phone)),
  );
}
