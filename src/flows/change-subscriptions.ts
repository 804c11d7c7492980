import type { Deps } from "../deps.ts";
import { changeSubscriptions, type SubscriptionChange } from "../platform/store/change-subscriptions.ts";
import type { ChangeOrigin } from "../platform/store/subscriptions.ts";
import { marksOf } from "./mark-erased.ts";

/**
 * Sets the state of numbers. What the person has said stands: a number whose owner opted out, or that was erased, is not
 * subscribed. An opt-out is stored whoever it is of.
 * @returns the numbers that were to be subscribed and are not, E.164
 */
export function setSubscriptions(
  deps: Deps,
  websiteId: string,
  changes: SubscriptionChange[],
  origin: ChangeOrigin,
): Promise<string[]> {
  return changeSubscriptions(deps.db, websiteId, changes, origin, (phones) => marksOf(deps, websiteId, phones));
}
