// A client's endpoint for callbacks: it takes them all and counts them.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export async function startReceiver() {
  /** How often each event came. */
  const events = new Map<string, number>();
  let waiting: { count: number; resolve: () => void } | undefined;
  const server = createServer((request, response) => {
    const id = String(request.headers["webhook-id"]);
    events.set(id, (events.get(id) ?? 0) + 1);
    request.resume().on("end", () => response.writeHead(204).end());
    if (waiting && events.size >= waiting.count) waiting.resolve();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    events,
    /** @throws Error when fewer different events have come by then */
    async until(count: number, milliseconds: number): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = () => reject(new Error(`${events.size} of ${count} callbacks came in ${milliseconds / 1000} s`));
      const timer = setTimeout(late, milliseconds);
      waiting = { count, resolve };
      if (events.size >= count) resolve();
      await promise.finally(() => clearTimeout(timer));
    },
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
