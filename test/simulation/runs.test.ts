/**
 * One website's many texts do not hold up another's single text, and a new version that cuts off every run leaves no outcome
 * unknown. The queue handler is the service's own. The clock, the queues, the carrier and the store are simulated.
 */
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import type { OutboundMessage, Submission } from "../../src/carriers/carrier.ts";
import { readConfig } from "../../src/config.ts";
import { type Deps, makeDatabase } from "../../src/deps.ts";
import { GRACE_MILLISECONDS } from "../../src/domain/messages/retry-policy.ts";
import * as jobs from "../../src/flows/messages/queue-jobs.ts";
import { consume } from "../../src/queue.ts";
import * as claims from "../../src/store/messages/claims.ts";
import * as messages from "../../src/store/messages/messages.ts";
import * as outcomeCounts from "../../src/store/operations/outcome-counts.ts";
import { printSummary } from "../faults/summary.ts";
import { VirtualClock } from "./clock.ts";
import { PlatformQueue } from "./platform-queue.ts";
import { SimulatedStore } from "./store.ts";

const CARRIER_MILLISECONDS = 150;
/** As a chunk of a bulk request is stored and queued. */
const CHUNK = 500;
const MOST_WAIT_MILLISECONDS = 5000;

let store: SimulatedStore;

beforeEach(() => {
  // Called late: each test has a store of its own.
  vi.spyOn(messages, "findWaiting").mockImplementation((...given) => store.messageFunctions.findWaiting(...given));
  vi.spyOn(messages, "changeStatus").mockImplementation((...given) => store.messageFunctions.changeStatus(...given));
  vi.spyOn(claims, "recordAndClaim").mockImplementation((...given) => store.claimFunctions.recordAndClaim(...given));
  vi.spyOn(outcomeCounts, "addOutcomes").mockImplementation((...given) => store.countFunctions.addOutcomes(...given));
});

afterEach(() => {
  vi.restoreAllMocks();
});

interface Invocation {
  isAlive: boolean;
  /** Its handler, or work in the background, goes on. */
  isWorking: boolean;
  cut: PromiseWithResolvers<never>;
}

class Platform {
  readonly clock = new VirtualClock(Date.UTC(2026, 10, 21, 12));
  readonly messages = new PlatformQueue(this.clock, "textgate-messages", (batch) => this.#invoke(batch));
  readonly bulk = new PlatformQueue(this.clock, "textgate-bulk", (batch) => this.#invoke(batch));
  /** When each message was submitted, each time. */
  readonly submittedAt = new Map<string, number[]>();
  /** Invocations that a new version has cut off in the middle. */
  cutOff = 0;
  #running: Invocation[] = [];
  #ids = 0;

  constructor() {
    this.clock.hold();
    store = new SimulatedStore(this.clock);
  }

  newIds(count: number): string[] {
    return Array.from({ length: count }, () => `m${this.#ids++}`);
  }

  /** @returns their ids */
  sendMany(websiteId: string, count: number): string[] {
    const ids = this.newIds(count);
    store.accept(websiteId, ids);
    for (let start = 0; start < count; start += CHUNK) {
      void jobs.queueDeliveries(this.#deps(), "bulk", ids.slice(start, start + CHUNK));
    }
    return ids;
  }

  sendOne(websiteId: string): string {
    const [id = ""] = this.newIds(1);
    store.accept(websiteId, [id]);
    void jobs.queueDeliveries(this.#deps(), "messages", [id]);
    return id;
  }

  sweep(): void {
    const now = this.clock.now;
    for (const step of store.takeOverdue()) void jobs.queueOverdue(this.#deps(), step, now);
  }

  /** A new version arrives: what runs now is cut off after the grace period. */
  deploy(): void {
    const old = this.#running;
    this.#running = [];
    this.clock.after(GRACE_MILLISECONDS, () => {
      for (const invocation of old) {
        if (invocation.isWorking) this.cutOff += 1;
        invocation.isAlive = false;
        invocation.cut.reject(new Error("The Workers runtime canceled this request"));
      }
    });
  }

  async #invoke(batch: MessageBatch): Promise<void> {
    const invocation: Invocation = { isAlive: true, isWorking: true, cut: Promise.withResolvers() };
    invocation.cut.promise.catch(() => {});
    this.#running.push(invocation);
    const background: Promise<unknown>[] = [];
    const deps = this.#deps(
      () => invocation.isAlive,
      (work) => background.push(work),
    );
    const work = consume(batch, deps);
    void work.then(async () => {
      while (background.length > 0) await background.shift();
      invocation.isWorking = false;
      this.#running = this.#running.filter((one) => one !== invocation);
    });
    await Promise.race([work, invocation.cut.promise]);
  }

  #deps(isAlive = () => true, waitUntil: Deps["waitUntil"] = () => {}): Deps {
    const { clock } = this;
    const deps: Partial<Deps> = {
      ...makeDatabase("DB", store.connect(isAlive)),
      others: new Map(),
      messages: this.messages.producer(isAlive),
      bulk: this.bulk.producer(isAlive),
      carriers: { ready: { slow: this.#carrier(isAlive) }, missing: {} } as unknown as Deps["carriers"],
      config: readConfig({}),
      lastOutcome: { at: 0 },
      now: () => clock.now,
      newId: () => `claim-${this.#ids++}`,
      random: () => 0.5,
      waitUntil,
      log: () => {},
    };
    return deps as Deps;
  }

  #carrier(isAlive: () => boolean) {
    const submit = async ({ messageId }: OutboundMessage): Promise<Submission> => {
      if (!isAlive()) return new Promise(() => {});
      this.submittedAt.set(messageId, [...(this.submittedAt.get(messageId) ?? []), this.clock.now]);
      await this.clock.wait(CARRIER_MILLISECONDS);
      return isAlive() ? { kind: "accepted", carrierMessageId: messageId } : new Promise(() => {});
    };
    return { submit };
  }
}

/** 50,000 texts take two minutes, in which all new versions come. The long form also has what takes eleven. */
const COUNTS = inject("faultSeeds") > 1 ? [50_000, 250_000] : [50_000];

describe.each(COUNTS)("%d texts of one website, at a carrier that takes 150 ms", (count) => {
  it("hold up no single text of another, be new versions deployed meanwhile, and each is submitted once", async () => {
    const platform = new Platform();
    const { clock } = platform;
    const startedAt = clock.now;
    const many = platform.sendMany("many", count);
    const singles: { id: string; sentAt: number }[] = [];
    for (let seconds = 1; platform.submittedAt.size < count + singles.length; seconds++) {
      if (seconds % 7 === 1) singles.push({ id: platform.sendOne(`other-${seconds}`), sentAt: clock.now });
      if (seconds % 60 === 0) platform.sweep();
      if (seconds === 45 || seconds === 50 || seconds === 90) platform.deploy();
      await clock.pass(1000);
    }
    await clock.runUntil(() => platform.bulk.isIdle && platform.messages.isIdle);
    const waits = singles.map(({ id, sentAt }) => (platform.submittedAt.get(id)?.[0] ?? Number.NaN) - sentAt);
    const seconds = (clock.now - startedAt) / 1000;
    printSummary(`${count}: longest wait ${Math.max(...waits)} ms of ${waits.length}; all done after ${seconds} s`);
    expect(Math.max(...waits)).toBeLessThan(MOST_WAIT_MILLISECONDS);
    expect(platform.cutOff).toBe(0);
    const ids = [...many, ...singles.map(({ id }) => id)];
    expect(ids.filter((id) => platform.submittedAt.get(id)?.length !== 1)).toEqual([]);
    expect(ids.filter((id) => store.messages.get(id)?.outcome !== "SENDING")).toEqual([]);
  }, 300_000);
});
