import { createServer, type ServerResponse } from "node:http";
import { close, listen, readBody } from "./loopback.ts";

export interface Received {
  path: string;
  headers: Record<string, string>;
  /** As it came. */
  body: string;
}

/** What an endpoint does once it has read a request. */
export type Behaviour = (response: ServerResponse) => void;

export const answer =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end("thanks");

export const hang: Behaviour = () => {};

export const closeConnection: Behaviour = (response) => response.destroy();

export const streamWithoutEnd: Behaviour = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write("x".repeat(200)), 20);
  response.on("close", () => clearInterval(timer));
};

/** A client's endpoint on a port of its own: the service counts connections by host and port. */
export async function startReceiver(behave: Behaviour = answer(200)) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    received.push({ path: request.url ?? "", headers, body: body.toString() });
    behave(response);
  });
  const { origin } = await listen(server);
  return { url: origin, received, close: () => close(server) };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
