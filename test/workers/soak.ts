// The service with a clock that the soak moves, and its sweep on a call. Only the soak runs this.
import service from "../../src/index.ts";

export * from "../../src/index.ts";

const now = Date.now.bind(Date);
let aheadMilliseconds = 0;
Date.now = () => now() + aheadMilliseconds;

export default {
  ...service,
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/soak/sweep") return service.fetch(request, env, context);
    aheadMilliseconds += Number(searchParams.get("ahead"));
    await service.scheduled({ cron: "", scheduledTime: Date.now(), noRetry: () => {} }, env, context);
    return new Response();
  },
} satisfies ExportedHandler<Env>;
