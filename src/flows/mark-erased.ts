import type { Deps } from "../deps.ts";
import { toDigits } from "../domain/phone.ts";
import { importHmacKey, signHex } from "../platform/secrets.ts";
import { erasePerson } from "../platform/store/erasure.ts";

/**
 * The one-way marks under which each of the numbers would stand among the erased people of a website: under the key of the
 * marks, and then as the version before made them, under SERVICE_KEY or OPERATOR_TOKEN.
 */
export async function marksOf(deps: Deps, websiteId: string, phones: string[]): Promise<string[][]> {
  const { serviceKey, operatorToken } = deps.config;
  const secrets = new Set([serviceKey, operatorToken].filter((secret) => secret !== undefined));
  const own = await deps.erasureKey.read(deps.db, serviceKey ?? "");
  const keys = [own, ...(await Promise.all([...secrets].map(importHmacKey)))];
  const marks: string[][] = [];
  for (const phone of phones) {
    marks.push(await Promise.all(keys.map((key) => signHex(key, `erased ${websiteId} ${phone}`))));
  }
  return marks;
}

/** @returns how many messages went */
export async function erase(deps: Deps, websiteId: string, phone: string): Promise<number> {
  const [marks = []] = await marksOf(deps, websiteId, [phone]);
  // The second is the one that the version before knows: a rollback is not to bring erased people back.
  return erasePerson(deps.db, websiteId, toDigits(phone), marks.slice(0, 2));
}
