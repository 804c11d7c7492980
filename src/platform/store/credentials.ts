import type { Credentials } from "../../domain/client.ts";
import { RequestFailure } from "../../domain/failure.ts";

/**
 * How long KV may answer from its cache, and how long an isolate may answer from its own. Together they stay well below
 * the 90 seconds within which a change holds everywhere.
 */
const KV_CACHE_SECONDS = 30;
const ISOLATE_CACHE_MILLISECONDS = 30_000;
const ISOLATE_CACHE_ENTRIES = 1000;

const cache = new Map<string, { credentials: Credentials; readAt: number }>();

const keyOf = (clientId: string) => `client:${clientId}`;

/** What this isolate read of a client within the last 30 seconds. */
export function cachedCredentials(clientId: string, now: number): Credentials | undefined {
  const entry = cache.get(clientId);
  if (!entry) return undefined;
  if (now - entry.readAt < ISOLATE_CACHE_MILLISECONDS) return entry.credentials;
  cache.delete(clientId);
  return undefined;
}

/** Only what was used with the right secret is kept, so a flood of unknown ids leaves the cache alone. */
export function keepCredentials(credentials: Credentials, now: number): void {
  const oldest = cache.keys().next();
  if (cache.size >= ISOLATE_CACHE_ENTRIES && !oldest.done) cache.delete(oldest.value);
  cache.set(credentials.clientId, { credentials, readAt: now });
}

/** @throws RequestFailure store-unavailable */
export async function readCredentials(kv: KVNamespace, clientId: string): Promise<Credentials | null> {
  try {
    return await kv.get<Credentials>(keyOf(clientId), { type: "json", cacheTtl: KV_CACHE_SECONDS });
  } catch (error) {
    throw new RequestFailure({ kind: "store-unavailable" }, { cause: error });
  }
}

/** @throws RequestFailure store-unavailable */
export async function writeCredentials(kv: KVNamespace, credentials: Credentials): Promise<void> {
  try {
    await kv.put(keyOf(credentials.clientId), JSON.stringify(credentials));
    cache.delete(credentials.clientId);
  } catch (error) {
    throw new RequestFailure({ kind: "store-unavailable" }, { cause: error });
  }
}
