// The service as `npm start` runs it. Cloudflare's edge reads the rest of a body that the Worker leaves unread; here this does.
import { readConfig } from "../../src/config.ts";
import service from "../../src/index.ts";
import { answerCallback, ENDPOINT } from "./demo/endpoint.ts";
import { fillDemo } from "./demo/fill.ts";
import { markDemo } from "./demo/mark.ts";

export * from "../../src/index.ts";

/** How long an answer waits for the rest of a body: it may never come. */
const LONGEST_REST_MILLISECONDS = 5000;

export default {
  ...service,
  async fetch(request, env, context) {
    const { pathname, origin } = new URL(request.url);
    if (pathname.startsWith(ENDPOINT)) return answerCallback(pathname);
    if (pathname === "/local/demo") return answerDemo(request, env, origin);
    const { body } = request;
    if (pathname === "/console/session" && request.method === "GET") {
      return markDemo(await service.fetch(request, env, context), env.DB);
    }
    if (body === null) return service.fetch(request, env, context);
    const { readable, writable } = new IdentityTransformStream();
    const passedOn = new Request(request, { body: readable }) as typeof request;
    const taken = take(body, writable);
    const answer = await service.fetch(passedOn, env, context);
    if (!passedOn.bodyUsed) await readable.cancel();
    await Promise.race([taken, scheduler.wait(LONGEST_REST_MILLISECONDS)]);
    return answer;
  },
} satisfies ExportedHandler<Env>;

/** Asked by `npm start`, which has the token of the first operator. It tells a person at this machine what goes wrong. */
async function answerDemo(request: Request, env: Env, origin: string): Promise<Response> {
  try {
    const { operatorToken: token } = readConfig(env);
    const isAllowed = token !== undefined && request.headers.get("authorization") === `Bearer ${token}`;
    if (!isAllowed) return new Response(null, { status: 404 });
    return Response.json({ isFilled: await fillDemo(env, origin, token) });
  } catch (error) {
    return new Response(error instanceof Error ? error.message : String(error), { status: 500 });
  }
}

/**
 * Reads a body to its end, even after the service has stopped reading it. Otherwise workerd closes the connection, and a client
 * that is still sending may lose the answer.
 */
async function take(body: ReadableStream<Uint8Array>, writable: WritableStream): Promise<void> {
  const writer = writable.getWriter();
  let isWanted = true;
  try {
    for await (const piece of body) {
      if (isWanted) isWanted = await hasSucceeded(writer.write(piece));
    }
    await hasSucceeded(writer.close());
  } catch (error) {
    await hasSucceeded(writer.abort(error));
  }
}

function hasSucceeded(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
