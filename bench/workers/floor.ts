// The floor: the binding calls that a request about one number needs, made as the service makes them, and nothing else: credentials
// are kept, and the queue is told after the answer. Each message has a job, where the service gives one to the texts of a group.
import { callCounter } from "./counter.ts";

export { RateLimiter, SenderObject } from "./counter.ts";

/** As long as the service keeps credentials in its isolate (src/store/clients/credentials.ts). */
const KEPT_MILLISECONDS = 30_000;

interface Client {
  websiteId: string;
}

const kept = new Map<string, { client: Client; readAt: number }>();

/** A JSON array of sorted numbers: what /status looks up. */
let numbers = "[]";

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname === "/numbers") {
      numbers = await request.text();
      return new Response();
    }
    if (pathname.startsWith("/status/")) return statusOfMany(env, pathname.slice("/status/".length));
    const clientId = request.headers.get("X-Client-ID") ?? "";
    const body = await request.json<Record<string, string> & { phone_numbers?: string[] }>();
    const client = await keepClient(env, clientId);
    if (!client) return new Response(null, { status: 401 });
    await callCounter(env, client.websiteId);
    if (pathname === "/text/subscription/status") return statusOfOne(env, client, body);
    const messageId = await store(env, client, clientId, body);
    context.waitUntil(env.MESSAGES.send({ kind: "deliver", messageIds: [messageId] }));
    return Response.json({ messageId });
  },
} satisfies ExportedHandler<Env>;

async function keepClient(env: Env, clientId: string): Promise<Client | null> {
  const now = Date.now();
  const known = kept.get(clientId);
  if (known && now - known.readAt < KEPT_MILLISECONDS) return known.client;
  const client = await env.CREDENTIALS.get<Client>(`client:${clientId}`, { type: "json" });
  if (client) kept.set(clientId, { client, readAt: now });
  return client;
}

async function store(env: Env, { websiteId }: Client, clientId: string, body: Record<string, string>): Promise<string> {
  const { phone, text, clickUrl, callbackData, sendPurpose } = body;
  const messageId = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO messages (message_id, website_id, client_id, phone, text, click_url, callback_data, send_purpose, status,
     accepted_at, updated_at, due_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'PENDING_TO_SEND', ?9, ?9, ?9)`,
  )
    .bind(messageId, websiteId, clientId, Number(phone), text, clickUrl, callbackData, sendPurpose, Date.now())
    .run();
  return messageId;
}

async function statusOfOne(env: Env, { websiteId }: Client, body: { phone_numbers?: string[] }): Promise<Response> {
  const [phoneNumber = ""] = body.phone_numbers ?? [];
  const row = await env.DB.prepare("SELECT subscribed FROM subscriptions WHERE website_id = ?1 AND phone = ?2")
    .bind(websiteId, Number(phoneNumber))
    .first<{ subscribed: number }>();
  return Response.json({ phoneNumberStatuses: [{ phoneNumber, subscriptionStatus: row?.subscribed === 1 }] });
}

/** The status of the numbers at hand, by one query. */
async function statusOfMany(env: Env, websiteId: string): Promise<Response> {
  const row = await env.DB.prepare(
    `SELECT json_group_array(s.phone) AS phones FROM json_each(?2) j
     CROSS JOIN subscriptions s ON s.website_id = ?1 AND s.phone = j.value WHERE s.subscribed = 1`,
  )
    .bind(websiteId, numbers)
    .first<{ phones: string }>();
  return new Response(row?.phones);
}
