import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { Webhook } from "standardwebhooks";
import { count } from "./fake-kannel.ts";
import { close, listen, readBody } from "./loopback.ts";
import type { Behaviour } from "./receiver.ts";

/** As docs/callbacks.md asks of an endpoint: 2xx at once, and `Connection: close`. */
export const thank: Behaviour = (response) => response.writeHead(200, { connection: "close" }).end();

/** A client's endpoint that counts the callbacks it gets, and checks their signatures once it knows the secret. */
export class CountingReceiver {
  /** Posts, by event id. */
  readonly received = new Map<string, number>();
  /** When the first post of each event had come in (performance.now()). */
  readonly receivedAt = new Map<string, number>();
  /** The secret of the client whose endpoint this is: known only once the client is made. */
  secret: string | undefined;
  wronglySigned = 0;
  /** When something last happened here (performance.now()). */
  lastSeen = 0;
  #waiting: { count: number; resolve(): void } | undefined;
  #port = 0;
  readonly #behave: Behaviour;
  readonly #server: Server;
  readonly #scheme: "http" | "https";

  /** @param tls makes it an https endpoint */
  constructor(behave: Behaviour = thank, tls?: { key: string; cert: string }) {
    this.#behave = behave;
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      this.#serve(request, response).catch(() => response.destroy());
    };
    this.#server = tls ? createTlsServer(tls, listener) : createServer(listener);
    this.#scheme = tls ? "https" : "http";
  }

  async open(): Promise<this> {
    this.#port = (await listen(this.#server)).port;
    return this;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.#port}/callbacks`;
  }

  /** @throws Error when fewer different events have come by then */
  async until(count: number, milliseconds: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = () =>
      reject(new Error(`${this.received.size} of ${count} callbacks came in ${milliseconds / 1000} s`));
    const timer = setTimeout(late, milliseconds);
    this.#waiting = { count, resolve };
    if (this.received.size >= count) resolve();
    await promise.finally(() => clearTimeout(timer));
  }

  close(): Promise<void> {
    return close(this.#server);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    this.lastSeen = performance.now();
    const eventId = String(request.headers["webhook-id"]);
    count(this.received, eventId);
    if (!this.receivedAt.has(eventId)) this.receivedAt.set(eventId, this.lastSeen);
    if (this.secret !== undefined && !this.#isSigned(this.secret, request, body, eventId)) this.wronglySigned++;
    this.#behave(response);
    if (this.#waiting && this.received.size >= this.#waiting.count) this.#waiting.resolve();
  }

  /** By the client's secret, and of the event that its header names. */
  #isSigned(secret: string, { headers }: IncomingMessage, body: Buffer, eventId: string): boolean {
    try {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>);
      return (event as { eventId: string }).eventId === eventId;
    } catch {
      return false;
    }
  }
}
