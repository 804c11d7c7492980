// Twilio on loopback, as slow as a real carrier. The queue of one of its senders may be full.
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { call, makeAgent } from "../../test/node/harness/call.ts";
import { close, listen, readBody } from "../../test/node/harness/loopback.ts";
import { CARRIER, PATIENCE_MILLISECONDS } from "./world.ts";

const ACCOUNT_SID = `AC${"0".repeat(32)}`;
const AUTH_TOKEN = "0123456789abcdef0123456789abcdef";

const RECEIPTS = [
  ["sent", CARRIER.sentAfter],
  ["delivered", CARRIER.deliveredAfter],
] as const;

export class SlowTwilio {
  /** When each text was taken (performance.now()), by message id. */
  readonly takenAt = new Map<string, number>();
  /** The sender whose queue is full. */
  full: string | null = null;
  /** Submissions of it that were answered 429. */
  refused = 0;
  readonly #slow: number;
  readonly #agent = makeAgent(CARRIER.receiptConnections);
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });
  #isClosed = false;
  #origin = "";

  /** @param slow how many times slower the clock of the model is */
  constructor(slow: number) {
    this.#slow = slow;
  }

  async open(): Promise<void> {
    this.#origin = (await listen(this.#server)).origin;
  }

  /** Vars of the service. */
  vars(origin: string): Record<string, string> {
    return {
      PUBLIC_ORIGIN: origin,
      TWILIO_ACCOUNT_SID: ACCOUNT_SID,
      TWILIO_AUTH_TOKEN: AUTH_TOKEN,
      TWILIO_API_URL: this.#origin,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#agent.destroy();
    await close(this.#server);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams((await readBody(request)).toString());
    await sleep(CARRIER.answersAfter * this.#slow);
    const headers = { "content-type": "application/json" };
    if (form.get("From") === this.full) {
      this.refused++;
      const refusal = { code: 21611, message: "This 'From' number has exceeded the maximum number of queued messages" };
      response.writeHead(429, headers).end(JSON.stringify({ ...refusal, status: 429 }));
      return;
    }
    const receiptUrl = form.get("StatusCallback") ?? "";
    const messageId = new URL(receiptUrl).searchParams.get("m") ?? "";
    this.takenAt.set(messageId, performance.now());
    response.writeHead(201, headers).end(JSON.stringify({ sid: sidOf(messageId), status: "queued" }));
    void this.#report(messageId, receiptUrl);
  }

  async #report(messageId: string, url: string): Promise<void> {
    for (const [status, after] of RECEIPTS) {
      await sleep(after * this.#slow);
      const fields = { AccountSid: ACCOUNT_SID, MessageSid: sidOf(messageId), MessageStatus: status };
      while (!this.#isClosed && !(await this.#isConfirmed(url, fields))) await sleep(CARRIER.answersAfter * this.#slow);
    }
  }

  async #isConfirmed(url: string, fields: Record<string, string>): Promise<boolean> {
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": createHmac("sha1", AUTH_TOKEN)
        .update(url + Object.entries(fields).flat().join(""))
        .digest("base64"),
    };
    const body = new URLSearchParams(fields).toString();
    try {
      const options = { method: "POST", headers, body, timeoutMilliseconds: PATIENCE_MILLISECONDS };
      return (await call(this.#agent, url, options)).status < 300;
    } catch {
      return false;
    }
  }
}

const sidOf = (messageId: string) => `SM${messageId.replaceAll("-", "")}`;
