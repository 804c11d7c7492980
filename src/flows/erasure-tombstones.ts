import type { Deps } from "../deps.ts";
import { toDigits } from "../domain/phone.ts";
import { Hmac } from "../platform/hmac.ts";
import { erasePerson } from "../platform/store/erasure.ts";
import { Tombstones } from "../platform/tombstones.ts";
import { inFirst } from "./places.ts";

/** Those of a website: under the erasure key, and then under SERVICE_KEY and OPERATOR_TOKEN, as the previous version made them. */
export async function readTombstones(deps: Deps, websiteId: string): Promise<Tombstones> {
  const { serviceKey, operatorToken } = deps.config;
  const secrets = new Set([serviceKey, operatorToken].filter((secret) => secret !== undefined));
  const own = await deps.erasureKey.read(inFirst(deps).db, serviceKey ?? "");
  return new Tombstones(websiteId, [own, ...Array.from(secrets, (secret) => new Hmac(secret))]);
}

/** @returns the number of erased messages */
export async function erase(deps: Deps, websiteId: string, phone: string): Promise<number> {
  const tombstones = (await readTombstones(deps, websiteId)).of(toDigits(phone));
  // The second is the one that the previous version knows: a rollback must not bring erased people back.
  return erasePerson(deps.db, websiteId, toDigits(phone), tombstones.slice(0, 2));
}
