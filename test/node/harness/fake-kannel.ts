import { type Agent, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { type CallOptions, call, makeAgent } from "./call.ts";
import { close, listen, readBody } from "./loopback.ts";

/** One whole request to sendsms. */
export interface Submission {
  messageId: string;
  /** E.164 */
  phone: string;
  from: string;
  text: string;
  receiptUrl: string;
}

/** What a receipt says: bits of Kannel's `%d`. */
export const RECEIPT = { delivered: 1, failed: 2, sending: 8 } as const;

/** What the carrier does with a submission. */
export interface Conduct {
  /** Whether a text goes out. */
  takes: boolean;
  answer(response: ServerResponse): void | Promise<void>;
  /** The receipts it gives, in order, and how long after the submission each. */
  receipts: { type: number; afterMilliseconds: number }[];
}

export const accept = (response: ServerResponse): void => {
  response.writeHead(202).end("0: Accepted for delivery");
};

const RECEIPT_PAUSE_MILLISECONDS = 200;
const RECEIPT_CONNECTIONS = 8;

/** Longer than a receipt waits in the queue of the service. */
const QUEUED_MILLISECONDS = 60_000;

/**
 * A gateway that speaks Kannel's sendsms on loopback, and counts the texts that it has taken. It gives each receipt again and
 * again until it is answered 2xx.
 */
export class CountingCarrier {
  /** Texts taken, by message id and by number. */
  readonly takenById = new Map<string, number>();
  readonly takenByPhone = new Map<string, number>();
  /** The last receipt that the service has confirmed, by message id. */
  readonly confirmed = new Map<string, number>();
  /** Whole requests, taken or not, by message id. */
  readonly askedById = new Map<string, number>();
  /** Each whole request, taken or not, in its order; performance.now(). */
  readonly log: { messageId: string; from: string; at: number }[] = [];
  /** Texts whose receipts the service has not all confirmed yet. */
  reporting = 0;
  /** When something last happened here (performance.now()). */
  lastSeen = 0;
  conduct: (submission: Submission) => Conduct;
  /** Calls of any path but sendsms: nobody should come here. */
  strays = 0;
  readonly #agent: Agent;
  readonly #receiptOptions: CallOptions;
  readonly #closed = new AbortController();
  /** Receipts that were confirmed lately, and when (performance.now()). */
  #given: { url: string; at: number }[] = [];
  #server = this.#makeServer();
  #port = 0;

  /** @param connections how many receipts it gives at a time */
  constructor(
    conduct: (submission: Submission) => Conduct,
    { connections = RECEIPT_CONNECTIONS, ...receiptOptions }: { connections?: number } & CallOptions = {},
  ) {
    this.conduct = conduct;
    this.#agent = makeAgent(connections);
    this.#receiptOptions = receiptOptions;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/cgi-bin/sendsms`;
  }

  /** On the same port each time: it may go away and come back. */
  async open(): Promise<void> {
    this.#server = this.#makeServer();
    this.#port = (await listen(this.#server, this.#port)).port;
  }

  get isOpen(): boolean {
    return this.#server.listening;
  }

  goAway(): Promise<void> {
    return close(this.#server);
  }

  /**
   * Gives the receipts once more that were confirmed shortly before the service was killed: Miniflare forgets what its queues
   * hold, and the platform's keep what they have confirmed.
   * @param killedAt as performance.now() counts
   */
  giveAgain(killedAt: number): void {
    const recent = this.#given.filter(({ at }) => at >= killedAt - QUEUED_MILLISECONDS);
    this.#given = [];
    for (const { url } of recent) void this.#give(url);
  }

  /** For good: receipts not yet confirmed are given up. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#agent.destroy();
    if (this.isOpen) await this.goAway();
  }

  #makeServer() {
    return createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A text that breaks off on its way in is none.
    const body = await readBody(request);
    this.lastSeen = performance.now();
    if (request.method !== "POST" || !request.url?.endsWith("/sendsms")) {
      this.strays++;
      response.writeHead(404).end();
      return;
    }
    const submission = readSubmission(request, body);
    const { messageId, from } = submission;
    count(this.askedById, messageId);
    this.log.push({ messageId, from, at: this.lastSeen });
    const { takes, answer, receipts } = this.conduct(submission);
    if (takes) {
      count(this.takenById, messageId);
      count(this.takenByPhone, submission.phone);
      void this.#report(submission, receipts);
    }
    await answer(response);
  }

  async #report({ messageId, receiptUrl }: Submission, receipts: Conduct["receipts"]): Promise<void> {
    this.reporting++;
    for (const { type, afterMilliseconds } of receipts) {
      if (afterMilliseconds > 0) await wait(afterMilliseconds);
      await this.#give(receiptUrlOf(receiptUrl, type));
      if (!this.#closed.signal.aborted) this.confirmed.set(messageId, type);
    }
    this.reporting--;
  }

  async #give(url: string): Promise<void> {
    this.reporting++;
    while (!this.#closed.signal.aborted && !(await this.#isConfirmed(url))) await wait(RECEIPT_PAUSE_MILLISECONDS);
    this.lastSeen = performance.now();
    this.#given.push({ url, at: this.lastSeen });
    this.reporting--;
  }

  async #isConfirmed(url: string): Promise<boolean> {
    try {
      const { status } = await call(this.#agent, url, this.#receiptOptions);
      return status >= 200 && status < 300;
    } catch {
      return false;
    }
  }
}

function readSubmission({ headers }: IncomingMessage, body: Buffer): Submission {
  const receiptUrl = String(headers["x-kannel-dlr-url"]);
  const messageId = new URL(receiptUrl).searchParams.get("m") ?? "";
  const [phone, from] = [String(headers["x-kannel-to"]), String(headers["x-kannel-from"])];
  return { messageId, phone, from, text: body.toString(), receiptUrl };
}

/** @param type as Kannel's bit mask has it */
export function receiptUrlOf(template: string, type: number): string {
  return template.replace("%d", String(type)).replace("%A", "");
}

export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
