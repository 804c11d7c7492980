import type { Deps } from "../deps.ts";
import type { Author } from "../domain/audit.ts";
import { parseFields, RequestFailure } from "../domain/failure.ts";
import { websiteSettingsSchema } from "../domain/website.ts";
import { carrierRules } from "../platform/carriers/index.ts";
import { findWebsite, insertWebsite, updateWebsite } from "../platform/store/websites.ts";
import { spreadChange } from "./spread-changes.ts";

/** Limit for retries after a concurrent change. */
const MOST_READS = 10;

/**
 * Creates a website, or changes the given settings. Safe to repeat.
 * @param value an unchecked body
 * @throws RequestFailure fields-wrong, store-unavailable
 */
export async function putWebsite(deps: Deps, author: Author, websiteId: string, value: unknown): Promise<void> {
  for (let reads = 0; reads < MOST_READS; reads++) {
    const present = await findWebsite(deps.db, websiteId);
    const given = parseFields(websiteSettingsSchema(present, carrierRules(deps.carriers)), value);
    const isPut = present
      ? await updateWebsite(deps.db, author, present, given, deps.now())
      : await insertWebsite(deps.db, author, websiteId, given, deps.now());
    if (isPut) return void (await spreadChange(deps, { websiteId }));
  }
  throw new RequestFailure({ kind: "store-unavailable" });
}
