// The binding calls that a request about one number needs, and nothing else.
import { callCounter } from "./counter.ts";

export interface Client {
  websiteId: string;
  /** The binding; undefined: the first. */
  database?: string;
}

/** What the floors do differently. */
export interface Manner {
  readClient(clientId: string): Promise<Client | null>;
  /** The answer waits for it. */
  queue(messageId: string): Promise<void>;
}

export function answer(request: Request, env: Env, manner: Manner): Promise<Response> {
  const { pathname } = new URL(request.url);
  return pathname === "/text/subscription/status" ? statusOfOne(request, env, manner) : send(request, env, manner);
}

export function readClient(env: Env, clientId: string): Promise<Client | null> {
  return env.CREDENTIALS.get<Client>(`client:${clientId}`, { type: "json" });
}

async function send(request: Request, env: Env, manner: Manner): Promise<Response> {
  const body = await request.json<Record<string, string>>();
  const clientId = clientIdOf(request);
  const client = await manner.readClient(clientId);
  if (!client) return new Response(null, { status: 401 });
  await callCounter(env, client.websiteId);
  const messageId = crypto.randomUUID();
  const now = Date.now();
  await databaseOf(env, client)
    .prepare(
      `INSERT INTO messages (message_id, website_id, client_id, phone, text, click_url, callback_data, send_purpose, status,
       accepted_at, updated_at, due_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'PENDING_TO_SEND', ?9, ?9, ?9)`,
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
  await manner.queue(messageId);
  return Response.json({ messageId });
}

async function statusOfOne(request: Request, env: Env, manner: Manner): Promise<Response> {
  const { phone_numbers = [] } = await request.json<{ phone_numbers?: string[] }>();
  const client = await manner.readClient(clientIdOf(request));
  if (!client) return new Response(null, { status: 401 });
  await callCounter(env, client.websiteId);
  const [phoneNumber = ""] = phone_numbers;
  const row = await databaseOf(env, client)
    .prepare("SELECT subscribed FROM subscriptions WHERE website_id = ?1 AND phone = ?2")
    .bind(client.websiteId, Number(phoneNumber))
    .first<{ subscribed: number }>();
  return Response.json({ phoneNumberStatuses: [{ phoneNumber, subscriptionStatus: row?.subscribed === 1 }] });
}

function databaseOf(env: Env, { database = "DB" }: Client): D1Database {
  return env[database as "DB"];
}

function clientIdOf(request: Request): string {
  return request.headers.get("X-Client-ID") ?? "";
}
