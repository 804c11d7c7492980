import { setTimeout as wait } from "node:timers/promises";
import { type Answer, call, makeAgent } from "../../harness/call.ts";
import type { Client } from "../../harness/service.ts";
import { phoneAt } from "./client.ts";
import type { PlannedRequest } from "./plan.ts";

/** What the client knows of its message. `unanswered`: no key, no answer or 5xx, so it was not sent again: 0 or 1 texts. */
export interface Sent {
  kind: PlannedRequest["kind"];
  outcome: "accepted" | "unanswered";
  /** null when there was no answer. */
  messageId: string | null;
  /** When the answer came (performance.now()). */
  at: number;
}

/** Where requests go, and when one may be made. */
export interface Target {
  client: Client;
  /** Resolves while the service is up and takes more load. */
  ready(): Promise<void>;
  /** Called for each answered message. */
  onSent(message: number, sent: Sent): void;
}

const CONNECTIONS = 8;
const PAUSE_MILLISECONDS = 100;

/** A client that does what docs/api.md asks of it, and counts what it is answered. */
export class Load {
  readonly sent = new Map<number, Sent>();
  /** Answers by status. */
  readonly answers = new Map<number, number>();
  /** Requests that broke off without an answer. */
  broken = 0;
  /** Repetitions with a key that were answered another id. */
  readonly changedIds: string[] = [];
  readonly #target: Target;
  readonly #agent = makeAgent(CONNECTIONS);

  constructor(target: Target) {
    this.#target = target;
  }

  /** A closed loop: each connection makes its next request once the last is answered. */
  async run(requests: Iterable<PlannedRequest>): Promise<void> {
    const left = requests[Symbol.iterator]() as IterableIterator<PlannedRequest>;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (const request of left) await this.#send(request);
      }),
    );
    this.#agent.destroy();
  }

  async #send(request: PlannedRequest): Promise<void> {
    const ids = await this.#untilAnswered(request);
    if (ids && request.repeats) this.#compare(request, ids, await this.#untilAnswered(request));
    const at = performance.now();
    for (const [index, message] of request.messages.entries()) {
      const messageId = ids?.[index] ?? null;
      const sent: Sent = { kind: request.kind, outcome: messageId ? "accepted" : "unanswered", messageId, at };
      this.sent.set(message, sent);
      this.#target.onSent(message, sent);
    }
  }

  /** @returns the ids; undefined when there was no answer and no key to ask again with */
  async #untilAnswered(request: PlannedRequest): Promise<string[] | undefined> {
    for (;;) {
      await this.#target.ready();
      const answer = await this.#ask(request);
      if (answer?.status === 200) return readIds(answer, request);
      if (answer && answer.status < 500 && answer.status !== 429) {
        throw new Error(`a request was answered ${answer.status} ${answer.body.slice(0, 300)}`);
      }
      if (answer?.status !== 429 && request.key === null) return undefined;
      await wait(answer?.headers["retry-after"] ? Number(answer.headers["retry-after"]) * 1000 : PAUSE_MILLISECONDS);
    }
  }

  async #ask(request: PlannedRequest): Promise<Answer | undefined> {
    const { url, clientId, clientSecret } = this.#target.client;
    const path = request.kind === "bulk" ? "/text/bulk/message/send" : "/text/message/send";
    const headers = {
      "content-type": "application/json",
      "x-client-id": clientId,
      "x-client-secret": clientSecret,
      ...(request.key === null ? {} : { "idempotency-key": request.key }),
    };
    try {
      const answer = await call(this.#agent, url + path, { method: "POST", headers, body: bodyOf(request) });
      this.answers.set(answer.status, (this.answers.get(answer.status) ?? 0) + 1);
      return answer;
    } catch {
      this.broken++;
      return undefined;
    }
  }

  #compare(request: PlannedRequest, first: string[], second: string[] | undefined): void {
    if (first.join() !== second?.join()) this.changedIds.push(String(request.key));
  }
}

function bodyOf({ kind, messages }: PlannedRequest): string {
  const sends = messages.map((message) => ({
    phone: phoneAt(message),
    text: `Brand: message ${message}. Reply STOP to end.`,
    callbackData: message % 2 === 0 ? JSON.stringify({ message }) : "",
    sendPurpose: "faults",
  }));
  return JSON.stringify(kind === "bulk" ? { messages: sends } : sends[0]);
}

function readIds({ body }: Answer, { kind, messages, key }: PlannedRequest): string[] {
  const answer = JSON.parse(body) as { messageId: string; successSent: { index: number; messageId: string }[] };
  const ids = kind === "bulk" ? answer.successSent.map(({ messageId }) => messageId) : [answer.messageId];
  if (ids.length !== messages.length) throw new Error(`${key}: ${ids.length} of ${messages.length} messages accepted`);
  return ids;
}
