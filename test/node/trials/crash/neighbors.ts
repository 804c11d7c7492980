// Two websites at a time: one whose carrier or endpoint is broken, and a healthy one that must not notice.
import { setTimeout as wait } from "node:timers/promises";
import { CountingReceiver } from "../../harness/counting-receiver.ts";
import type { Client } from "../../harness/service.ts";
import { percentile } from "../../harness/statistics.ts";
import { makeWebsite, phoneAt } from "./client.ts";
import { Load, type Sent } from "./load.ts";

/** Milliseconds from a send's answer to the callback that says DELIVERED. */
export interface Latency {
  p50: number;
  p99: number;
  /** How many were not called back in the time that was waited. */
  missing: number;
}

const HEALTHY_MESSAGES = 30;
const HEALTHY_EVERY_MILLISECONDS = 100;
const LONGEST_WAIT_MILLISECONDS = 45_000;

/** Numbers of messages that no other website of the run has: even, so that each is subscribed and has a callback. */
export class Messages {
  #next = 0;

  take(count: number): number[] {
    const taken: number[] = [];
    for (; taken.length < count; this.#next += 2) {
      // The sandbox carrier does other things with numbers that end so.
      if (!/000[1-5]$/.test(phoneAt(this.#next))) taken.push(this.#next);
    }
    return taken;
  }
}

/** A website on the sandbox carrier with an endpoint that works. */
export class HealthyNeighbor {
  readonly #url: string;
  readonly #messages: Messages;
  readonly receiver: CountingReceiver;
  #runs = 0;

  private constructor(url: string, messages: Messages, receiver: CountingReceiver) {
    this.#url = url;
    this.#messages = messages;
    this.receiver = receiver;
  }

  static async make(url: string, messages: Messages): Promise<HealthyNeighbor> {
    return new HealthyNeighbor(url, messages, await new CountingReceiver().open());
  }

  /** Sends a text each 100 ms, and waits for their callbacks. */
  async measure(): Promise<Latency> {
    const messages = this.#messages.take(HEALTHY_MESSAGES);
    const websiteId = `healthy-${++this.#runs}`;
    const client = await makeWebsite(this.#url, { websiteId, carrier: "sandbox", messages }, this.receiver);
    const sent = await sendPaced(client, websiteId, messages, {
      size: 1,
      everyMilliseconds: HEALTHY_EVERY_MILLISECONDS,
    });
    const delivered = [...sent.values()].map(({ messageId, at }) => ({ event: `${messageId}_DELIVERED`, at }));
    const deadline = performance.now() + LONGEST_WAIT_MILLISECONDS;
    const missing = () => delivered.filter(({ event }) => !this.receiver.receivedAt.has(event)).length;
    while (missing() > 0 && performance.now() < deadline) await wait(20);
    const times = delivered.map(({ event, at }) => (this.receiver.receivedAt.get(event) ?? deadline) - at);
    return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), missing: missing() };
  }
}

/** Sends messages at a steady pace, `size` in a request. */
export async function sendPaced(
  client: Client,
  name: string,
  messages: number[],
  { size, everyMilliseconds }: { size: number; everyMilliseconds: number },
): Promise<Map<number, Sent>> {
  const started = performance.now();
  let turn = 0;
  const load = new Load({
    client,
    ready: async () => {
      const due = started + everyMilliseconds * turn++;
      await wait(Math.max(0, due - performance.now()));
    },
    onSent: () => {},
  });
  const starts = messages.map((_, index) => index).filter((index) => index % size === 0);
  await load.run(
    starts.map((start) => ({
      kind: size === 1 ? ("keyed" as const) : ("bulk" as const),
      key: `${name}-${start}`,
      messages: messages.slice(start, start + size),
      repeats: false,
    })),
  );
  return load.sent;
}

/** What a healthy website may notice of a broken one. Without a broken one it takes some 20 ms (median). */
const HELD_UP_MILLISECONDS = 5000;

export function heldUp(beside: string, { p99, missing }: Latency): string[] {
  if (missing > 0) return [`beside ${beside}, ${missing} messages of a healthy website were not called back`];
  if (p99 <= HELD_UP_MILLISECONDS) return [];
  return [`beside ${beside}, a healthy website waits ${Math.round(p99)} ms (p99) for its callbacks`];
}
