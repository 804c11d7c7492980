import { DurableObject } from "cloudflare:workers";

/** A limiter that only counts: the call is what is measured. */
export class RateLimiter extends DurableObject<Env> {
  #count = 0;

  admit(): number {
    return ++this.#count;
  }
}

export async function callCounter(env: Env, websiteId: string): Promise<void> {
  await (env.RATE_LIMITER as unknown as DurableObjectNamespace<RateLimiter>).getByName(websiteId).admit();
}

/** Every Worker is started with the bindings of the service. */
export class SenderObject extends DurableObject<Env> {}
