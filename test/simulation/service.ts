import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { Carrier } from "../../src/carriers/carrier.ts";
import { sandbox } from "../../src/carriers/sandbox.ts";
import { type Deps, makeDeps, makeIsolateState } from "../../src/deps.ts";
import { GRACE_MILLISECONDS } from "../../src/domain/messages/retry-policy.ts";
import type { Send } from "../../src/domain/messages/send.ts";
import { SendGroups } from "../../src/flows/messages/store-sends.ts";
import { consume } from "../../src/queue.ts";
import { handleRequest } from "../../src/router.ts";
import { CredentialStore } from "../../src/store/clients/credentials.ts";
import { sweep } from "../../src/sweep.ts";
import { memoryTexts } from "../memory-texts.ts";
import { Random } from "../random.ts";
import type { TestClient, World } from "../world.ts";
import { VirtualClock } from "./clock.ts";
import { type DatabaseLimits, OneThreadDatabase } from "./database.ts";
import { SimulatedQueue } from "./queue.ts";

/** Which share no memory. */
const ISOLATES = 10;
const ENDPOINT_MILLISECONDS = 50;

/** A caller repeats what was refused after the time in Retry-After, so often at most. */
const MOST_REPEATS = 2;

const ADMITTED = { admitted: true, remaining: 1, resetMilliseconds: 0 };

/** A text that a caller wants to send. */
export interface Sent {
  at: number;
  /** The statuses of its requests. */
  statuses: number[];
  answeredAt?: number;
  messageId?: string;
}

export interface ServiceSettings {
  d1: DatabaseLimits;
  /** Until the carrier answers. */
  carrierMilliseconds?: number;
  /** That the texts are of, at random: each has one object, which stores them in groups. Without, each text is of another. */
  websites?: number | undefined;
}

/** The service on the platform: isolates that share D1 and the queues, and a clock that the test holds. */
export class Service {
  readonly clock: VirtualClock;
  readonly database: OneThreadDatabase;
  readonly sent: Sent[] = [];
  readonly retryAfter: number[] = [];
  lastRefusedAt = 0;
  /** By message. */
  readonly submittedAt = new Map<string, number[]>();
  /** How often, by event. */
  readonly posted = new Map<string, number>();
  readonly #queues: SimulatedQueue[];
  readonly #isolates: Deps[];
  readonly #objects: SendGroups[] | undefined;
  readonly #world: World;
  readonly #client: TestClient;
  readonly #text: object;
  readonly #random = new Random(1);
  readonly #carrierMilliseconds: number;
  readonly #running = new Set<object>();
  /** Invocations of a consumer that a new version has cut off. */
  cutOff = 0;
  #open = 0;

  /** @param client of the texts that `send` sends, to this number */
  constructor(world: World, client: TestClient, phone: string, settings: ServiceSettings) {
    const { d1, carrierMilliseconds = 150, websites } = settings;
    this.#carrierMilliseconds = carrierMilliseconds;
    this.#world = world;
    if (websites) this.#objects = Array.from({ length: websites }, () => new SendGroups(memoryTexts()));
    this.#client = client;
    this.#text = { phone, text: "hello", callbackData: "{}", sendPurpose: "a" };
    this.clock = new VirtualClock(world.now);
    this.clock.hold();
    this.database = new OneThreadDatabase(this.clock, env.DB, d1);
    this.#queues = ["messages", "bulk", "callbacks"].map(
      (name) => new SimulatedQueue(this.clock, `textgate-${name}`, (batch) => this.#consume(batch)),
    );
    this.#isolates = Array.from({ length: ISOLATES }, () => this.#makeIsolate());
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      const eventId = new Headers(init?.headers).get("webhook-id") ?? "";
      this.posted.set(eventId, (this.posted.get(eventId) ?? 0) + 1);
      await this.clock.wait(ENDPOINT_MILLISECONDS);
      return new Response("thanks");
    });
  }

  #makeIsolate(): Deps {
    const get = (...given: Parameters<KVNamespace["get"]>) => this.clock.track(env.CREDENTIALS.get(...given));
    const [messages, bulk, callbacks] = this.#queues as [SimulatedQueue, SimulatedQueue, SimulatedQueue];
    const object = () => (this.#objects ? this.#random.pick(this.#objects) : new SendGroups(memoryTexts()));
    const send = async (one: Send) => ({ admission: ADMITTED, stored: await object().store(deps, one) });
    const deps: Deps = {
      ...makeDeps(env, { waitUntil: () => {} }),
      ...makeIsolateState(env),
      credentials: new CredentialStore({ get } as unknown as KVNamespace),
      limiter: { refusal: () => undefined, admit: async () => ADMITTED, send } as unknown as Deps["limiter"],
      carriers: { ready: { sandbox: this.#carrier() }, missing: {} },
      db: this.database.db,
      messages: messages.producer(),
      bulk: bulk.producer(),
      callbacks: callbacks.producer(),
      now: () => this.clock.now,
      random: () => this.#random.next(),
      log: () => {},
    };
    return deps;
  }

  async #consume(batch: MessageBatch): Promise<void> {
    const background: Promise<unknown>[] = [];
    this.#running.add(background);
    const end = async () => {
      while (background.length > 0) await background.shift();
      this.#running.delete(background);
    };
    const deps = { ...this.#isolate(), waitUntil: (work: Promise<unknown>) => void background.push(work) };
    await consume(batch, deps).finally(() => void end());
  }

  /** A new version arrives: what runs now is cut off after the grace period. */
  deploy(): void {
    const old = [...this.#running];
    this.clock.after(GRACE_MILLISECONDS, () => {
      this.cutOff += old.filter((invocation) => this.#running.has(invocation)).length;
    });
  }

  #isolate(): Deps {
    return this.#random.pick(this.#isolates);
  }

  #carrier(): Carrier {
    return {
      ...sandbox,
      submit: async ({ messageId }) => {
        this.submittedAt.set(messageId, [...(this.submittedAt.get(messageId) ?? []), this.clock.now]);
        await this.clock.wait(this.#carrierMilliseconds);
        return { kind: "accepted", carrierMessageId: messageId };
      },
    };
  }

  /** Sends a text, and again while it is refused. */
  async send(): Promise<Sent> {
    const sent: Sent = { at: this.clock.now, statuses: [] };
    this.sent.push(sent);
    this.#open += 1;
    for (let repeats = 0; ; repeats++) {
      const answer = await this.post("/text/message/send", this.#client, this.#text);
      sent.statuses.push(answer.status);
      if (answer.status === 200) sent.messageId = ((await answer.json()) as { messageId: string }).messageId;
      if (answer.status !== 503) break;
      this.lastRefusedAt = this.clock.now;
      this.retryAfter.push(Number(answer.headers.get("retry-after")));
      if (repeats === MOST_REPEATS) break;
      await this.clock.wait(Number(answer.headers.get("retry-after")) * 1000);
    }
    this.#open -= 1;
    sent.answeredAt = this.clock.now;
    return sent;
  }

  post(path: string, { clientId, clientSecret }: TestClient, body: object): Promise<Response> {
    const headers = { "x-client-id": clientId, "x-client-secret": clientSecret, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return handleRequest(new Request(`http://localhost${path}`, init), () => this.#isolate());
  }

  /** So many texts a second, at even distances, with a sweep each minute. */
  async load(perSecond: number, seconds: number): Promise<void> {
    for (let i = 0; i < Math.round(perSecond * seconds); i++) {
      this.clock.after((i * 1000) / perSecond, () => void this.send());
    }
    for (let minute = 0; minute < seconds / 60; minute++) this.clock.after(minute * 60_000, () => void this.#sweep());
    await this.clock.pass(seconds * 1000);
  }

  async #sweep(): Promise<void> {
    await sweep(this.#isolate());
  }

  get isIdle(): boolean {
    return this.#open === 0 && this.#queues.every(({ isIdle }) => isIdle);
  }

  /** Until nothing waits any more, the sweep's own recoveries included. */
  async settle(): Promise<void> {
    for (let minute = 0; minute < 5; minute++) {
      void this.#sweep();
      await this.clock.pass(60_000);
    }
    await this.clock.runUntil(() => this.isIdle);
  }

  rows(sql: string): Promise<Record<string, unknown>[]> {
    return this.#world.rows(sql);
  }
}
