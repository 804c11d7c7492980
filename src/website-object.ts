import { DurableObject } from "cloudflare:workers";
import { makeDeps } from "./deps.ts";
import { type Credentials, isNewer } from "./domain/client.ts";
import { RequestLimit } from "./domain/request-limit.ts";
import type { Admission } from "./domain/sliding-window.ts";
import { MOST_WAITING, SendGroups, storeGroup } from "./flows/store-sends.ts";
import { Meetings, TogetherWithOthers } from "./flows/store-together.ts";
import type { Ask, Newer, SendAnswer, StoredTogether, WebsiteObject } from "./platform/rate-limiter.ts";
import type { Send, StoredSend } from "./platform/store/sends.ts";

/**
 * The object of one website, named by its id: it counts the requests against the limit, and stores the single sends in groups.
 * Where several websites of a database send at the same time, it has the object of the database store them: of the same class,
 * named by the database, it groups what comes from all of them.
 * It also holds the clients that were changed, as they are now: each request passes here, so what a change takes away is
 * refused long before KV has spread it. A deploy restarts it with an empty window. Sends that it was storing are stored by
 * their callers: under their ids, they are stored once.
 */
export class RateLimiter extends DurableObject<Env> implements WebsiteObject {
  /** Replaced by tests, which hold the clock and break the bindings. */
  static makeDeps = makeDeps;

  readonly #limit = new RequestLimit();
  readonly #others = new TogetherWithOthers();
  readonly #sends = new SendGroups(this.#others.store, MOST_WAITING.ofWebsite, this.#others.mostWrites);
  /** Of the object of a database. What waits for one website would hold up the others. */
  readonly #together = new SendGroups(storeGroup, MOST_WAITING.ofDatabase);
  readonly #meetings = new Meetings();
  /** By client id. Storage has them all, and is read once. */
  #changed: Map<string, Credentials> | undefined;

  admit(ask: Ask = {}): Admission | Newer {
    return this.#admit(ask);
  }

  #admit({ unasked = 0, client }: Ask): Admission | Newer {
    const newer = client && this.#clients().get(client.clientId);
    if (newer && isNewer(newer, client)) return { newer };
    return this.#limit.admit(Date.now(), unasked);
  }

  async send(send: Send, ask: Ask = {}): Promise<SendAnswer> {
    const admission = this.#admit(ask);
    if ("newer" in admission) return admission;
    if (!admission.admitted) return { admission, stored: null };
    const [stored] = await this.#sends.store(RateLimiter.makeDeps(this.env, this.ctx), [send]);
    return { admission, stored: stored as StoredSend };
  }

  async storeTogether(sends: Send[], websiteId: string): Promise<StoredTogether> {
    const deps = RateLimiter.makeDeps(this.env, this.ctx);
    this.#meetings.visit(websiteId, this.#together.isWaiting, deps.now());
    const stored = await this.#together.store(deps, sends);
    return { stored, isShared: this.#meetings.pay(deps.now()) };
  }

  isStoring(messageId: string): boolean {
    return this.#sends.isStoring(messageId) || this.#together.isStoring(messageId);
  }

  learn(changed: Credentials[]): void {
    const clients = this.#clients();
    for (const credentials of changed) {
      const known = clients.get(credentials.clientId);
      if (known && !isNewer(credentials, known)) continue;
      this.ctx.storage.kv.put(credentials.clientId, credentials);
      clients.set(credentials.clientId, credentials);
    }
  }

  #clients(): Map<string, Credentials> {
    this.#changed ??= new Map(this.ctx.storage.kv.list<Credentials>());
    return this.#changed;
  }
}
