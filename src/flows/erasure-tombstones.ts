import type { Deps } from "../deps.ts";
import { toDigits } from "../domain/phone.ts";
import { importHmacKey, signHex } from "../platform/secrets.ts";
import { erasePerson } from "../platform/store/erasure.ts";

/**
 * The one-way tombstones under which each of the numbers would stand among the erased people of a website: under the key of the
 * tombstones, and then as the version before made them, under SERVICE_KEY or OPERATOR_TOKEN.
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

/** @returns how many messages went */
export async function erase(deps: Deps, websiteId: string, phone: string): Promise<number> {
  const [tombstones = []] = await tombstonesOf(deps, websiteId, [phone]);
  // The second is the one that the version before knows: a rollback is not to bring erased people back.
  return erasePerson(deps.db, websiteId, toDigits(phone), tombstones.slice(0, 2));
}
