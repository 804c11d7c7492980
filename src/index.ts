import { makeDeps } from "./deps.ts";
import { consume } from "./queue.ts";
import { handleRequest } from "./router.ts";
import { sweep } from "./sweep.ts";

export { SenderObject } from "./sender-object.ts";
export { RateLimiter } from "./website-object.ts";

export default {
  fetch: (request, env, context) => handleRequest(request, () => makeDeps(env, context)),
  queue: (batch, env, context) => consume(batch, makeDeps(env, context)),
  scheduled: (_event, env, context) => sweep(makeDeps(env, context)),
} satisfies ExportedHandler<Env>;
