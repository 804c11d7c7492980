import type { Deps } from "../deps.ts";
import { toDigits } from "../domain/phone.ts";
import { importHmacKey, signHex } from "../platform/secrets.ts";
import { erasePerson } from "../platform/store/erasure.ts";

/**
 * The tombstones that each number has if the website has erased it: keyed hashes with the erasure key, and then with SERVICE_KEY
 * and OPERATOR_TOKEN, as the previous version made them.
 */
export async function tombstonesOf(deps: Deps, websiteId: string, phones: string[]): Promise<string[][]> {
  const { serviceKey, operatorToken } = deps.config;
  const secrets = new Set([serviceKey, operatorToken].filter((secret) => secret !== undefined));
  const own = await deps.erasureKey.read(deps.db, serviceKey ?? "");
  const keys = [own, ...(await Promise.all([...secrets].map(importHmacKey)))];
  const tombstones: string[][] = [];
  for (const phone of phones) {
    tombstones.push(await Promise.all(keys.map((key) => signHex(key, `erased ${websiteId} ${phone}`))));
  }
  return tombstones;
}

/** @returns the number of erased messages */
export async function erase(deps: Deps, websiteId: string, phone: string): Promise<number> {
  const [tombstones = []] = await tombstonesOf(deps, websiteId, [phone]);
  // The second is the one that the previous version knows: a rollback must not bring erased people back.
  return erasePerson(deps.db, websiteId, toDigits(phone), tombstones.slice(0, 2));
}
