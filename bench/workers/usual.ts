// The status of a list of numbers as it is usually written: a library for each number and one for the file, and queries of
// `IN (…)` by 100 parameters, one after another or, with ?batch, in one call.
import { parsePhoneNumber } from "libphonenumber-js";
import Papa from "papaparse";
import { callCounter } from "./counter.ts";

export { RateLimiter, SenderObject } from "./counter.ts";

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
    const queries = prepareQueries(env.DB, client.websiteId, valid);
    const inOneCall = new URL(request.url).searchParams.has("batch");
    const subscribed = await findSubscribed(inOneCall ? env.DB.batch<PhoneRow>(queries) : runInTurn(queries));
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

interface PhoneRow {
  phone: number;
}

function prepareQueries(db: D1Database, websiteId: string, phones: string[]): D1PreparedStatement[] {
  const queries = [];
  for (let start = 0; start < phones.length; start += NUMBERS_A_QUERY) {
    const part = phones.slice(start, start + NUMBERS_A_QUERY).map((phone) => Number(phone.slice(1)));
    const places = part.map(() => "?").join(",");
    const sql = `SELECT phone FROM subscriptions WHERE website_id = ? AND subscribed = 1 AND phone IN (${places})`;
    queries.push(db.prepare(sql).bind(websiteId, ...part));
  }
  return queries;
}

async function runInTurn(queries: D1PreparedStatement[]): Promise<D1Result<PhoneRow>[]> {
  const results = [];
  for (const query of queries) results.push(await query.all<PhoneRow>());
  return results;
}

async function findSubscribed(running: Promise<D1Result<PhoneRow>[]>): Promise<Set<string>> {
  const subscribed = new Set<string>();
  for (const { results } of await running) for (const { phone } of results) subscribed.add(`+${phone}`);
  return subscribed;
}
