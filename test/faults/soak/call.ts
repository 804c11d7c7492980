// HTTP calls of the soak: each must be answered as it expects.
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 8, timeout: 2_000 });
const TIMEOUT_MILLISECONDS = 30_000;

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
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  // workerd resets the connection of a request whose body it has refused unread, so refusals get one of their own.
  const ownConnection = expect >= 400 && body !== "";
  request(url, {
    method,
    agent: ownConnection ? new Agent() : agent,
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    timeout: TIMEOUT_MILLISECONDS,
  })
    .on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    })
    .on("timeout", () => reject(new Error(`${url}: no answer`)))
    .on("error", (cause) => reject(new Error(`${url}: ${cause.message}`, { cause })))
    .end(body);
  const { status, text } = await promise;
  if (status !== expect) throw new Error(`${method} ${url}: ${status} in place of ${expect}: ${text.slice(0, 300)}`);
  return text;
}
