// The service at the platform's price: how many messages it carries, what holds it up, and what a message costs.
import { setTimeout as sleep } from "node:timers/promises";
import { makeAgent } from "../../test/node/harness/call.ts";
import type { CountingCarrier } from "../../test/node/harness/fake-kannel.ts";
import { percentile } from "../../test/node/harness/statistics.ts";
import { messagesToSubscribers } from "../bulk.ts";
import { type Purge, type Usage, withPurge } from "./bill.ts";
import type { EdgeBuild } from "./build.ts";
import { compareWithFloor, type FloorRow } from "./floor.ts";
import { closedLoop, openLoop, type Send, type Sent, windowLoop } from "./load.ts";
import { type Goal, type Load, type MachineLoad, type Phase, runPhase, sumOf } from "./phase.ts";
import { type Edge, type EdgePrice, startEdge, tell } from "./start.ts";
import {
  carrierVars,
  countCallbacks,
  countDelivered,
  makeCarrier,
  makeWebsite,
  postTo,
  requireOnce,
  type Website,
} from "./world.ts";

const WEBSITES = 10;
const NUMBERS_A_WEBSITE = 500;
/** So many that the database always has some waiting. */
const CONNECTIONS = 256;
/** Times of the model. */
const BESIDE_MILLISECONDS = 3_000;
const OPEN_MILLISECONDS = 2_000;
const HELD_MILLISECONDS = 2_000;
const WARM_UP_MILLISECONDS = 200;
/** How long a request may still work after its answer. */
const FOLLOW_UP_MILLISECONDS = 100;
/** Requests a second, from all websites. */
export const OPEN_RATE = 300;
const ALONE = 2;
/** So long does a message wait among others: more than a message alone needs. */
const WINDOW_SECONDS = 2.5;
const MOST_UNDER_WAY = 2_000;
/** How many windows the longer run of sends takes. */
const WINDOWS = 3;
const WITHOUT_CALLBACKS = 2_000;
/** RETENTION_DAYS, when left out, and one. */
const RETENTION_MILLISECONDS = 31 * 86_400_000;
/** Each purges as many as 20,000 of each website. */
const SWEEPS = 2;
const LOOK_MILLISECONDS = 5;

/** The paces that are tried, each twice as slow as the one before. */
const LEAST_SLOW = 2;
const MOST_SLOW = 16;
/** The share of a core beyond which the CPU holds up the load, and not the price. */
const MOST_CPU = 0.75;

export interface EdgeOptions {
  price: Omit<EdgePrice, "slow">;
  /** undefined: as the machine needs it. */
  slow: number | undefined;
  /** Messages of the bulk campaign. */
  campaign: number;
}

export interface EdgeFigures {
  price: EdgePrice;
  /** Sends to ten websites while nothing is delivered. */
  held: Phase;
  /** As many as are accepted while deliveries go on, for which nobody waits. */
  beside: Accepting;
  /** One message after another. */
  alone: Phase;
  campaign: Phase;
  /** Sends to ten websites, of which as many are under way as the service carries. */
  sends: Phase;
  /** Sends to ten websites at a fixed rate. */
  open: Phase;
  /** A bulk campaign of a client that has no callback URL. */
  uncalled: Phase;
  /** The purge of the messages that were called back, and the purge of those of `uncalled`. */
  purge: { called: Purge; uncalled: Purge };
  floor: FloorRow[];
}

/** What a message of a phase takes, with its purge. */
export function untilPurged({ uncalled, purge }: EdgeFigures, phase: Phase): Usage {
  return withPurge(phase.usage, phase === uncalled ? purge.uncalled : purge.called);
}

export type Accepting = Pick<Phase, "refused" | "p50" | "p99"> & { acceptedPerSecond: number };

/** Slows the model down until the load that asks most of the CPU leaves some of it. */
export async function measureEdge(build: EdgeBuild, options: EdgeOptions): Promise<EdgeFigures> {
  for (let slow = options.slow ?? LEAST_SLOW; ; slow *= 2) {
    const price = { ...options.price, slow };
    const mayBeSlower = options.slow === undefined && slow < MOST_SLOW;
    const accepting = await withRun(build, price, (run) => run.measureAccepting(mayBeSlower));
    if (!accepting) continue;
    const delivering = await withRun(build, price, (run) => run.measureDelivering(options.campaign));
    return { price, ...accepting, ...delivering, floor: await compareWithFloor(build, price) };
  }
}

export function isCrowded({ workerd = 0, bench }: MachineLoad): boolean {
  return Math.max(workerd, bench) > MOST_CPU;
}

async function withRun<T>(build: EdgeBuild, price: EdgePrice, work: (run: Run) => Promise<T>): Promise<T> {
  const carrier = makeCarrier(price.slow);
  await carrier.open();
  const edge = await startEdge(build, price, (origin) => carrierVars(carrier, origin));
  const websites: Website[] = [];
  try {
    for (let index = 0; index < WEBSITES; index++) {
      websites.push(await makeWebsite(edge, `edge-${index}`, { numbers: NUMBERS_A_WEBSITE }));
    }
    return await work(new Run(edge, carrier, websites));
  } finally {
    await edge.close();
    await carrier.close();
    await Promise.all(websites.map(({ endpoint }) => endpoint?.close()));
  }
}

class Run {
  readonly #edge: Edge;
  readonly #carrier: CountingCarrier;
  readonly #websites: Website[];
  readonly #slow: number;
  readonly #bodies = messagesToSubscribers(NUMBERS_A_WEBSITE / 2, 0).map((message) => JSON.stringify(message));
  /** Delivered, and not purged. */
  #messages = 0;

  constructor(edge: Edge, carrier: CountingCarrier, websites: Website[]) {
    this.#edge = edge;
    this.#carrier = carrier;
    this.#websites = websites;
    this.#slow = edge.price.slow;
  }

  /** @returns undefined when the CPU held it up, and must not */
  async measureAccepting(mayBeSlower: boolean): Promise<Pick<EdgeFigures, "held" | "beside"> | undefined> {
    await this.#warmUp();
    const held = await this.#phase("sends, deliveries held", () => this.#sendHeld(), undefined);
    if (mayBeSlower && isCrowded(held.machine)) return undefined;
    return { held, beside: await this.#sendBeside() };
  }

  async measureDelivering(count: number): Promise<Omit<EdgeFigures, "price" | "held" | "beside" | "floor">> {
    await this.#warmUp();
    const oneByOne = await this.#sends("one at a time", (send, goal) => this.#oneByOne(send, goal));
    const campaign = await this.#campaign("campaign", count, true);
    const figures = {
      alone: { ...oneByOne, acceptedPerSecond: undefined, throughPerSecond: undefined },
      campaign,
      sends: await this.#sendOn(campaign.throughPerSecond ?? 0),
      open: await this.#sends(`sends, ${OPEN_RATE} a second`, (send) =>
        openLoop(send, OPEN_RATE / this.#slow, OPEN_MILLISECONDS * this.#slow),
      ),
    };
    const called = await this.#purge();
    const uncalled = await this.#campaign("campaign without callbacks", WITHOUT_CALLBACKS, false);
    return { ...figures, uncalled, purge: { called, uncalled: await this.#purge() } };
  }

  /** Code that runs for the first time is slow. */
  async #warmUp(): Promise<void> {
    await this.#sends("warm-up", (send) => closedLoop(send, WEBSITES, WARM_UP_MILLISECONDS * this.#slow));
  }

  /** Sends of all websites, which are called back. */
  async #sends(name: string, load: (send: Send, goal: Goal) => Promise<Sent>, height?: Goal["height"]): Promise<Phase> {
    const goal = { ...countCallbacks(this.#websites), ...(height ? { height } : {}) };
    const phase = await this.#phase(name, () => this.#sendSingles((send) => load(send, goal)), goal);
    requireOnce(this.#websites);
    return phase;
  }

  async #phase(name: string, load: () => Promise<Load>, goal: Goal | undefined): Promise<Phase> {
    tell(this.#edge.price, name);
    const phase = await runPhase(this.#edge, load, goal);
    this.#messages += phase.messages;
    return phase;
  }

  /** Each website in turn sends to its next number. */
  async #sendSingles(load: (send: Send) => Promise<Sent>): Promise<Load> {
    const agent = makeAgent(Number.POSITIVE_INFINITY);
    const send: Send = async (index) => {
      const website = this.#websites[index % WEBSITES] as Website;
      const body = this.#bodies[Math.floor(index / WEBSITES) % this.#bodies.length] as string;
      return (await postTo(this.#edge, agent, website, "/text/message/send", body)).status;
    };
    const { statuses, milliseconds, elapsed } = await load(send);
    agent.destroy();
    const { 200: messages = 0, ...refused } = Object.fromEntries(statuses);
    return { messages, refused, milliseconds, elapsed };
  }

  /** Each once the one before is called back. */
  async #oneByOne(send: Send, goal: Goal): Promise<Sent> {
    const started = performance.now();
    const milliseconds: number[] = [];
    for (let index = 0; index < ALONE; index++) {
      const sentAt = performance.now();
      const status = await send(index);
      if (status !== 200) throw new Error(`a message alone: ${status}`);
      milliseconds.push(performance.now() - sentAt);
      while (goal.count() < (index + 1) * goal.each) await sleep(LOOK_MILLISECONDS);
    }
    return { statuses: new Map([[200, ALONE]]), milliseconds, elapsed: performance.now() - started };
  }

  /** @param throughPerSecond about as many as the service carries */
  #sendOn(throughPerSecond: number): Promise<Phase> {
    const window = Math.ceil(Math.min(MOST_UNDER_WAY, WINDOW_SECONDS * throughPerSecond));
    const requests = WINDOWS * window;
    const load = (send: Send, { count, each }: Goal) =>
      windowLoop(send, { window, requests, over: () => count() / each });
    // From the last send on, the service has only deliveries left.
    return this.#sends("sends", load, { from: window / 2, until: requests - window });
  }

  async #sendHeld(): Promise<Load> {
    await this.#edge.hold(true);
    const loaded = await this.#sendSingles((send) => closedLoop(send, CONNECTIONS, HELD_MILLISECONDS * this.#slow));
    await sleep(FOLLOW_UP_MILLISECONDS * this.#slow);
    await this.#edge.drop();
    await this.#edge.hold(false);
    return loaded;
  }

  async #sendBeside(): Promise<Accepting> {
    tell(this.#edge.price, "sends, as many as are accepted");
    const { messages, refused, milliseconds, elapsed } = await this.#sendSingles((send) =>
      closedLoop(send, CONNECTIONS, BESIDE_MILLISECONDS * this.#slow),
    );
    const share = (rank: number) => percentile(milliseconds, rank) / this.#slow;
    return { acceptedPerSecond: (messages * 1000 * this.#slow) / elapsed, refused, p50: share(0.5), p99: share(0.99) };
  }

  async #campaign(name: string, count: number, isCalledBack: boolean): Promise<Phase> {
    const numbers = Math.ceil(count * 1.2);
    const website = await makeWebsite(this.#edge, isCalledBack ? "called" : "uncalled", { numbers, isCalledBack });
    try {
      const goal = isCalledBack ? countCallbacks([website]) : countDelivered(this.#carrier);
      const phase = await this.#phase(name, () => this.#sendBulk(website, count), goal);
      requireOnce([website]);
      return phase;
    } finally {
      await website.endpoint?.close();
    }
  }

  async #sendBulk(website: Website, count: number): Promise<Load> {
    const agent = makeAgent(1);
    const body = JSON.stringify({ messages: messagesToSubscribers(count, 0) });
    const started = performance.now();
    const answer = await postTo(this.#edge, agent, website, "/text/bulk/message/send", body);
    const elapsed = performance.now() - started;
    agent.destroy();
    const { successSent = [] } = JSON.parse(answer.body) as { successSent?: unknown[] };
    if (successSent.length !== count) throw new Error(`${successSent.length} of ${count} messages were accepted`);
    return { messages: count, refused: {}, milliseconds: [elapsed], elapsed };
  }

  async #purge(): Promise<Purge> {
    await this.#edge.goAhead(RETENTION_MILLISECONDS);
    await this.#edge.takeCounts();
    for (let sweep = 0; sweep < SWEEPS; sweep++) await this.#edge.sweep();
    const { rowsRead, rowsWritten } = sumOf(Object.values((await this.#edge.takeCounts()).made));
    const purge = { rowsRead: rowsRead / this.#messages, rowsWritten: rowsWritten / this.#messages };
    this.#messages = 0;
    return purge;
  }
}
