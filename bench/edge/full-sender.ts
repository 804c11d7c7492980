// Ten websites at one carrier, where the queue of one website's sender is full: what the other nine notice of it.
import { setTimeout as sleep } from "node:timers/promises";
import { makeAgent } from "../../test/node/harness/call.ts";
import { medianRatio, percentile } from "../../test/node/harness/statistics.ts";
import { messagesToSubscribers } from "../bulk.ts";
import type { EdgeBuild } from "./build.ts";
import { type Send, windowLoop } from "./load.ts";
import { SlowTwilio } from "./slow-twilio.ts";
import { type Edge, type EdgePrice, startEdge, tell } from "./start.ts";
import { Timeline } from "./timeline.ts";
import { countCallbacks, makeWebsite, postTo, type Website } from "./world.ts";

const WEBSITES = 10;
/** Which of them has the sender whose queue is full. */
const FULL = WEBSITES - 1;
const NUMBERS_A_WEBSITE = 500;
/** Texts of all ten. A database carries somewhat more than so many under way: see the sends of ten websites. */
const TEXTS = { warmUp: 200, underWay: 300 };
/** Rounds of each kind, in turn. */
const ROUNDS = 2;

export const HELD_TO = { leastRatio: 0.95, mostLater: 1000 };

/** A round of the nine, in the time of the model. Milliseconds from a send to the moment at which the carrier has the text. */
export interface NineRound {
  throughPerSecond: number;
  p50: number;
  p99: number;
  latest: number;
  /** Submissions of the full sender. */
  refused: number;
}

export interface FullSenderFigures {
  slow: number;
  works: NineRound[];
  full: NineRound[];
  /** Texts through in a second over those of the run beside it without a full queue. */
  ratio: number;
  /** By how much the latest text is later than that run's p99. */
  later: number;
}

/** @param texts of a round: with some thousand, it lasts so long that a sender that pauses is tried again */
export async function measureFullSender(build: EdgeBuild, price: EdgePrice, texts: number): Promise<FullSenderFigures> {
  const twilio = new SlowTwilio(price.slow);
  await twilio.open();
  const edge = await startEdge(build, price, (origin) => twilio.vars(origin));
  const websites: Website[] = [];
  try {
    for (let index = 0; index < WEBSITES; index++) {
      const from = { carrier: "twilio", sender: senderOf(index) };
      websites.push(await makeWebsite(edge, `sender-${index}`, { numbers: NUMBERS_A_WEBSITE, from }));
    }
    return await compare(new Ten(edge, twilio, websites), price, texts);
  } finally {
    await edge.close();
    await twilio.close();
    await Promise.all(websites.map(({ endpoint }) => endpoint?.close()));
  }
}

const senderOf = (index: number) => `+1202555010${index}`;

async function compare(ten: Ten, price: EdgePrice, texts: number): Promise<FullSenderFigures> {
  tell(price, "ten senders, warm-up");
  await ten.send(TEXTS.warmUp, null);
  const rounds: Record<"works" | "full", NineRound[]> = { works: [], full: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of round % 2 === 0 ? (["works", "full"] as const) : (["full", "works"] as const)) {
      tell(price, `ten senders, ${kind === "full" ? "the queue of one is full" : "all work"}`);
      rounds[kind].push(await ten.send(texts, kind === "full" ? senderOf(FULL) : null));
    }
  }
  const { works, full } = rounds;
  const rates = ({ throughPerSecond }: NineRound) => throughPerSecond;
  const later = Math.max(...full.map(({ latest }, round) => latest - (works[round]?.p99 ?? Number.NaN)));
  return { slow: price.slow, works, full, ratio: medianRatio(full.map(rates), works.map(rates)), later };
}

class Ten {
  readonly #edge: Edge;
  readonly #twilio: SlowTwilio;
  readonly #websites: Website[];
  readonly #bodies = messagesToSubscribers(NUMBERS_A_WEBSITE / 2, 0).map((message) => JSON.stringify(message));

  constructor(edge: Edge, twilio: SlowTwilio, websites: Website[]) {
    this.#edge = edge;
    this.#twilio = twilio;
    this.#websites = websites;
  }

  /** @param full the sender whose queue is full; null: none is */
  async send(requests: number, full: string | null): Promise<NineRound> {
    Object.assign(this.#twilio, { full, refused: 0 });
    const { count, each } = countCallbacks(this.#websites.slice(0, FULL));
    const timeline = new Timeline(count);
    const { sentAt, others } = await this.#load(requests, () => count() / each);
    await timeline.until(sentAt.size * each);
    timeline.stop();
    if (full !== null && (this.#twilio.refused === 0 || others === 0)) throw new Error("the full sender was not tried");
    await this.#forget();
    const { slow } = this.#edge.price;
    const waits = [...sentAt].map(([messageId, at]) => (this.#twilio.takenAt.get(messageId) ?? Number.NaN) - at);
    const share = (rank: number) => percentile(waits, rank) / slow;
    // From the first texts until the last are sent, as many are under way as may be.
    const all = sentAt.size * each;
    const throughPerSecond = (timeline.rate(all * 0.1, all * (1 - TEXTS.underWay / requests)) * slow) / each;
    return { throughPerSecond, p50: share(0.5), p99: share(0.99), latest: share(1), refused: this.#twilio.refused };
  }

  /** Each website in turn sends to its next number. The tenth is waited for by nobody. */
  async #load(requests: number, over: () => number) {
    const sentAt = new Map<string, number>();
    let others = 0;
    const agent = makeAgent(Number.POSITIVE_INFINITY);
    const send: Send = async (index) => {
      const at = performance.now();
      const website = this.#websites[index % WEBSITES] as Website;
      const body = this.#bodies[Math.floor(index / WEBSITES) % this.#bodies.length] as string;
      const answer = await postTo(this.#edge, agent, website, "/text/message/send", body);
      if (answer.status !== 200) return answer.status;
      if (index % WEBSITES === FULL) others++;
      else sentAt.set((JSON.parse(answer.body) as { messageId: string }).messageId, at);
      return 200;
    };
    await windowLoop(send, { window: TEXTS.underWay, requests, over: () => over() + others });
    agent.destroy();
    return { sentAt, others };
  }

  /** Ends the texts of the full sender, and its pause. The jobs of its retries will find nothing to do. */
  async #forget(): Promise<void> {
    const { db, price } = this.#edge;
    await this.#edge.hold(true);
    await sleep(SETTLE_MILLISECONDS * price.slow);
    await this.#edge.drop();
    await db.batch([
      db.prepare("DELETE FROM carrier_pauses"),
      db.prepare(
        "UPDATE messages SET status = 'FAILED_TO_SEND', due_at = NULL, claimed_at = NULL WHERE status = 'PENDING_TO_SEND'",
      ),
    ]);
    await this.#edge.hold(false);
  }
}

/** A consumer that runs ends within this time. */
const SETTLE_MILLISECONDS = 1500;
