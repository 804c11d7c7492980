// The service as `npm start` runs it. Cloudflare's edge reads the rest of a body that the Worker leaves unread; here this does.
import service from "../../src/index.ts";

export * from "../../src/index.ts";

/** How long an answer waits for the rest of a body: it may never come. */
const LONGEST_REST_MILLISECONDS = 5000;

export default {
  ...service,
  async fetch(request, env, context) {
    const { body } = request;
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
