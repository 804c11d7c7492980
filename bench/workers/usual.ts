// The status of a list of numbers as it is usually written: a library for each number and one for the file, and queries of
// `IN (…)` by 100 parameters.
import { parsePhoneNumber } from "libphonenumber-js";
import Papa from "papaparse";
import { callCounter } from "./counter.ts";

export { RateLimiter } from "./counter.ts";

interface StatusRequest {
  phone_numbers?: string[];
  csv_file?: string;
}

/** D1 takes 100 parameters, and one of them is the website. */
const NUMBERS_A_QUERY = 99;

export default {
  async fetch(request, env) {
    const clientId = request.headers.get("X-Client-ID") ?? "";
    const client = await env.CREDENTIALS.get<{ websiteId: string }>(`client:${clientId}`, { type: "json" });
    if (!client) return new Response(null, { status: 401 });
    await callCounter(env, client.websiteId);
    const { phone_numbers = [], csv_file } = await request.json<StatusRequest>();
    const { valid, invalid } = parseNumbers(csv_file === undefined ? phone_numbers : readCsv(csv_file));
    const subscribed = await findSubscribed(env.DB, client.websiteId, valid);
    return Response.json({
      phoneNumberStatuses: valid.map((phoneNumber) => ({
        phoneNumber,
        subscriptionStatus: subscribed.has(phoneNumber),
      })),
      invalidPhoneNumbers: invalid,
    });
  },
} satisfies ExportedHandler<Env>;

function readCsv(base64: string): string[] {
  const text = new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
  return data.map((row) => row.phone_numbers ?? "");
}

function parseNumbers(given: string[]): { valid: string[]; invalid: string[] } {
  const valid = new Set<string>();
  const invalid = new Set<string>();
  for (const text of given) {
    try {
      const phone = parsePhoneNumber(text);
      if (phone.isPossible()) valid.add(phone.number);
      else invalid.add(text);
    } catch {
      invalid.add(text);
    }
  }
  return { valid: [...valid], invalid: [...invalid] };
}

async function findSubscribed(db: D1Database, websiteId: string, phones: string[]): Promise<Set<string>> {
  const subscribed = new Set<string>();
  for (let start = 0; start < phones.length; start += NUMBERS_A_QUERY) {
    const part = phones.slice(start, start + NUMBERS_A_QUERY).map((phone) => Number(phone.slice(1)));
    const { results } = await db
      .prepare(
        `SELECT phone FROM subscriptions WHERE website_id = ? AND subscribed = 1 AND phone IN (${part.map(() => "?").join(",")})`,
      )
      .bind(websiteId, ...part)
      .all<{ phone: number }>();
    for (const { phone } of results) subscribed.add(`+${phone}`);
  }
  return subscribed;
}
