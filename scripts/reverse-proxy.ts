import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "./start-options.ts";

/** Longer than clients keep an idle connection, so that the client closes it and never meets a closed one. */
const KEEP_ALIVE_MILLISECONDS = 75_000;

/** Cloudflare's limit. */
const HEADER_BYTES = 128 * 1024;

/** They belong to one connection, not to the message (RFC 9110, 7.6.1; Node answers `Expect` itself, at once). */
const HOP_HEADERS = ["connection", "keep-alive", "proxy-connection", "upgrade", "expect"];

/** The host and the rest of a target as clients write it for a proxy. workerd takes only paths. */
const ABSOLUTE_FORM = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)\/?(.*)$/i;

/**
 * Listens at the service's address and passes each request on to workerd, on a new connection. workerd closes a kept-alive
 * connection five seconds after its last answer, even when the next request has arrived and workerd was too busy to read it.
 * @param port 0: any free one
 * @param origin of workerd; requests wait until it is known
 * @returns the port
 * @throws StartError when the port is taken, or the address is not of this machine
 */
export async function startReverseProxy(port: number, ip: string, origin: Promise<URL>): Promise<number> {
  const options = { maxHeaderSize: HEADER_BYTES, requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MILLISECONDS };
  const server: Server & { httpAllowHalfOpen?: boolean } = createServer(options);
  server.httpAllowHalfOpen = true;
  server.on("request", (incoming, outgoing) => {
    origin.then((url) => passOn(incoming, outgoing, url)).catch(() => outgoing.destroy());
  });
  try {
    server.listen({ port, ...(ip === "*" ? {} : { host: ip }) });
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } catch (error) {
    throw new StartError(explain(error as NodeJS.ErrnoException, port, ip));
  }
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, { hostname, port }: URL): void {
  const target = { method: incoming.method, ...readTarget(incoming) };
  const upstream = request({ hostname, port, ...target, setHost: false, agent: false });
  upstream.on("response", (answer) => {
    outgoing.sendDate = false;
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
    answer.on("error", () => outgoing.destroy()).pipe(outgoing);
  });
  upstream.on("error", ({ code }: NodeJS.ErrnoException) => {
    // workerd has ended and is starting again: it has not seen the request.
    if (code === "ECONNREFUSED") outgoing.writeHead(503, { "retry-after": "1" }).end();
    else if (!outgoing.headersSent) outgoing.destroy();
  });
  outgoing.on("close", () => upstream.destroy());
  incoming.on("error", () => upstream.destroy()).pipe(upstream);
}

/** A host in the target counts in place of the header's (RFC 9112, 3.2.2); `*` is the server as a whole. */
function readTarget({ url = "/", rawHeaders }: IncomingMessage): { path: string; headers: string[] } {
  const [isAbsolute, host = "", rest] = ABSOLUTE_FORM.exec(url) ?? [];
  if (!isAbsolute) return { path: url === "*" ? "/" : url, headers: endToEnd(rawHeaders) };
  return { path: `/${rest}`, headers: ["Host", host, ...endToEnd(rawHeaders, [...HOP_HEADERS, "host"])] };
}

/** @param rawHeaders names and values in turn */
function endToEnd(rawHeaders: string[], dropped = HOP_HEADERS): string[] {
  return rawHeaders.filter((_, index) => !dropped.includes((rawHeaders[index & ~1] ?? "").toLowerCase()));
}

function explain({ code, message }: NodeJS.ErrnoException, port: number, ip: string): string {
  if (code === "EADDRINUSE") {
    const next = port < 65_535 ? port + 1 : port - 1;
    return `Port ${port} is in use. Choose another: npm start -- --port ${next}`;
  }
  if (code === "EACCES")
    return `Port ${port} is for the system's own services. Choose another: npm start -- --port 8787`;
  return `Cannot listen at ${ip}, port ${port}: ${message}`;
}
