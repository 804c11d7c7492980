import { Agent, request } from "node:http";

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Below the 5 seconds after which workerd ends an idle connection: a request that it meets there gets no answer. */
const IDLE_MILLISECONDS = 4000;

/** Connections are kept, and broken by a service that is killed, as a client's or a gateway's are. */
export function makeAgent(connections: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: connections, timeout: IDLE_MILLISECONDS });
}

const TIMEOUT_MILLISECONDS = 20_000;

export interface CallOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMilliseconds?: number;
}

/** One HTTP call. @throws Error when there is no whole answer */
export function call(
  agent: Agent,
  url: string,
  { method = "GET", headers = {}, body = "", timeoutMilliseconds = TIMEOUT_MILLISECONDS }: CallOptions = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const bytes = Buffer.from(body);
  const outgoing = request(url, {
    method,
    agent,
    headers: { ...headers, ...(bytes.length > 0 ? { "content-length": bytes.length } : {}) },
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  outgoing.on("error", reject).on("response", (response) => {
    const chunks: Buffer[] = [];
    response.on("error", reject).on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() }),
    );
  });
  outgoing.end(bytes);
  return promise;
}
