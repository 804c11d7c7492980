// Uploads that break off, at each endpoint, and the requests of everybody else.
import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import { type Client, makeClient, send, TOKEN } from "../harness/service.ts";

export const SUBSCRIBERS = Array.from({ length: 500 }, (_, index) => `+1212555${String(index).padStart(4, "0")}`);
/** A number of the sandbox: its message stays SENDING, so that it costs no more than its submission. */
export const PHONE = "+12125550003";

export interface Uploaders {
  url: string;
  /** Breaks off what it sends. */
  breaker: Client;
  /** A client of another website, so that the breaker's requests do not count against its limit. */
  other: Client;
}

export async function makeUploaders(url: string): Promise<Uploaders> {
  return { url, breaker: await makeClient(url, ""), other: await makeClient(url, "", SUBSCRIBERS) };
}

/** How a client ends a connection in the middle of its body. */
export const WAYS = {
  "a reset": (socket: Socket) => socket.resetAndDestroy(),
  "a close": (socket: Socket) => socket.destroy(),
  "a half-close": (socket: Socket) => socket.end(),
} as const;

export type Way = keyof typeof WAYS;

/** How the length is told of a body that is a thousand bytes longer than what is sent of it. */
export const LENGTHS = {
  "a Content-Length": (begin: string) => `Content-Length: ${begin.length + 1000}\r\n\r\n${begin}`,
  "a chunk": (begin: string) => `Transfer-Encoding: chunked\r\n\r\n${(begin.length + 1000).toString(16)}\r\n${begin}`,
  "the chunks": (begin: string) => `Transfer-Encoding: chunked\r\n\r\n${begin.length.toString(16)}\r\n${begin}\r\n`,
} as const;

export type Length = keyof typeof LENGTHS;

export interface Endpoint {
  method: string;
  path: string;
  type: string;
  credentials: "client" | "operator" | "none";
}

export const JSON_TYPE = "application/json";
const OF_CLIENT = { method: "POST", type: JSON_TYPE, credentials: "client" } as const;
const OF_OPERATOR = { ...OF_CLIENT, credentials: "operator" } as const;
const OPEN = { ...OF_CLIENT, credentials: "none" } as const;

/** Those that read the body. */
export const READING: (Endpoint & { route: string })[] = [
  { ...OF_CLIENT, path: "/text/message/send" },
  { ...OF_CLIENT, path: "/text/bulk/message/send" },
  { ...OF_CLIENT, path: "/text/subscription/status" },
  { ...OF_CLIENT, path: "/text/subscribe" },
  { ...OF_CLIENT, path: "/text/unsubscribe" },
  { ...OF_OPERATOR, method: "PUT", path: "/operator/websites/half", route: "/operator/websites/:websiteId" },
  {
    ...OF_OPERATOR,
    type: "text/csv",
    path: "/operator/websites/demo/subscribers",
    route: "/operator/websites/:websiteId/subscribers",
  },
  {
    ...OPEN,
    type: "application/x-www-form-urlencoded",
    path: "/carriers/twilio/inbound",
    route: "/carriers/:carrier/inbound",
  },
].map((endpoint) => ({ route: endpoint.path, ...endpoint }));

/** Those that need no body: their own answer may come before the end that breaks the body off, and 400 follows it. */
const NOT_READING: (Endpoint & { answer: number })[] = [
  { ...OPEN, path: "/text/message/send", answer: 401 },
  { ...OPEN, path: "/l/unknown", answer: 405 },
  { ...OPEN, path: "/health", answer: 405 },
  { ...OPEN, path: "/no/such/path", answer: 404 },
  { ...OPEN, path: "/docs", answer: 405 },
];

export const ENDPOINTS: (Endpoint & { answer?: number })[] = [...READING, ...NOT_READING];

function headersOf({ breaker }: Uploaders, { credentials }: Endpoint): string[] {
  if (credentials === "client") return [`X-Client-ID: ${breaker.clientId}`, `X-Client-Secret: ${breaker.clientSecret}`];
  return credentials === "operator" ? [`Authorization: Bearer ${TOKEN}`] : [];
}

/** Sends the beginning of a request and breaks it off. @returns what was answered */
export async function breakOff(
  uploaders: Uploaders,
  endpoint: Endpoint,
  way: Way,
  length: Length,
  begin = '{"messages":[',
): Promise<string> {
  const { hostname, port } = new URL(uploaders.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
  });
  socket.on("error", () => {});
  const ended = new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
  await once(socket, "connect");
  const lines = [`${endpoint.method} ${endpoint.path} HTTP/1.1`, `Host: ${hostname}`, `Content-Type: ${endpoint.type}`];
  const request = [...lines, ...headersOf(uploaders, endpoint), LENGTHS[length](begin)].join("\r\n");
  await new Promise((resolve) => socket.write(request, resolve));
  WAYS[way](socket);
  await ended;
  socket.destroy();
  return answer;
}

/** @returns the id of a message that was accepted */
export async function isServed({ url, other }: Uploaders): Promise<string> {
  expect((await fetch(`${url}/health`)).status).toBe(200);
  const { status, messageId } = await send(other, { phone: PHONE });
  expect(status).toBe(200);
  return messageId;
}

export const CASES = Object.keys(LENGTHS).flatMap((length) =>
  Object.keys(WAYS).map((way) => ({ way: way as Way, length: length as Length })),
);

/** One connection, for one request after the other. */
export function keepConnection() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** @returns the status, and whether the connection is the one of the request before */
  async function ask(url: string, method: string, path: string, headers: Record<string, string> = {}, body = "") {
    const request = httpRequest(url + path, { agent, method, headers });
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    return [response.statusCode, request.reusedSocket];
  }
  return { ask, end: () => agent.destroy() };
}
