import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { failureResponse } from "../src/http/errors.ts";
import { StartError } from "./start-options.ts";

/** Longer than clients keep an idle connection, so that the client closes it and never meets a closed one. */
const KEEP_ALIVE_MILLISECONDS = 75_000;

/** Cloudflare's limit. */
const HEADER_BYTES = 128 * 1024;

/** They belong to one connection, not to the message (RFC 9110, 7.6.1; Node answers `Expect` itself, at once). */
const HOP_HEADERS = ["connection", "keep-alive", "proxy-connection", "upgrade", "expect"];

/** Some clients send them with a GET, of which Miniflare makes a fault. Cloudflare passes such a request on, and a Worker reads no body. */
const BODY_HEADERS = ["content-length", "transfer-encoding", "trailer"];
const WITHOUT_BODY = ["GET", "HEAD"];

/** A name or an address of RFC 3986 (3.2.2), and a port. What else a Host says, Miniflare makes a fault of. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d*)?$/i;

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
  const options = {
    maxHeaderSize: HEADER_BYTES,
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    requireHostHeader: false,
  };
  const server: Server & { httpAllowHalfOpen?: boolean } = createServer(options);
  server.httpAllowHalfOpen = true;
  server.on("request", (incoming, outgoing) => {
    origin.then((url) => answer(incoming, outgoing, url)).catch(() => outgoing.destroy());
  });
  try {
    server.listen({ port, ...(ip === "*" ? {} : { host: ip }) });
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } catch (error) {
    throw new StartError(explain(error as NodeJS.ErrnoException, port, ip));
  }
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, origin: URL): Promise<void> {
  const target = readTarget(incoming);
  const hosts = target.headers.filter((_, index) => index % 2 === 1 && /^host$/i.test(target.headers[index - 1] ?? ""));
  const [host = ""] = hosts;
  const isRight = hosts.length === 1 && HOST.test(host) && URL.canParse(`http://${host}`);
  if (isRight) passOn(incoming, outgoing, origin, target);
  else await refuseHost(outgoing, hosts);
}

/** As RFC 9112 (3.2) asks for. */
async function refuseHost(outgoing: ServerResponse, hosts: string[]): Promise<void> {
  const requestId = randomUUID();
  const given = hosts.map((one) => JSON.stringify(one.slice(0, 100))).join(" and ") || "none";
  const message = `must be one host, such as 127.0.0.1:8787; this request has ${given}`;
  const failure = failureResponse({ kind: "fields-wrong", details: [{ field: "Host", message }] }, requestId, 0);
  outgoing.writeHead(failure.status, { "content-type": "application/json", "x-request-id": requestId });
  outgoing.end(await failure.text());
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, { hostname, port }: URL, target: Target): void {
  const { method = "GET" } = incoming;
  const isBare = WITHOUT_BODY.includes(method);
  const headers = isBare ? without(target.headers, BODY_HEADERS) : target.headers;
  const upstream = request({ hostname, port, path: target.path, method, headers, setHost: false, agent: false });
  upstream.on("response", (answer) => {
    outgoing.sendDate = false;
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, without(answer.rawHeaders, HOP_HEADERS));
    answer.on("error", () => outgoing.destroy()).pipe(outgoing);
  });
  upstream.on("error", ({ code }: NodeJS.ErrnoException) => {
    // workerd has ended and is starting again: it has not seen the request.
    if (code === "ECONNREFUSED") outgoing.writeHead(503, { "retry-after": "1" }).end();
    else if (!outgoing.headersSent) outgoing.destroy();
  });
  outgoing.on("close", () => upstream.destroy());
  incoming.on("error", () => upstream.destroy());
  if (isBare) {
    incoming.resume();
    upstream.end();
  } else incoming.pipe(upstream);
}

interface Target {
  path: string;
  /** Names and values in turn. */
  headers: string[];
}

/** A host in the target counts in place of the header's (RFC 9112, 3.2.2); `*` is the server as a whole. */
function readTarget({ url = "/", rawHeaders }: IncomingMessage): Target {
  const [isAbsolute, host = "", rest] = ABSOLUTE_FORM.exec(url) ?? [];
  if (!isAbsolute) return { path: url === "*" ? "/" : encode(url), headers: without(rawHeaders, HOP_HEADERS) };
  return { path: encode(`/${rest}`), headers: ["Host", host, ...without(rawHeaders, [...HOP_HEADERS, "host"])] };
}

/** workerd refuses these three characters where a client has not encoded them; Cloudflare's edge encodes them. */
const encode = (path: string) => path.replace(/["<>]/g, encodeURIComponent);

/** @param rawHeaders names and values in turn */
function without(rawHeaders: string[], dropped: string[]): string[] {
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
