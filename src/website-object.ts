import { DurableObject } from "cloudflare:workers";
import { type Deps, makeDeps } from "./deps.ts";
import { type Credentials, isNewer } from "./domain/clients/client.ts";
import { type Admission, SlidingWindow } from "./domain/clients/sliding-window.ts";
import { DAY, type OverLimit, type Taken, takeTexts } from "./domain/messages/daily-limit.ts";
import type { Send } from "./domain/messages/send.ts";
import { inDatabase } from "./flows/databases/places.ts";
import { SendGroups } from "./flows/messages/store-sends.ts";
import { KeptCount } from "./platform/kept-count.ts";
import type { KnownClient, NewerClient, SendAnswer, WebsiteObject } from "./platform/rate-limiter.ts";

/** The changed clients in storage. */
const PREFIX = "client:";

/**
 * The object of one website, named by its id: it counts the requests against the limit, and the texts against the daily limit, and stores
 * the single sends in groups.
 * It also holds the clients that were changed, as they are now: each request passes here, so what a change takes away is
 * refused long before KV has spread it. A deploy restarts it with an empty window, and with the texts as they were. Sends that it was storing are stored by
 * their callers: under their ids, they are stored once.
 */
export class RateLimiter extends DurableObject<Env> implements WebsiteObject {
  /** Replaced by tests, which hold the clock and break the bindings. */
  static makeDeps = makeDeps;

  readonly #window = new SlidingWindow();
  readonly #texts = new KeptCount(this.ctx.storage.kv, "texts", DAY);
  readonly #sends = new SendGroups(this.#texts);
  /** By client id. Storage has them all, and is read once. */
  #changed: Map<string, Credentials> | undefined;

  admit(client?: KnownClient): Admission | NewerClient {
    const newer = client && this.#clients().get(client.clientId);
    if (newer && isNewer(newer, client)) return { newer };
    return this.#window.admit(Date.now());
  }

  async send(send: Send, client?: KnownClient): Promise<SendAnswer> {
    const admission = this.admit(client);
    if ("newer" in admission) return admission;
    if (!admission.admitted) return { admission, stored: null };
    return { admission, stored: await this.#sends.store(inDatabase(this.#deps(), send.database), send) };
  }

  isStoring(messageId: string): boolean {
    return this.#sends.isStoring(messageId);
  }

  take(texts: number, dailyLimit: number): Taken | OverLimit {
    const taken = takeTexts(this.#texts, texts, dailyLimit, this.#deps().now());
    this.#texts.keep();
    return taken;
  }

  giveBack({ minute, texts }: Taken): void {
    this.#texts.giveBack(minute, texts);
    this.#texts.keep();
  }

  textsUsed(): number {
    return this.#texts.usedAt(this.#deps().now());
  }

  learn(changed: Credentials[]): void {
    const clients = this.#clients();
    for (const credentials of changed) {
      const known = clients.get(credentials.clientId);
      if (known && !isNewer(credentials, known)) continue;
      this.ctx.storage.kv.put(`${PREFIX}${credentials.clientId}`, credentials);
      clients.set(credentials.clientId, credentials);
    }
  }

  #clients(): Map<string, Credentials> {
    const kept = () => Array.from(this.ctx.storage.kv.list<Credentials>({ prefix: PREFIX }), ([, client]) => client);
    this.#changed ??= new Map(kept().map((client) => [client.clientId, client]));
    return this.#changed;
  }

  #deps(): Deps {
    return RateLimiter.makeDeps(this.env, this.ctx);
  }
}
