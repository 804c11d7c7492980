import type { Deps } from "../deps.ts";
import { toDigits } from "../domain/phone.ts";
import { hmacHex } from "../platform/secrets.ts";
import { erasePerson, readMarks } from "../platform/store/erasure.ts";
import { type ChangeOrigin, changeSubscriptions, type SubscriptionChange } from "../platform/store/subscriptions.ts";

/**
 * Sets the state of numbers. What the person has said stands: a number whose owner opted out is not subscribed again, and
 * one that was erased is not stored again.
 * @returns the numbers that were to be subscribed and are not, E.164
 */
export async function setSubscriptions(
  deps: Deps,
  websiteId: string,
  changes: SubscriptionChange[],
  origin: ChangeOrigin,
): Promise<string[]> {
  const erased = await findErased(deps, websiteId, changes);
  const left = erased.size === 0 ? changes : changes.filter(({ phone }) => !erased.has(phone));
  const optedOut = await changeSubscriptions(deps.db, websiteId, left, origin);
  const refused = changes.filter(({ phone, subscribed }) => subscribed && erased.has(phone));
  return [...optedOut, ...refused.map(({ phone }) => phone)];
}

async function findErased(deps: Deps, websiteId: string, changes: SubscriptionChange[]): Promise<Set<string>> {
  const marks = await readMarks(deps.db, websiteId);
  const erased = new Set<string>();
  if (marks.size === 0) return erased;
  for (const { phone } of changes) {
    if (marks.has(await markOf(deps, websiteId, phone))) erased.add(phone);
  }
  return erased;
}

/** @returns how many messages went */
export async function erase(deps: Deps, websiteId: string, phone: string): Promise<number> {
  return erasePerson(deps.db, websiteId, toDigits(phone), await markOf(deps, websiteId, phone));
}

/** With the service's key: without it, the few numbers that there are could all be tried. */
function markOf({ config }: Deps, websiteId: string, phone: string): Promise<string> {
  return hmacHex(config.serviceKey ?? "", `erased ${websiteId} ${phone}`);
}
