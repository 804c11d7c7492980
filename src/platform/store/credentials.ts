import type { Credentials } from "../../domain/client.ts";
import { RequestFailure } from "../../domain/failure.ts";
import { withinTime } from "../time-limit.ts";

/**
 * How long KV may answer from its cache, and how long an isolate may answer from its own. Together they stay well below
 * the 90 seconds within which a change holds everywhere.
 */
const KV_CACHE_SECONDS = 30;
const ISOLATE_CACHE_MILLISECONDS = 30_000;
const ISOLATE_CACHE_ENTRIES = 1000;

/** How long KV may take: a read takes milliseconds, a write to the edge's centre a second at times. */
export const KV_MILLISECONDS = 5000;

const keyOf = (clientId: string) => `client:${clientId}`;

/** The copies of the clients' credentials in KV, and what this isolate has read of them. */
export class CredentialStore {
  readonly #kv: KVNamespace;
  readonly #cache = new Map<string, { credentials: Credentials; readAt: number }>();

  constructor(kv: KVNamespace) {
    this.#kv = kv;
  }

  /** What this isolate read of a client within the last 30 seconds. */
  cached(clientId: string, now: number): Credentials | undefined {
    const entry = this.#cache.get(clientId);
    if (!entry) return undefined;
    if (now - entry.readAt < ISOLATE_CACHE_MILLISECONDS) return entry.credentials;
    this.#cache.delete(clientId);
    return undefined;
  }

  /** Only what was used with the right secret is kept, so a flood of unknown ids leaves the cache alone. */
  keep(credentials: Credentials, now: number): void {
    const oldest = this.#cache.keys().next();
    if (this.#cache.size >= ISOLATE_CACHE_ENTRIES && !oldest.done) this.#cache.delete(oldest.value);
    this.#cache.set(credentials.clientId, { credentials, readAt: now });
  }

  /** @throws RequestFailure store-unavailable */
  async read(clientId: string): Promise<Credentials | null> {
    try {
      const reading = this.#kv.get<Credentials>(keyOf(clientId), { type: "json", cacheTtl: KV_CACHE_SECONDS });
      return await withinTime(KV_MILLISECONDS, reading);
    } catch (error) {
      throw new RequestFailure({ kind: "store-unavailable" }, { cause: error });
    }
  }

  /** @throws RequestFailure store-unavailable */
  async write(credentials: Credentials): Promise<void> {
    try {
      const writing = this.#kv.put(keyOf(credentials.clientId), JSON.stringify(credentials));
      await withinTime(KV_MILLISECONDS, writing);
    } catch (error) {
      throw new RequestFailure({ kind: "store-unavailable" }, { cause: error });
    }
    this.#cache.delete(credentials.clientId);
  }
}
