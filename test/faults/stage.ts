import type { Deps } from "../../src/deps.ts";
import { CLIENT_EVENTS, type ClientEvent } from "../../src/domain/clients/client.ts";
import type { Receipt } from "../../src/domain/messages/receipt.ts";
import { nextDue } from "../next-due.ts";
import { platform } from "../strict/platform.ts";
import { type TestClient, World } from "../world.ts";
import { type Fault, Injector } from "./injector.ts";
import { Outside } from "./outside.ts";
import { PlatformQueues } from "./queues.ts";

/** What somebody outside wants of the service, and what of it must come true. */
export interface Wish {
  websiteId: WebsiteId;
  /** The first word of the text: no other wish has it. */
  tag: string;
  /** E.164; null where the service knows no number. */
  to: string | null;
  /** What is to become of it: a text to the handset, or none and this status. */
  becomes: Becoming;
  /** The ids that were answered for it. */
  answered: Set<string>;
}

type Becoming =
  | "a text"
  | "a text or NOT_SUBSCRIBED"
  | "FAILED_TO_SEND"
  | "NOT_FOUND"
  | "NOT_SUBSCRIBED"
  | "FAILED_TO_MATCH"
  | "nothing kept"
  | "whatever is right";

/** The website "careful" suppresses duplicates. */
export type WebsiteId = "brand" | "careful";

/** The numbers of the websites. */
export const SENDER = "+12125550000";
export const CAREFUL_SENDER = "+12125550009";

const SUBSCRIBERS = 3000;
const OPTED_OUT = 100;

/** One Worker, its bindings and all that is outside, on which the scenes of a flow take place one after the other. */
export class Stage {
  readonly world: World;
  readonly queues: PlatformQueues;
  readonly outside: Outside;
  readonly scenes: Scene[] = [];
  /** Without faults. */
  readonly deps: Deps;
  readonly startedAt: number;
  readonly clients: Record<WebsiteId, TestClient>;
  readonly #subscribers: number;
  #people = 0;
  #strangers = 0;
  #gone = 0;
  #wishes = 0;

  private constructor(world: World, clients: Stage["clients"], subscribers: number) {
    this.world = world;
    this.#subscribers = subscribers;
    this.clients = clients;
    this.startedAt = world.now;
    this.queues = new PlatformQueues(() => world.now);
    this.outside = new Outside(world);
    const { messages, bulk, callbacks, receipts } = this.queues;
    this.deps = { ...this.outside.connect(world.deps), messages, bulk, callbacks, receipts };
    world.deps = this.deps;
  }

  /** With two websites and their many subscribers. */
  static async create(subscribers = SUBSCRIBERS): Promise<Stage> {
    const world = await World.create();
    const lines = Array.from({ length: subscribers }, (_, i) => `${numberOf(i)},p${i}@example.com,true`);
    for (let i = 0; i < OPTED_OUT; i++) lines.push(`${goneOf(i)},,false`);
    const open = async (websiteId: WebsiteId, settings: Record<string, unknown>, events?: ClientEvent[]) => {
      await world.website(websiteId, settings);
      await world.subscribers(websiteId, lines);
      return world.client(websiteId, {
        callbackUrl: `https://${websiteId}.example.com/callbacks`,
        ...(events && { events }),
      });
    };
    const brand = await open("brand", { sender: SENDER });
    const careful = await open("careful", { sender: CAREFUL_SENDER, duplicateWindowHours: 1 }, [...CLIENT_EVENTS]);
    return new Stage(world, { brand, careful }, subscribers);
  }

  /** A subscriber whom nobody has texted so far. */
  person(): { phone: string; email: string } {
    if (this.#people === this.#subscribers) throw new Error("the stage has run out of people");
    const i = this.#people++;
    return { phone: numberOf(i), email: `p${i}@example.com` };
  }

  /** A number that the service has never seen. */
  stranger(): string {
    return `+1312${5_000_000 + this.#strangers++}`;
  }

  /** Who was unsubscribed before. */
  optedOut(): string {
    return goneOf(this.#gone++ % OPTED_OUT);
  }

  nextTag(): string {
    return `m${++this.#wishes}.`;
  }

  /** What the queues hold is left to the recovery: the next scene delivers its own. */
  scene(flow: string, fault?: Fault, repeats?: Scene["repeats"]): Scene {
    this.queues.hold();
    const scene = new Scene(this, flow, fault, repeats);
    this.scenes.push(scene);
    return scene;
  }

  runQueues(queue?: "messages" | "callbacks" | "receipts"): Promise<void> {
    return this.queues.run(this.world.deps, () => this.world.afterAnswer(), queue);
  }

  async pass(seconds: number): Promise<void> {
    this.world.advance(seconds);
    await this.world.sweep();
    await this.runQueues();
  }

  /** Lets minutes pass as World.pass does: one in which no sweep and no queue has anything to do is left out. */
  async passMinutes(minutes: number): Promise<void> {
    const begin = this.world.now;
    for (let passed = 0; passed < minutes; ) {
      const due = Math.min(await nextDue(this.deps, this.world.now), ...this.queues.entries.map(({ at }) => at));
      passed = Math.min(minutes, Math.max(passed + 1, Math.ceil((due - begin) / 60_000)));
      await this.pass((begin + passed * 60_000 - this.world.now) / 1000);
    }
  }

  /** What the real world does after a fault: the bindings work, the queues deliver what they hold, and time passes. */
  async recover(): Promise<void> {
    for (const { injector } of this.scenes) injector.mend();
    this.world.deps = this.deps;
    this.queues.release();
    this.world.advance(2);
    for (const scene of this.scenes.filter(({ repeats }) => repeats === "before the queues")) await scene.repeat();
    await this.runQueues();
    for (const scene of this.scenes) await scene.repeat();
    await this.runQueues();
    // Releases and retries (5 seconds to a minute), messages that wait without a job (a minute, and as long as a job that may take it
    // back), claims of a run that is gone (16 minutes, and 2 for a job that may know more).
    await this.passMinutes(30);
  }

  /** Until every message has its final status. */
  async end(): Promise<void> {
    for (const seconds of [86_400, 61, 61]) await this.pass(seconds);
  }
}

const numberOf = (person: number) => `+1212${5_000_000 + person}`;
const goneOf = (person: number) => `+1646${5_000_000 + person}`;

/** A flow, once, with the fault that it meets. */
export class Scene {
  readonly stage: Stage;
  /** Its name. */
  readonly flow: string;
  readonly fault: Fault | undefined;
  readonly injector: Injector;
  readonly wishes: Wish[] = [];
  /** What was wrong with an answer. */
  readonly faults: string[] = [];
  /** The fault may come between a claim and its outcome: then the record may say that the outcome is unknown. */
  mayBeUnknown = false;
  /** The fault may come after a claim of callbacks: then they may never be posted. */
  mayBeUnposted = false;
  /** Whom the operator has suspended. */
  suspended: TestClient | undefined;
  /** When whoever got a 503 asks again. */
  readonly repeats: "before the queues" | "after the queues";
  websiteId: WebsiteId = "brand";
  #unanswered: (() => Promise<void>)[] = [];

  constructor(stage: Stage, flow: string, fault: Fault | undefined, repeats: Scene["repeats"] = "before the queues") {
    this.stage = stage;
    this.flow = flow;
    this.repeats = repeats;
    this.fault = fault;
    this.injector = new Injector(fault);
  }

  /** Takes place in another website. */
  in(websiteId: WebsiteId): this {
    this.websiteId = websiteId;
    return this;
  }

  get client(): TestClient {
    return this.stage.clients[this.websiteId];
  }

  get world(): World {
    return this.stage.world;
  }

  /** Does something in a Worker whose bindings meet the fault. */
  async act(work: () => Promise<void>): Promise<void> {
    this.world.deps = this.injector.wrap(this.stage.deps);
    await work();
    await this.world.afterAnswer();
    this.world.deps = this.stage.deps;
  }

  get wasRefused(): boolean {
    return this.#unanswered.length > 0;
  }

  /** Asks again what got no answer. */
  async repeat(): Promise<void> {
    const asked = this.#unanswered;
    this.#unanswered = [];
    // People wait for a second, which KV wants between two writes of a key.
    platform.keyWrites.clear();
    for (const ask of asked) await ask();
    if (this.#unanswered.length > 0 && this.injector.isMended) this.faults.push("refused although nothing failed");
  }

  /** Asks, and asks again later where the answer is that a store does not answer. */
  async ask(request: () => Promise<Response>, onAnswer: (answer: Response) => Promise<void> | void): Promise<void> {
    const answer = await request();
    if (answer.status < 400) return onAnswer(answer);
    if (answer.status !== 503) this.faults.push(`answered ${answer.status}: ${await answer.text()}`);
    this.#unanswered.push(() => this.ask(request, onAnswer));
  }

  wish(to: string | null, becomes: Wish["becomes"] = "a text", tag = this.stage.nextTag()): Wish {
    const wish: Wish = { websiteId: this.websiteId, tag, to, becomes, answered: new Set<string>() };
    this.wishes.push(wish);
    return wish;
  }

  /** A send request for a wish: its text is told from every other. */
  request(wish: Wish, fields: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      phone: wish.to,
      text: `${wish.tag} hello`,
      callbackData: `"${wish.tag}"`,
      sendPurpose: "spring",
      ...fields,
    };
  }

  /** Sends one, to a subscriber unless told otherwise. */
  async send({
    wish = this.wish(this.stage.person().phone),
    fields = {},
    headers = {},
  }: SendGiven = {}): Promise<Wish> {
    const body = this.request(wish, fields);
    await this.ask(
      () => this.world.post("/text/message/send", this.client, body, headers),
      async (answer) => {
        wish.answered.add(((await answer.json()) as { messageId: string }).messageId);
      },
    );
    return wish;
  }

  /** Sends them in one request. */
  async sendAll(wishes: Wish[]): Promise<void> {
    const messages = wishes.map((wish) => this.request(wish));
    const answer = await this.world.post("/text/bulk/message/send", this.client, { messages });
    const { successSent } = (await answer.json()) as { successSent: { index: number; messageId: string }[] };
    for (const { index, messageId } of successSent) wishes[index]?.answered.add(messageId);
  }

  /** Sends one, and has it brought to the carrier. */
  async sendAndDeliver(given: SendGiven = {}): Promise<Wish> {
    const wish = await this.send(given);
    await this.stage.runQueues("messages");
    return wish;
  }

  async receipts(receipts: (Partial<Receipt> & { messageId: string })[]): Promise<void> {
    const whole = receipts.map((receipt) => ({
      status: "DELIVERED",
      reason: null,
      carrierMessageId: null,
      optedOut: false,
      ...receipt,
    }));
    const request = () =>
      this.world.fetch("/carriers/sandbox/receipts", { method: "POST", body: JSON.stringify(whole) });
    await this.ask(request, () => {});
  }

  /** A person texts; the carrier brings it again until it gets a 200. */
  async text(from: string, text: string, to = [SENDER]): Promise<void> {
    const inbound = { carrierMessageId: crypto.randomUUID(), from, to, text, keyword: null, answeredByCarrier: false };
    const body = JSON.stringify([inbound]);
    const request = () => this.world.fetch("/carriers/sandbox/inbound", { method: "POST", body });
    await this.ask(request, () => this.stage.outside.heard(from, text));
  }

  /** @returns what is otherwise with a number than it should be */
  async judgeNumber(
    phone: string,
    expected: { subscribed?: number | null; changes?: number; texts?: number },
    websiteId: WebsiteId = "brand",
  ): Promise<string[]> {
    const [found = {}] = await this.world.rows(
      `SELECT (SELECT subscribed FROM subscriptions WHERE website_id = ?1 AND phone = ?2) AS subscribed,
         (SELECT count(*) FROM subscription_changes WHERE website_id = ?1 AND phone = ?2) AS changes,
         (SELECT count(*) FROM inbound_texts WHERE website_id = ?1 AND sender = ?3) AS texts`,
      websiteId,
      Number(phone.slice(1)),
      phone,
    );
    return Object.entries(expected)
      .filter(([name, value]) => found[name] !== value)
      .map(([name, value]) => `${phone} in ${websiteId}: ${name} ${found[name]} in place of ${value}`);
  }
}

export interface SendGiven {
  wish?: Wish;
  fields?: Record<string, unknown>;
  headers?: Record<string, string>;
}
