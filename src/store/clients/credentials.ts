import { type Credentials, isNewer } from "../../domain/clients/client.ts";
import { LatestMap } from "../../domain/latest-map.ts";
import { askStore } from "../../platform/ask-store.ts";

/** How long KV may answer from its cache (the least that it takes), and an isolate from its own. */
const KV_CACHE_SECONDS = 30;
const ISOLATE_CACHE_MILLISECONDS = 30_000;
const ISOLATE_CACHE_ENTRIES = 1000;

/** How long KV may take: a read takes milliseconds, a write to the edge's centre a second at times. */
export const KV_MILLISECONDS = 5000;

const keyOf = (clientId: string) => `client:${clientId}`;

/** The copies of the clients' credentials in KV, and the latest state that this isolate has of them. */
export class CredentialStore {
  readonly #kv: KVNamespace;
  readonly #cache = new LatestMap<string, { credentials: Credentials; readAt: number }>(ISOLATE_CACHE_ENTRIES);

  constructor(kv: KVNamespace) {
    this.#kv = kv;
  }

  /** The state of a client in this isolate. It is current if it was read within the last 30 seconds. */
  known(clientId: string, now: number): { credentials: Credentials; isCurrent: boolean } | undefined {
    const entry = this.#cache.get(clientId);
    return entry && { credentials: entry.credentials, isCurrent: now - entry.readAt < ISOLATE_CACHE_MILLISECONDS };
  }

  /** Only what was used with the right secret is kept, so a flood of unknown ids leaves the cache alone. */
  keep(credentials: Credentials, now: number): void {
    this.#cache.set(credentials.clientId, { credentials, readAt: now });
  }

  /**
   * The copy in KV, or a later state that this isolate has. KV may be out of date by a minute or more.
   * @throws RequestFailure store-unavailable
   */
  async read(clientId: string): Promise<Credentials | null> {
    const copy = await askStore(KV_MILLISECONDS, () =>
      this.#kv.get<Credentials>(keyOf(clientId), { type: "json", cacheTtl: KV_CACHE_SECONDS }),
    );
    const known = this.#cache.get(clientId)?.credentials;
    return known && (copy === null || isNewer(known, copy)) ? known : copy;
  }

  /** @throws RequestFailure store-unavailable */
  async write(credentials: Credentials, now: number): Promise<void> {
    this.keep(credentials, now);
    await askStore(KV_MILLISECONDS, () => this.#kv.put(keyOf(credentials.clientId), JSON.stringify(credentials)));
  }
}
