import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { count } from "./fake-kannel.ts";
import type { Behaviour } from "./receiver.ts";

/** As docs/api.md asks of an endpoint: 2xx at once, and `Connection: close`. */
export const thank: Behaviour = (response) => response.writeHead(200, { connection: "close" }).end();

/** A client's endpoint that counts the callbacks it gets, and checks that each is signed. */
export class CountingReceiver {
  /** Posts, by event id. */
  readonly received = new Map<string, number>();
  /** When the first post of each event had come in (performance.now()). */
  readonly receivedAt = new Map<string, number>();
  /** Of the client whose endpoint this is: known only once the client is made. */
  secret = "";
  wronglySigned = 0;
  /** When something last happened here (performance.now()). */
  lastSeen = 0;
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
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}/callbacks`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    this.lastSeen = performance.now();
    const eventId = String(request.headers["webhook-id"]);
    count(this.received, eventId);
    if (!this.receivedAt.has(eventId)) this.receivedAt.set(eventId, this.lastSeen);
    if (!this.#isSigned(request, Buffer.concat(chunks), eventId)) this.wronglySigned++;
    this.#behave(response);
  }

  /** By the client's secret, and of the event that its header names. */
  #isSigned({ headers }: IncomingMessage, body: Buffer, eventId: string): boolean {
    try {
      const event = new Webhook(this.secret).verify(body, headers as Record<string, string>);
      return (event as { eventId: string }).eventId === eventId;
    } catch {
      return false;
    }
  }
}
