// The production bundle at the platform's price: its handlers and objects as they are, with bindings that cost time and count.
// bench/edge/build.ts writes the entry that joins the two. Only the bench runs this.
import { env as edgeEnv } from "cloudflare:workers";
import { priceEnv } from "./bindings.ts";
import { goAhead, makeClock, setPace, takeTimerCounts } from "./clock.ts";
import type { EdgeCounts } from "./counts.ts";
import { priceObject } from "./objects.ts";
import { Platform } from "./platform.ts";
import type { EdgeEnv } from "./queue.ts";
import { FLOOR_PATH } from "./settings.ts";

export { EdgeQueue } from "./queue.ts";

const { EDGE: settings, EDGE_QUEUES: queues } = edgeEnv as unknown as EdgeEnv;
const clock = makeClock(settings);
setPace(clock, settings.slow);
const platform = new Platform(settings, clock);
const realFetch = globalThis.fetch;
globalThis.fetch = (...given: Parameters<typeof fetch>) => platform.fetch(() => realFetch(...given));

type Service = Required<Pick<ExportedHandler<Env>, "fetch" | "queue" | "scheduled">>;

export function priceHandlers(service: Service, floor: Pick<Service, "fetch">): ExportedHandler<Env> {
  return {
    async fetch(request, env, context) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname.startsWith("/edge/")) return Response.json((await operate(pathname, searchParams)) ?? null);
      const [worker, own] = pathname.startsWith(FLOOR_PATH)
        ? [floor, new Request(request.url.replace(FLOOR_PATH, ""), request)]
        : [service, request];
      return platform.invoke(pathname, () => worker.fetch(own, priceEnv(env, platform, settings), context));
    },
    queue: (batch, env, context) =>
      platform.invoke(batch.queue, () => service.queue(batch, priceEnv(env, platform, settings), context)),
    scheduled: (event, env, context) =>
      platform.invoke("cron", () => service.scheduled(event, priceEnv(env, platform, settings), context)),
  };
}

/** What the bench asks for between two loads. */
async function operate(pathname: string, query: URLSearchParams): Promise<unknown> {
  const all = Object.keys(settings.consumers).map((name) => [name, queues.getByName(name)] as const);
  switch (pathname) {
    case "/edge/counts":
      return {
        ...platform.takeCounts(),
        timers: takeTimerCounts(),
        queues: Object.fromEntries(
          await Promise.all(all.map(async ([name, queue]) => [name, await queue.takeCounts()])),
        ),
      } satisfies EdgeCounts;
    case "/edge/idle":
      return (await Promise.all(all.map(([, queue]) => queue.isIdle()))).every(Boolean);
    case "/edge/hold":
      return void (await Promise.all(all.map(([, queue]) => queue.hold(query.get("on") === "true"))));
    case "/edge/drop":
      return void (await Promise.all(all.map(([, queue]) => queue.drop())));
    case "/edge/ahead":
      return goAhead(Number(query.get("milliseconds")));
  }
}

/** See objects.ts. */
export function priceClass<C extends Parameters<typeof priceObject>[0]>(Class: C, name: string): C {
  return priceObject(Class, name, platform, settings);
}
