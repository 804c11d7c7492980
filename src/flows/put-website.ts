import type { Deps } from "../deps.ts";
import { parseFields, RequestFailure } from "../domain/failure.ts";
import { websiteSettingsSchema } from "../domain/website.ts";
import { carrierRules } from "../platform/carriers/index.ts";
import { findWebsite, insertWebsite, updateWebsite } from "../platform/store/websites.ts";
import { copyToKv } from "./manage-clients.ts";

/** How often it is read: each time but the last, another has changed it before it could be written. */
const MOST_READS = 10;

/**
 * Makes a website, or sets what is given of one. Safe to repeat: what a failed store has taken is read again, and set again.
 * @param value a body, not checked
 * @throws RequestFailure fields-wrong, store-unavailable
 */
export async function putWebsite(deps: Deps, websiteId: string, value: unknown): Promise<void> {
  for (let reads = 0; reads < MOST_READS; reads++) {
    const present = await findWebsite(deps.db, websiteId);
    const given = parseFields(websiteSettingsSchema(present, carrierRules(deps.carriers)), value);
    const isPut = present
      ? await updateWebsite(deps.db, present, given, deps.now())
      : await insertWebsite(deps.db, websiteId, given, deps.now());
    if (isPut) return copyToKv(deps, { websiteId });
  }
  throw new RequestFailure({ kind: "store-unavailable" });
}
