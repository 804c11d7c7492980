// Load generators: a closed loop of many connections for small requests, and one request at a time for long ones.
import { Agent, request } from "node:http";
import autocannon from "autocannon";
import { percentile } from "../test/node/harness/statistics.ts";

export interface LoadResult {
  requestsPerSecond: number;
  p50: number;
  p99: number;
  /** All answers, those of the lead-in included. */
  answers: number;
}

export interface LoadOptions {
  connections: number;
  seconds: number;
  /** What an answer may be; 200 if not given. */
  statuses?: number[];
}

export interface PreparedRequest {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** What of a load is not counted: its connections open, and what the one before has left behind ends. */
const LEAD_IN_MILLISECONDS = 300;

/** How many of the requests one connection makes in turn. */
const REQUESTS_A_CONNECTION = 16;

/**
 * Each connection sends its next request once the last is answered.
 * @param requests spread evenly over the connections, each of which repeats its share
 * @returns times in milliseconds
 * @throws Error on any other status, and on any error of a connection
 */
export async function closedLoop(
  url: string,
  requests: PreparedRequest[],
  { connections, seconds, statuses = [200] }: LoadOptions,
): Promise<LoadResult> {
  const times: number[] = [];
  const start = performance.now();
  let last = start;
  let turn = 0;
  const load = autocannon({
    url,
    connections,
    duration: seconds + LEAD_IN_MILLISECONDS / 1000,
    sampleInt: 50,
    setupClient: (client) => {
      const first = turn++ * REQUESTS_A_CONNECTION;
      client.setRequests(Array.from({ length: REQUESTS_A_CONNECTION }, (_, index) => pick(requests, first + index)));
    },
  });
  load.on("response", (_client, _status, _bytes, milliseconds) => {
    const now = performance.now();
    if (now - start < LEAD_IN_MILLISECONDS) return;
    times.push(milliseconds);
    last = now;
  });
  const { statusCodeStats, errors } = await load;
  const isWrong = Object.keys(statusCodeStats).some((status) => !statuses.includes(Number(status)));
  if (isWrong || errors > 0) {
    throw new Error(`${url}: not every answer was ${statuses}: ${JSON.stringify(statusCodeStats)}, ${errors} errors`);
  }
  const elapsed = last - start - LEAD_IN_MILLISECONDS;
  return {
    requestsPerSecond: (times.length * 1000) / elapsed,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    answers: Object.values(statusCodeStats).reduce((sum, { count }) => sum + count, 0),
  };
}

function pick<T>(items: T[], index: number): T {
  return items[index % items.length] as T;
}

/**
 * A connection is not used again this long after its last request began: workerd closes it after five seconds without one, and
 * seems to count them from before a request that keeps it computing.
 */
const LASTS_MILLISECONDS = 2_000;
/** One connection to each origin. */
const connections = new Map<string, { agent: Agent; usedAt: number }>();

/** By the clock, and not by a timer of the socket: on a busy machine that comes late, when the request is on its way already. */
function connectionTo(url: string): Agent {
  const { origin } = new URL(url);
  const usedAt = performance.now();
  const known = connections.get(origin);
  const isFresh = known && usedAt - known.usedAt < LASTS_MILLISECONDS;
  if (known && !isFresh) known.agent.destroy();
  const agent = isFresh ? known.agent : new Agent({ keepAlive: true, maxSockets: 1 });
  connections.set(origin, { agent, usedAt });
  return agent;
}

/** An import of 32 MiB takes a minute on a machine that others use. */
const TIMEOUT_MILLISECONDS = 300_000;

/**
 * One request on a connection that is kept, and one at a time to each origin.
 * @returns the body, and the milliseconds from the first byte sent to the last received
 * @throws Error on an answer other than 2xx
 */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  method = "POST",
): Promise<{ body: string; milliseconds: number }> {
  const bytes = Buffer.from(body);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; chunks: Buffer[]; end: number }>();
  const agent = connectionTo(url);
  const start = performance.now();
  request(url, {
    method,
    agent,
    timeout: TIMEOUT_MILLISECONDS,
    headers: { ...headers, "content-length": bytes.length },
  })
    .on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, chunks, end: performance.now() }));
      response.on("error", reject);
    })
    .on("timeout", () => reject(new Error(`${url}: no answer`)))
    .on("error", (cause) => reject(new Error(`${url}: ${cause.message}`, { cause })))
    .end(bytes);
  const { status, chunks, end } = await promise;
  const text = Buffer.concat(chunks).toString();
  if (status < 200 || status > 299) throw new Error(`${url}: ${status} ${text.slice(0, 200)}`);
  return { body: text, milliseconds: end - start };
}

export async function postJson(url: string, headers: Record<string, string>, value: unknown, method = "POST") {
  return post(url, headers, JSON.stringify(value), method);
}
