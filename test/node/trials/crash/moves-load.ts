import type { Agent } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { drawn, drawnInteger } from "../../../random.ts";
import { type Answer, call, makeAgent } from "../../harness/call.ts";
import type { Submission } from "../../harness/fake-kannel.ts";
import { type Service, WEBHOOK_KEY } from "../../harness/killable-service.ts";
import type { Client } from "../../harness/service.ts";
import { phoneAt } from "./client.ts";

export interface Website {
  websiteId: string;
  sender: string;
  client: Client;
  /** The number of the next message: each has its own. */
  next: number;
  end: number;
}

/** A message that the client was told is accepted. `isStopped`: its person had sent STOP, and that was acknowledged. */
export interface Accepted {
  websiteId: string;
  phone: string;
  isStopped: boolean;
  isBulk: boolean;
}

/** A click on the link of a message. `at`: when it was answered (performance.now()); null: it was not, and may count or not. */
export interface Click {
  messageId: string;
  at: number | null;
}

const WORKERS = 4;
const PACE_MILLISECONDS = 150;
const PAUSE_MILLISECONDS = 100;
const LARGEST_BULK = 8;
const PERSON = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Safari/604.1";

/** Sends one by one and in bulk with keys, STOPs and clicks, until it is told to stop; what is not answered well is repeated. */
export class MoveLoad {
  readonly accepted = new Map<string, Accepted>();
  readonly clicks: Click[] = [];
  /** Milliseconds that answered writes took. */
  readonly waits: number[] = [];
  /** The same, with all repetitions of what was refused; those that a kill has cut off are left out. */
  readonly longWaits: number[] = [];
  refused = 0;
  broken = 0;
  bulks = 0;
  changedIds = 0;
  readonly #links: Pick<Click, "messageId">[] = [];
  readonly #codes = new Map<string, string>();
  readonly #service: Service;
  readonly #websites: Website[];
  readonly #seed: number;
  readonly #agent: Agent = makeAgent(WORKERS + 1);
  #isOver = false;

  constructor(service: Service, websites: Website[], seed: number) {
    this.#service = service;
    this.#websites = websites;
    this.#seed = seed;
  }

  /** Called by the carrier with each text: a person may click on its link. */
  noteText({ messageId, text }: Submission): void {
    const code = /\/l\/\w+/.exec(text)?.[0];
    if (code === undefined || this.#codes.has(messageId)) return;
    this.#codes.set(messageId, code);
    this.#links.push({ messageId });
  }

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    const workers = Array.from({ length: WORKERS }, (_, worker) => this.#work(worker));
    await Promise.all([...workers, this.#clickAll()]);
    this.#agent.destroy();
  }

  async #work(worker: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      await wait(PACE_MILLISECONDS);
      const website = this.#websites[
        drawnInteger(0, this.#websites.length - 1, this.#seed, "website", worker, turn)
      ] as Website;
      const isBulk = drawn(this.#seed, "bulk", worker, turn) < 0.1;
      const size = isBulk ? drawnInteger(2, LARGEST_BULK, this.#seed, "size", worker, turn) : 1;
      if (website.next + size > website.end) continue;
      const messages = Array.from({ length: size }, () => website.next++);
      const stopped = messages.filter((message) => drawn(this.#seed, "stop", message) < 0.15);
      for (const message of stopped) await this.#stopPerson(website, message);
      const ids = await this.#send(website, messages, isBulk);
      for (const [index, message] of messages.entries()) {
        const isStopped = stopped.includes(message);
        const { websiteId } = website;
        this.accepted.set(ids[index] ?? "", { websiteId, phone: phoneAt(message), isStopped, isBulk });
      }
      if (isBulk) this.bulks++;
      const isRepeated = drawn(this.#seed, "repeat", ...messages) < 0.2;
      if (isRepeated && `${await this.#send(website, messages, isBulk)}` !== `${ids}`) this.changedIds++;
    }
  }

  /** Each link once or twice; a click without an answer is not made again. */
  async #clickAll(): Promise<void> {
    while (!this.#isOver || this.#links.length > 0) {
      const link = this.#links.shift();
      if (!link) await wait(PAUSE_MILLISECONDS);
      else {
        await this.#click(link);
        if (drawn(this.#seed, "click", link.messageId) < 0.3) await this.#click(link);
      }
    }
  }

  async #click({ messageId }: Pick<Click, "messageId">): Promise<void> {
    const path = this.#codes.get(messageId) ?? "";
    for (;;) {
      await this.#service.up;
      try {
        const { status } = await call(this.#agent, this.#service.url + path, { headers: { "user-agent": PERSON } });
        if (status === 302) return void this.clicks.push({ messageId, at: performance.now() });
        if (status < 500 && status !== 429) throw new Error(`${path} of ${messageId}: ${status}`);
        this.refused++;
      } catch (error) {
        if (String(error).includes(path)) throw error;
        this.broken++;
        return void this.clicks.push({ messageId, at: null });
      }
      await wait(PAUSE_MILLISECONDS);
    }
  }

  async #stopPerson({ sender }: Website, message: number): Promise<void> {
    const query = { key: WEBHOOK_KEY, id: `stop-${message}`, from: phoneAt(message), to: sender, text: "STOP" };
    await this.#untilTaken(`/carriers/kannel/inbound?${new URLSearchParams(query)}`, { method: "GET" });
  }

  /** @returns the ids */
  async #send({ client }: Website, messages: number[], isBulk: boolean): Promise<string[]> {
    const sends = messages.map((message) => ({
      ...{ phone: phoneAt(message), text: "Hello", callbackData: `${message}`, sendPurpose: "move" },
      ...(drawn(this.#seed, "link", message) < 0.3 ? { clickUrl: `https://shop.example.com/${message}` } : {}),
    }));
    const answer = await this.#untilTaken(isBulk ? "/text/bulk/message/send" : "/text/message/send", {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", "idempotency-key": `message-${messages[0]}` },
        ...{ "x-client-id": client.clientId, "x-client-secret": client.clientSecret },
      },
      body: JSON.stringify(isBulk ? { messages: sends } : sends[0]),
    });
    const body = JSON.parse(answer.body) as { messageId: string; successSent: { messageId: string }[] };
    const ids = isBulk ? body.successSent.map(({ messageId }) => messageId) : [body.messageId];
    if (ids.length !== messages.length) throw new Error(`${ids.length} of ${messages.length} messages were accepted`);
    return ids;
  }

  async #untilTaken(path: string, options: Parameters<typeof call>[2]): Promise<Answer> {
    const kills = this.#service.kills.length;
    const first = performance.now();
    for (;;) {
      await this.#service.up;
      const began = performance.now();
      try {
        const answer = await call(this.#agent, this.#service.url + path, options);
        if (answer.status < 300) {
          this.waits.push(performance.now() - began);
          if (this.#service.kills.length === kills) this.longWaits.push(performance.now() - first);
          return answer;
        }
        if (answer.status < 500 && answer.status !== 429) throw new Error(`${path}: ${answer.status} ${answer.body}`);
        this.refused++;
      } catch (error) {
        if (String(error).includes(path)) throw error;
        this.broken++;
      }
      await wait(PAUSE_MILLISECONDS);
    }
  }
}
