// Websites, clients and subscriptions to measure with; and the phone numbers of both.

import type { Database } from "../scripts/migrations.ts";
import { postJson } from "./load.ts";
import type { Workers } from "./service.ts";

const JSON_CONTENT = { "content-type": "application/json" };

export interface SeededClient {
  websiteId: string;
  /** Every request by this client has them. */
  headers: Record<string, string>;
}

type Service = Pick<Workers<"service">, "url" | "operatorToken">;

export interface WebsiteSettings {
  carrier: string;
  sender?: string;
}

/** As an operator does. @returns its URL, and the header of the operator's requests */
export async function createWebsite(
  { url, operatorToken }: Service,
  websiteId: string,
  settings: WebsiteSettings = { carrier: "sandbox" },
) {
  const website = `${url.service}/operator/websites/${websiteId}`;
  const authorization = { authorization: `Bearer ${operatorToken}` };
  await postJson(website, { ...authorization, ...JSON_CONTENT }, { name: websiteId, ...settings }, "PUT");
  return { website, authorization };
}

/** Creates a website with one client. @param settings of the client @param websiteSettings see createWebsite */
export async function createClient(
  service: Service,
  websiteId: string,
  settings: { callbackUrl?: string } = {},
  websiteSettings?: WebsiteSettings,
): Promise<SeededClient> {
  const { website, authorization } = await createWebsite(service, websiteId, websiteSettings);
  const { body } = await postJson(`${website}/clients`, { ...authorization, ...JSON_CONTENT }, settings);
  const { clientId, clientSecret } = JSON.parse(body) as { clientId: string; clientSecret: string };
  return {
    websiteId,
    headers: { "x-client-id": clientId, "x-client-secret": clientSecret, ...JSON_CONTENT },
  };
}

/** Gives the usual way a client that the service has. */
export async function shareClient(
  workers: { url: { usualMessages: string } },
  { websiteId, headers }: SeededClient,
  callbackUrl: string | null = null,
): Promise<void> {
  const { "x-client-id": clientId, "x-client-secret": clientSecret } = headers;
  const client = { clientId, clientSecret, websiteId, callbackUrl };
  await postJson(`${workers.url.usualMessages}/client`, JSON_CONTENT, client, "PUT");
}

/**
 * Subscribes the numbers from 0 to `count` to a website; every tenth has opted out. Each statement writes the numbers of one
 * country in their order, which fills the table from one end to the other: millions take seconds.
 */
export async function seedSubscriptions(db: Database, websiteId: string, count: number): Promise<void> {
  const statement = db.prepare(
    `WITH RECURSIVE numbers (step, number) AS (
       SELECT 0, ?3 WHERE ?3 < ?4 UNION ALL SELECT step + 1, number + ?5 FROM numbers WHERE number + ?5 < ?4)
     INSERT INTO subscriptions (website_id, phone, subscribed, change_id)
     SELECT ?1, ?2 + step * ${STRIDE} % ${LAST_DIGITS} AS phone, number % 10 <> 9, number + 1 FROM numbers ORDER BY phone`,
  );
  const ranges = PREFIXES.map((prefix, offset) => ({ offset, first: Number(prefix) * LAST_DIGITS }));
  ranges.sort((one, other) => one.first - other.first);
  await db.batch(ranges.map(({ offset, first }) => statement.bind(websiteId, first, offset, count, PREFIXES.length)));
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
