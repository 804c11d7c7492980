// The floor: the binding calls that a request needs, made as the service makes them, and nothing else: credentials are kept, and the
// queue is told after the answer. It sends a job for each message, where the service groups the messages of 10 ms.
import { answer, type Client, readClient } from "./calls.ts";

export { RateLimiter } from "./counter.ts";

/** As long as the service keeps credentials in its isolate (src/store/clients/credentials.ts). */
const KEPT_MILLISECONDS = 30_000;

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
    return answer(request, env, {
      readClient: (clientId) => keepClient(env, clientId),
      queue: async (messageId) => context.waitUntil(env.MESSAGES.send({ kind: "deliver", messageIds: [messageId] })),
    });
  },
} satisfies ExportedHandler<Env>;

async function keepClient(env: Env, clientId: string): Promise<Client | null> {
  const now = Date.now();
  const known = kept.get(clientId);
  if (known && now - known.readAt < KEPT_MILLISECONDS) return known.client;
  const client = await readClient(env, clientId);
  if (client) kept.set(clientId, { client, readAt: now });
  return client;
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
