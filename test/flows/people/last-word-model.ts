/** Whatever is said of a number, in any order, late, twice or without an id: a model of a few lines says who has the last word. */
import fc from "fast-check";
import { expect } from "vitest";
import { applyReceipts } from "../../../src/flows/messages/apply-receipts.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const OURS = "+12125550000";
/** The last one answers a STOP in the report: no receipt is about it. */
const MESSAGES = 4;

const PAUSES = [1, 300, 1000, 60_000, 3_600_000];
const text = fc.record({
  kind: fc.constant("text" as const),
  words: fc.constantFrom("STOP" as const, "START" as const, "START" as const),
  carrier: fc.constantFrom("sandbox", "sandbox", "twilio"),
  /** Milliseconds since it was sent; null: its carrier does not say. */
  age: fc.constantFrom(null, 0, 1, 500, 1000, 61_000, 4_000_000),
  inSeconds: fc.boolean(),
  hasId: fc.boolean(),
});
const plain = fc.record({
  kind: fc.constantFrom(
    ...(["unsubscribe", "unsubscribe", "subscribe", "optOutByFile", "optInByFile", "resubscribe"] as const),
    ...(["erase", "decide", "receipt", "bringAgain"] as const),
  ),
  which: fc.nat(MESSAGES - 2),
});
type Text = typeof text extends fc.Arbitrary<infer T> ? T : never;
type Action = { say: Text | (typeof plain extends fc.Arbitrary<infer P> ? P : never); pause: number };
export const lives = fc.array(
  fc.record({
    say: fc.oneof({ weight: 3, arbitrary: text }, { weight: 4, arbitrary: plain }),
    pause: fc.constantFrom(...PAUSES),
  }),
  { minLength: 2, maxLength: 14 },
);

/** Written from what the docs promise, and with nothing of the code. */
class Model {
  state: "unknown" | "in" | "out" | "stopped" = "in";
  erasedAt: number | null = null;
  optOuts: { storedAt: number; carrier: string | null; sentAt: number | null }[] = [];
  unheard: string[] = [];

  optOut(storedAt: number, byPerson: boolean, carrier: string | null = null, sentAt: number | null = null): void {
    this.optOuts.push({ storedAt, carrier, sentAt });
    if (byPerson) this.state = "stopped";
    else if (this.state !== "stopped") this.state = "out";
  }

  optIn(bringsBack: boolean): void {
    if (this.erasedAt !== null || this.state === "stopped" || (this.state === "out" && !bringsBack)) return;
    this.state = "in";
  }

  start(now: number, carrier: string, sentAt: number | null): void {
    const end = (at: number) => (at % 1000 === 0 ? at + 999 : at);
    const at = sentAt === null ? now : end(sentAt);
    const isLater = ({ storedAt, ...stop }: Model["optOuts"][number]) =>
      stop.carrier === carrier && stop.sentAt !== null && sentAt !== null ? end(stop.sentAt) > at : storedAt > at;
    const isOvertaken = this.optOuts.some(isLater) || (this.erasedAt ?? 0) > at;
    if (this.state === "in") return;
    if (isOvertaken) this.unheard.push("later-opt-out");
    else if (this.state === "unknown" && this.erasedAt === null) this.unheard.push("unknown-person");
    else [this.state, this.erasedAt] = ["in", null];
  }

  erase(now: number): void {
    [this.state, this.erasedAt, this.optOuts, this.unheard] = ["unknown", now, [], []];
  }
}

class Run {
  readonly #world: World;
  readonly #client: TestClient;
  readonly #messages: string[];
  readonly #model = new Model();
  /** Since the last erasure. */
  #brought: { carrier: string; inbound: Parameters<typeof receiveInbound>[2] }[] = [];
  #receipts = new Set<number>();
  #texts = 0;

  constructor(world: World, client: TestClient, messages: string[]) {
    this.#world = world;
    this.#client = client;
    this.#messages = messages;
  }

  async act({ say, pause }: Action): Promise<void> {
    this.#world.now += pause;
    if (say.kind === "text") await this.#text(say);
    else await this[say.kind](say.which);
    const [row] = await this.#world.rows("SELECT subscribed, opted_out_by_person AS person FROM subscriptions");
    const state = !row ? "unknown" : row.subscribed === 1 ? "in" : row.person === 1 ? "stopped" : "out";
    const list = await this.#world.rows(
      "SELECT without_effect AS why FROM inbound_texts WHERE without_effect IS NOT NULL",
    );
    const { unheard } = this.#model;
    expect([state, list.map(({ why }) => why).sort()]).toEqual([this.#model.state, unheard.toSorted()]);
  }

  async #bring(carrier: string, inbound: Parameters<typeof receiveInbound>[2]): Promise<void> {
    await this.#world.invoke("fetch", () => receiveInbound(this.#world.deps, carrier, inbound));
  }

  async #text({ words, carrier, age, inSeconds, hasId }: Text): Promise<void> {
    const { now } = this.#world;
    const exact = age === null ? null : now - age;
    const sentAt = exact !== null && inSeconds ? exact - (exact % 1000) : exact;
    // A gateway without ids that says its time makes the same id of the same text: a START of before would be dropped.
    const isMade = !hasId && (words === "STOP" || sentAt === null);
    const carrierMessageId = isMade ? `made-${words}` : `own-${++this.#texts}`;
    const inbound = {
      ...{ from: ADA, to: [OURS], text: words, keyword: null, answeredByCarrier: false, carrierMessageId },
      ...(sentAt === null ? {} : { sentAt }),
      ...(isMade ? { madeId: "without-time" as const } : {}),
    };
    await this.#bring(carrier, inbound);
    if (!isMade) this.#brought.push({ carrier, inbound });
    if (words === "STOP") this.#model.optOut(now, true, carrier, sentAt);
    else this.#model.start(now, carrier, sentAt);
  }

  async bringAgain(which: number): Promise<void> {
    const found = this.#brought.at(-1 - which);
    if (found) await this.#bring(found.carrier, found.inbound);
  }

  async unsubscribe(): Promise<void> {
    await this.#world.post("/text/unsubscribe", this.#client, { phone_numbers: [ADA] });
    this.#model.optOut(this.#world.now, false);
  }

  async subscribe(): Promise<void> {
    await this.#world.post("/text/subscribe", this.#client, { phone_numbers: [ADA], sendPurpose: "news" });
    this.#model.optIn(true);
  }

  async optOutByFile(): Promise<void> {
    await this.#world.subscribers("brand", [`${ADA},,false`]);
    this.#model.optOut(this.#world.now, false);
  }

  async optInByFile(): Promise<void> {
    await this.#world.subscribers("brand", [`${ADA},,true`]);
    this.#model.optIn(false);
  }

  async resubscribe(): Promise<void> {
    await this.#world.subscribers("brand", [`${ADA},,true`], "?resubscribe=true");
    this.#model.optIn(true);
  }

  async erase(): Promise<void> {
    await this.#world.operator("DELETE", `/websites/brand/people/${ADA}`);
    this.#brought = [];
    for (const index of this.#messages.keys()) this.#receipts.add(index);
    this.#model.erase(this.#world.now);
  }

  async decide(): Promise<void> {
    const carrierMessageId = `own-${++this.#texts}`;
    const inbound = { from: ADA, to: [OURS], text: "please stop texting me", keyword: null, answeredByCarrier: false };
    await this.#bring("sandbox", { ...inbound, carrierMessageId });
    this.#world.now += 5;
    const body = { websiteId: "brand", carrier: "sandbox", carrierMessageId, optOut: true };
    expect((await this.#world.operator("POST", "/inbound/decide", body)).status).toBe(200);
    this.#model.optOut(this.#world.now, true);
  }

  /** Each takes effect once. */
  async receipt(which: number): Promise<void> {
    const receipt = { status: "FAILED_TO_DELIVERY", reason: null, carrierMessageId: null, optedOut: true } as const;
    const messageId = this.#messages[which] as string;
    await this.#world.invoke("queue", () => applyReceipts(this.#world.deps, [{ ...receipt, messageId }]));
    if (this.#receipts.has(which)) return;
    this.#receipts.add(which);
    this.#model.optOut(this.#world.now, true);
  }
}

export async function live(actions: Action[]): Promise<void> {
  const world = await World.create();
  const client = await world.brand([ADA]);
  await world.website("brand", { carrier: "sandbox", sender: OURS });
  await world.rows("INSERT INTO former_senders (carrier, sender, website_id) VALUES ('twilio', ?1, 'brand')", OURS);
  const messages: string[] = [];
  for (let index = 0; index < MESSAGES; index++) {
    world.advance(1);
    messages.push(await world.send(client, { phone: ADA }));
  }
  await world.runQueues();
  const run = new Run(world, client, messages);
  for (const action of actions) await run.act(action);
}
