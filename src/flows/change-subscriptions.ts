import type { Deps } from "../deps.ts";
import { PHONE_FORM, toDigits, toE164 } from "../domain/phone.ts";
import { changeSubscriptions, type SubscriptionChange } from "../platform/store/change-subscriptions.ts";
import { type ChangeOrigin, findStored } from "../platform/store/subscriptions.ts";
import { tombstonesOf } from "./erasure-tombstones.ts";

/**
 * Sets the subscriptions of numbers. The word of a person wins: a number that its owner has opted out, or that was erased, is
 * not subscribed. An opt-out is always stored.
 * @returns the numbers that it refused to subscribe, E.164
 */
export function setSubscriptions(
  deps: Deps,
  websiteId: string,
  changes: SubscriptionChange[],
  origin: ChangeOrigin,
): Promise<string[]> {
  return changeSubscriptions(deps.db, websiteId, changes, origin, (phones) => tombstonesOf(deps, websiteId, phones));
}

/**
 * Opt-outs for numbers that are no longer possible, and that the website has stored or texted: numbering plans change, and with
 * them the data of the library.
 * @param invalid as given
 */
export async function findInvalidOptOuts(
  deps: Deps,
  websiteId: string,
  invalid: string[],
): Promise<SubscriptionChange[]> {
  const phones = invalid.filter((text) => PHONE_FORM.test(text)).map(toDigits);
  const stored = await findStored(deps.db, websiteId, phones);
  return stored.map((digits) => ({ phone: toE164(digits), email: null, subscribed: false }));
}
