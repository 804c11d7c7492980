/** The tests' own HTTP server: it writes down every call Kannel makes to a dlr-url or get-url. */

import { createServer } from "node:http";
import { close, listen } from "../harness/loopback.ts";

export interface Call {
  path: string;
  query: Record<string, string>;
  /** The same as it came, with its question mark. */
  search: string;
  /** What it was answered with. */
  status: number;
}

export interface Receiver {
  readonly url: string;
  readonly calls: Call[];
  /** Calls this one matches are answered with 500 for as long as it returns true. */
  failWhile(matches: (call: Call) => boolean): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const calls: Call[] = [];
  let fails: (call: Call) => boolean = () => false;
  const server = createServer((request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? "/", "http://receiver");
    const call: Call = { path: pathname, query: Object.fromEntries(searchParams), search, status: 200 };
    if (fails(call)) call.status = 500;
    calls.push(call);
    response.writeHead(call.status).end();
  });
  const { origin } = await listen(server);
  return {
    url: origin,
    calls,
    failWhile(matches) {
      fails = matches;
    },
    close: () => close(server),
  };
}
