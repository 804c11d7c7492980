// The same binding calls in turn: each request reads KV, and each call is awaited before the next, the queue's too.
import { answer, readClient } from "./calls.ts";

export { RateLimiter } from "./counter.ts";

export default {
  fetch(request, env) {
    return answer(request, env, {
      readClient: (clientId) => readClient(env, clientId),
      queue: async (messageId) => void (await env.MESSAGES.send({ kind: "deliver", messageIds: [messageId] })),
    });
  },
} satisfies ExportedHandler<Env>;
