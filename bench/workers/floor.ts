// The binding calls that the service's requests need, each awaited in turn, and nothing else.
import { callCounter } from "./counter.ts";

export { RateLimiter } from "./counter.ts";

/** A JSON array of sorted numbers: what /status looks up. */
let numbers = "[]";

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/numbers") {
      numbers = await request.text();
      return new Response();
    }
    if (pathname.startsWith("/status/")) return statusOfMany(env, pathname.slice("/status/".length));
    return pathname === "/text/subscription/status" ? statusOfOne(request, env) : send(request, env);
  },
} satisfies ExportedHandler<Env>;

async function send(request: Request, env: Env): Promise<Response> {
  const body = await request.json<Record<string, string>>();
  const clientId = clientIdOf(request);
  const client = await readClient(env, clientId);
  if (!client) return new Response(null, { status: 401 });
  await callCounter(env, client.websiteId);
  const messageId = crypto.randomUUID();
  const now = Date.now();
  await env.DB.prepare(
    `INSERT INTO messages (message_id, website_id, client_id, phone, text, click_url, callback_data, send_purpose, status,
       accepted_at, updated_at, queued_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'PENDING_TO_SEND', ?9, ?9, ?9)`,
  )
    .bind(
      messageId,
      client.websiteId,
      clientId,
      Number(body.phone),
      body.text,
      body.clickUrl,
      body.callbackData,
      body.sendPurpose,
      now,
    )
    .run();
  await env.MESSAGES.send({ kind: "deliver", messageId });
  return Response.json({ messageId });
}

/** Of a body with one number: the client, the object, the row. */
async function statusOfOne(request: Request, env: Env): Promise<Response> {
  const { phone_numbers = [] } = await request.json<{ phone_numbers?: string[] }>();
  const client = await readClient(env, clientIdOf(request));
  if (!client) return new Response(null, { status: 401 });
  await callCounter(env, client.websiteId);
  const [phoneNumber = ""] = phone_numbers;
  const row = await env.DB.prepare("SELECT subscribed FROM subscriptions WHERE website_id = ?1 AND phone = ?2")
    .bind(client.websiteId, Number(phoneNumber))
    .first<{ subscribed: number }>();
  return Response.json({ phoneNumberStatuses: [{ phoneNumber, subscriptionStatus: row?.subscribed === 1 }] });
}

/** Of the numbers at hand: the one query. */
async function statusOfMany(env: Env, websiteId: string): Promise<Response> {
  const row = await env.DB.prepare(
    `SELECT json_group_array(s.phone) AS phones FROM json_each(?2) j
     CROSS JOIN subscriptions s ON s.website_id = ?1 AND s.phone = j.value WHERE s.subscribed = 1`,
  )
    .bind(websiteId, numbers)
    .first<{ phones: string }>();
  return new Response(row?.phones);
}

function clientIdOf(request: Request): string {
  return request.headers.get("X-Client-ID") ?? "";
}

function readClient(env: Env, clientId: string): Promise<{ websiteId: string } | null> {
  return env.CREDENTIALS.get<{ websiteId: string }>(`client:${clientId}`, { type: "json" });
}
