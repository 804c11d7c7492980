import { DurableObject } from "cloudflare:workers";
import { type Credentials, isNewer } from "../domain/client.ts";
import { Refusals } from "../domain/refusals.ts";
import { RequestLimit } from "../domain/request-limit.ts";
import type { Admission } from "../domain/sliding-window.ts";

/** What an isolate says when it asks. The version before says nothing. */
interface Ask {
  /** See RequestLimit. */
  unasked?: number;
  /** Whose request it is, in the state that the isolate knows. */
  client?: Pick<Credentials, "clientId" | "version">;
}

/** What the object knows of a later change of the client: the request is not counted before it was held to that. */
type Newer = { newer: Credentials } & Partial<Record<"admitted" | "remaining" | "resetMilliseconds", undefined>>;

/**
 * The limit of one website, named by its id. A deploy restarts it with an empty window. It also holds the clients that were
 * changed, as they are now: each request passes here, so what a change takes away is refused long before KV has spread it.
 */
export class RateLimiter extends DurableObject<Env> {
  readonly #limit = new RequestLimit();
  /** By client id. Storage has them all, and is read once. */
  #changed: Map<string, Credentials> | undefined;

  admit({ unasked = 0, client }: Ask = {}): Admission | Newer {
    const newer = client && this.#clients().get(client.clientId);
    if (newer && isNewer(newer, client)) return { newer };
    return this.#limit.admit(Date.now(), unasked);
  }

  /** An earlier state than it knows changes nothing. */
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

export type RateLimiterNamespace = DurableObjectNamespace<RateLimiter>;

/** A late answer: a call that took longer has waited for others. */
const LATE_MILLISECONDS = 500;

const MOST_REMEMBERED = 1000;

/** Of an overloaded object nobody knows more than that it needs a rest. */
const OVERLOADED: Admission = { admitted: false, remaining: 0, resetMilliseconds: 1000 };

/** Calls the objects. One per isolate; it remembers refusals, so that a flood does not reach the objects. */
export class RateGate {
  readonly #limiter: RateLimiterNamespace;
  readonly #random: () => number;
  /** By website. */
  readonly #refusals = new Map<string, Refusals>();

  constructor(limiter: RateLimiterNamespace, random: () => number = Math.random) {
    this.#limiter = limiter;
    this.#random = random;
  }

  /**
   * Calls the website's object, unless a refusal still holds. An overloaded object is a refusal.
   * @throws any other error of the object
   */
  async admit(websiteId: string, now: () => number, client?: Ask["client"]): Promise<Admission | Newer> {
    const asked = now();
    const refusals = this.#recall(websiteId, asked);
    const wait = refusals?.refuse(asked);
    if (wait !== undefined) return { admitted: false, remaining: 0, resetMilliseconds: wait };
    try {
      const ask = { unasked: refusals?.takeUnasked() ?? 0, ...(client ? { client } : {}) };
      const answer = await this.#limiter.getByName(websiteId).admit(ask);
      if (!("newer" in answer)) this.#remember(websiteId, asked, now(), answer);
      return answer;
    } catch (error) {
      if ((error as { overloaded?: unknown } | null)?.overloaded === true) return this.#rest(websiteId, now());
      throw error;
    }
  }

  /** Tells the website's object of changed clients. @throws the error of the object */
  async tell(websiteId: string, changed: Credentials[]): Promise<void> {
    await this.#limiter.getByName(websiteId).learn(changed);
  }

  /**
   * The object has not answered in time. After a recent refusal it is taken for overloaded: it is behind with a flood.
   * @returns a refusal, or undefined when nothing is known against the website
   */
  afterSilence(websiteId: string, now: number): Admission | undefined {
    return this.#recall(websiteId, now) && this.#rest(websiteId, now);
  }

  #recall(websiteId: string, now: number): Refusals | undefined {
    const refusals = this.#refusals.get(websiteId);
    if (refusals?.isRecent(now)) return refusals;
    this.#refusals.delete(websiteId);
    return undefined;
  }

  #remember(websiteId: string, asked: number, now: number, admission: Admission): void {
    if (admission.admitted) this.#refusals.get(websiteId)?.answered(asked, now, admission);
    else if (now - asked > LATE_MILLISECONDS) this.#rest(websiteId, now);
    else this.#of(websiteId).answered(asked, now, admission);
  }

  #rest(websiteId: string, now: number): Admission {
    this.#of(websiteId).overloaded(now, this.#random());
    return OVERLOADED;
  }

  #of(websiteId: string): Refusals {
    const refusals = this.#refusals.get(websiteId) ?? new Refusals(this.#random());
    const oldest = this.#refusals.keys().next();
    if (this.#refusals.size >= MOST_REMEMBERED && !oldest.done) this.#refusals.delete(oldest.value);
    this.#refusals.set(websiteId, refusals);
    return refusals;
  }
}
