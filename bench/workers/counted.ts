// The service, with a limiter that counts the calls which reach it. Only the bench runs this.
import service from "../../src/index.ts";
import { RateLimiter as Limiter } from "../../src/website-object.ts";

export class RateLimiter extends Limiter {
  #calls = 0;
  #admitted = 0;

  override admit(...given: Parameters<Limiter["admit"]>): ReturnType<Limiter["admit"]> {
    const admission = super.admit(...given);
    this.#calls++;
    if (admission.admitted) this.#admitted++;
    return admission;
  }

  counts(): { calls: number; admitted: number; at: number } {
    return { calls: this.#calls, admitted: this.#admitted, at: Date.now() };
  }
}

export default {
  ...service,
  async fetch(request, env, context) {
    const [, action, websiteId] = /^\/bench\/(admit|counts)\/([^/]+)$/.exec(new URL(request.url).pathname) ?? [];
    if (websiteId === undefined) return service.fetch(request, env, context);
    const limiter = (env.RATE_LIMITER as unknown as DurableObjectNamespace<RateLimiter>).getByName(websiteId);
    return Response.json(action === "counts" ? await limiter.counts() : await limiter.admit());
  },
} satisfies ExportedHandler<Env>;
