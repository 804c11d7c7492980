// Sends requests over many connections at a time, and tells a connection that was broken from one that had come to its end.
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { readBody } from "../../harness/loopback.ts";
import type { Answer } from "./answers.ts";

export interface FuzzRequest {
  method: string;
  path: string;
  headers: [name: string, value: string][];
  body?: string | Buffer;
  /** The body goes out in pieces, without a declared length. */
  chunked?: boolean;
}

const TIMEOUT_MILLISECONDS = 30_000;

/** More connections than one after the other have come to their end by chance. */
const MOST_TRIES = 20;

export class Client {
  /** Connections that the service had closed after an answer, when the next request was on its way. */
  reconnects = 0;
  readonly #agent: Agent;
  readonly #origin: URL;

  constructor(origin: URL, connections: number) {
    this.#origin = origin;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** @throws Error when no answer comes, or the connection breaks */
  async send(request: FuzzRequest): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const { answer, isStale, error } = await this.#try(request);
      if (answer) return answer;
      if (!isStale || tries === MOST_TRIES) throw error;
      this.reconnects += 1;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #try({ method, path, headers, body, chunked }: FuzzRequest) {
    return new Promise<{ answer?: Answer; isStale?: boolean; error?: Error }>((resolve) => {
      const { hostname, port, host } = this.#origin;
      const raw = ["host", host, ...headers.flat()];
      if (body !== undefined && !chunked) raw.push("content-length", String(Buffer.byteLength(body)));
      if (chunked) raw.push("transfer-encoding", "chunked");
      const options = { agent: this.#agent, hostname, port, method, path, headers: raw, timeout: TIMEOUT_MILLISECONDS };
      let answered = false;
      const outgoing = httpRequest(options, (response) => {
        answered = true;
        void read(response).then(
          (answer) => resolve({ answer }),
          (error: Error) => resolve({ error }),
        );
      });
      outgoing.on("timeout", () => {
        resolve({ error: new Error("no answer in time") });
        outgoing.destroy();
      });
      outgoing.on("error", (error) => {
        // An answer that came before the body was sent whole stands, although the connection then ends: it may do so when
        // the next request is already on its way. Only a connection that never had an answer was broken.
        if (!answered) resolve({ isStale: (outgoing.socket?.bytesRead ?? 0) > 0, error });
      });
      for (const piece of chunked ? inPieces(body ?? "") : []) outgoing.write(piece);
      outgoing.end(chunked ? undefined : body);
    });
  }
}

function inPieces(body: string | Buffer): Buffer[] {
  const bytes = Buffer.from(body);
  const size = Math.max(1, Math.ceil(bytes.length / 5));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

async function read(response: IncomingMessage): Promise<Answer> {
  const body = await readBody(response);
  const { statusCode = 0, headers } = response;
  return { status: statusCode, headers, body: body.toString("utf8") };
}
