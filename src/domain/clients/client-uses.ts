// Pure. Which uses and refusals of clients this isolate has just stored, and need not store again.
import { LatestMap } from "../latest-map.ts";

/** Why a request of a client was refused. */
export const CLIENT_REFUSALS = [
  "secret-malformed",
  "secret-wrong",
  "secret-replaced",
  "suspended",
  "operation-denied",
  "rate-exceeded",
  "daily-limit-reached",
] as const;

export type ClientRefusal = (typeof CLIENT_REFUSALS)[number];

/** A use is stored again after this, a refusal of the same cause after a minute. */
export const USED_AGAIN_MILLISECONDS = 600_000;
export const REFUSED_AGAIN_MILLISECONDS = 60_000;

/** The latest so many are remembered. What is forgotten is stored once too often, which changes nothing. */
const MOST_REMEMBERED = 10_000;

export class StoredUses {
  /** When each was last stored: milliseconds since 1970. */
  readonly #storedAt = new LatestMap<string, number>(MOST_REMEMBERED);

  /** @returns whether it is to be stored now, because the last time was long enough ago */
  isDue(use: string, again: number, now: number): boolean {
    if (now - (this.#storedAt.get(use) ?? Number.NEGATIVE_INFINITY) < again) return false;
    this.#storedAt.set(use, now);
    return true;
  }
}
