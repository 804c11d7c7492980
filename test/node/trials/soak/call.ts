// HTTP calls of the soak: each must be answered as it expects.
import { Agent } from "node:http";
import { call as callOnce } from "../../harness/call.ts";

/** A connection is given up before workerd ends it for having been idle. */
const agent = new Agent({ keepAlive: true, maxSockets: 8, timeout: 2_000 });

export interface Call {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  /** The status that it must be answered with. */
  expect: number;
}

/** @throws Error on another status, a break or no answer */
export async function call({ url, method = "GET", headers = {}, body = "", expect }: Call): Promise<string> {
  // workerd resets the connection of a request whose body it has refused unread, so refusals get one of their own.
  const ownConnection = expect >= 400 && body !== "";
  const answer = await callOnce(ownConnection ? new Agent() : agent, url, { method, headers, body });
  if (answer.status === expect) return answer.body;
  throw new Error(`${method} ${url}: ${answer.status} in place of ${expect}: ${answer.body.slice(0, 300)}`);
}
