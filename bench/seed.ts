// Websites, clients and subscriptions to measure with; and the phone numbers of both.
import { postJson } from "./load.ts";
import type { Database, Workers } from "./service.ts";

export interface SeededClient {
  websiteId: string;
  /** Of every request by this client. */
  headers: Record<string, string>;
}

/** Creates a website with one client, as an operator does. */
export async function createClient({ url, operatorToken }: Workers, websiteId: string): Promise<SeededClient> {
  const website = `${url.service}/operator/websites/${websiteId}`;
  const headers = { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" };
  await postJson(website, headers, { name: websiteId }, "PUT");
  const { body } = await postJson(`${website}/clients`, headers, {});
  const { clientId, clientSecret } = JSON.parse(body) as { clientId: string; clientSecret: string };
  return {
    websiteId,
    headers: { "x-client-id": clientId, "x-client-secret": clientSecret, "content-type": "application/json" },
  };
}

const ROWS_A_STATEMENT = 50_000;

/** Subscribes the numbers from 0 to `count` to a website; every tenth has opted out. */
export async function seedSubscriptions(db: Database, websiteId: string, count: number): Promise<void> {
  for (let start = 0; start < count; start += ROWS_A_STATEMENT) {
    const length = Math.min(ROWS_A_STATEMENT, count - start);
    const rows = Array.from({ length }, (_, index) => [digitsAt(start + index), isSubscribed(start + index) ? 1 : 0]);
    await db
      .prepare(
        `INSERT INTO subscriptions (website_id, phone, subscribed, change_id)
         SELECT ?1, value ->> 0, value ->> 1, ?3 + key FROM json_each(?2)`,
      )
      .bind(websiteId, JSON.stringify(rows), start + 1)
      .run();
  }
}

/** Whether the number that seedSubscriptions stored at `index` is subscribed. */
export function isSubscribed(index: number): boolean {
  return index % 10 !== 9;
}

/** What stands before the last seven digits of mobile numbers, in twelve countries. */
const PREFIXES = "1646 44770 491511 3361 91987 551198 81901 6141 3461 4670 234803 52551".split(" ");
const LAST_DIGITS = 10_000_000;
/** Shares no factor with LAST_DIGITS, so that all numbers differ; they lie scattered over their range. */
const STRIDE = 7_368_787;

/** The digits of phone number `index`; distinct below 120 million. */
export function digitsAt(index: number): number {
  const last = (Math.floor(index / PREFIXES.length) * STRIDE) % LAST_DIGITS;
  return Number(`${PREFIXES[index % PREFIXES.length]}${String(last).padStart(7, "0")}`);
}
