import { DurableObject } from "cloudflare:workers";
import { makeDeps } from "./deps.ts";
import { RequestLimit } from "./domain/request-limit.ts";
import type { Admission } from "./domain/sliding-window.ts";
import { SendGroups } from "./flows/store-sends.ts";
import type { Ask, SendAnswer, WebsiteObject } from "./platform/rate-limiter.ts";
import type { Send } from "./platform/store/sends.ts";

/**
 * The object of one website, named by its id: it counts the requests against the limit, and stores the single sends in groups.
 * A deploy restarts it with an empty window. Sends that it was storing are stored by their callers: under their ids, they are
 * stored once.
 */
export class RateLimiter extends DurableObject<Env> implements WebsiteObject {
  /** Replaced by tests, which hold the clock and break the bindings. */
  makeDeps = makeDeps;

  readonly #limit = new RequestLimit();
  readonly #sends = new SendGroups();

  admit({ unasked = 0 }: Ask = {}): Admission {
    return this.#limit.admit(Date.now(), unasked);
  }

  async send(send: Send, ask: Ask = {}): Promise<SendAnswer> {
    const admission = this.admit(ask);
    if (!admission.admitted) return { admission, stored: null };
    return { admission, stored: await this.#sends.store(this.makeDeps(this.env, this.ctx), send) };
  }

  isStoring(messageId: string): boolean {
    return this.#sends.isStoring(messageId);
  }
}
