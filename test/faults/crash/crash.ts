import { setTimeout as wait } from "node:timers/promises";
import { operate } from "../../journeys/service.ts";
import { accept, type Conduct, CountingCarrier, RECEIPT, type Submission } from "./carrier.ts";
import { makeWebsite } from "./client.ts";
import { Load } from "./load.ts";
import { planKills, planRequests } from "./plan.ts";
import { drawn, drawnInteger } from "./random.ts";
import { CountingReceiver } from "./receiver.ts";
import { readRecord, type ServiceRecord } from "./record.ts";
import { type Bundle, Service } from "./service.ts";
import { type Tally, tally } from "./tally.ts";

export interface CrashOptions {
  bundle: Bundle;
  seed: number;
  messages: number;
  kills: number;
  keep: boolean;
}

export interface CrashResult extends Tally {
  /** Milliseconds. */
  restarts: number[];
}

const WEBSITE = "crash";

/** How many accepted messages may wait for the carrier: Miniflare's queues fail once 10,000 wait. */
const MOST_WAITING = 600;

/** Kills the service under load, again and again, and holds what became of every message against its record. */
export async function crash({ bundle, seed, messages, kills, keep }: CrashOptions): Promise<CrashResult> {
  const waiting = new Set<string>();
  const carrier = new CountingCarrier((submission) => {
    waiting.delete(submission.messageId);
    return conductAt(seed, submission);
  });
  await carrier.open();
  const receiver = await new CountingReceiver().open();
  const service = await Service.start({ bundle, sendSmsUrl: carrier.url, keep });
  try {
    const all = Array(messages).keys();
    const client = await makeWebsite(service.url, { websiteId: WEBSITE, carrier: "kannel", messages: all }, receiver);
    const killer = new Killer(service, seed, planKills(seed, kills, messages), () => waiting.clear());
    const load: Load = new Load({
      client,
      ready: async () => {
        while (waiting.size > MOST_WAITING) await wait(10);
        await service.up;
      },
      onSent: (_, { messageId }) => {
        if (messageId && !carrier.takenById.has(messageId)) waiting.add(messageId);
        killer.note(load.sent.size);
      },
    });
    await load.run(planRequests(seed, messages));
    await killer.done();
    const { record, report } = await settle(service, carrier, receiver);
    const { figures, faults } = tally({ load, carrier, receiver }, record);
    faults.push(...reportFaults(report, record, carrier));
    const serverErrors = [...load.answers].reduce((sum, [status, n]) => sum + (status >= 500 ? n : 0), 0);
    const answers = {
      "answered 5xx": serverErrors,
      "answered 429": load.answers.get(429) ?? 0,
      "broken off": load.broken,
    };
    return { figures: { ...figures, ...answers, kills: service.restarts.length }, faults, restarts: service.restarts };
  } finally {
    await service.remove();
    await carrier.close();
    await receiver.close();
  }
}

/** Every text is taken. Most get SENDING and DELIVERED, some before the answer; a few fail, and a few are never reported. */
function conductAt(seed: number, { phone }: Submission): Conduct {
  const value = drawn(seed, "receipts", phone);
  const afterMilliseconds = drawnInteger(0, 100, seed, "receipt delay", phone);
  const final = { type: value < 0.05 ? RECEIPT.failed : RECEIPT.delivered, afterMilliseconds };
  const sending = { type: RECEIPT.sending, afterMilliseconds: 0 };
  const receipts = value > 0.96 ? [] : value < 0.75 ? [final] : [sending, final];
  const answersLate = drawn(seed, "late answer", phone) < 0.1;
  return {
    takes: true,
    receipts,
    answer: (response) => (answersLate ? void setTimeout(accept, 50, response) : accept(response)),
  };
}

/** Kills the service at its moments, one after the other. */
class Killer {
  readonly #service: Service;
  readonly #seed: number;
  readonly #moments: number[];
  readonly #onKill: () => void;
  #running: Promise<void> = Promise.resolve();
  #killed = 0;

  /** @param moments numbers of answered messages */
  constructor(service: Service, seed: number, moments: number[], onKill: () => void) {
    this.#service = service;
    this.#seed = seed;
    this.#moments = moments;
    this.#onKill = onKill;
  }

  /** @param answered messages, so far */
  note(answered: number): void {
    while (this.#moments[0] !== undefined && this.#moments[0] <= answered) {
      this.#moments.shift();
      const pause = drawnInteger(0, 150, this.#seed, "kill pause", this.#killed++);
      this.#running = this.#running.then(() => this.#kill(pause));
      this.#running.catch(() => {});
    }
  }

  async done(): Promise<void> {
    await this.#running;
  }

  async #kill(pause: number): Promise<void> {
    await wait(pause);
    this.#onKill();
    await this.#service.killAndRestart();
  }
}

const SILENCE_MILLISECONDS = 3000;
const LONGEST_SILENCE_SEARCH_MILLISECONDS = 60_000;
const MOST_LOOKS = 4;

/** Waits until nothing moves any more, ends the service and reads its record; while rows wait in it, starts it again. */
async function settle(service: Service, carrier: CountingCarrier, receiver: CountingReceiver) {
  for (let look = 1; ; look++) {
    await untilSilent(carrier, receiver);
    const today = new Date().toISOString().slice(0, 10);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const report: Report = await operate(
      service.url,
      "GET",
      `/websites/${WEBSITE}/report?from=${yesterday}&to=${today}`,
    );
    await service.kill();
    const record = readRecord(service.directory);
    const waits =
      record.messages.some(({ status, claimed }) => status === "PENDING_TO_SEND" && !claimed) ||
      record.events.some(({ due, attempted }) => due && !attempted);
    if (!waits || look === MOST_LOOKS) return { record, report };
    await service.start();
  }
}

async function untilSilent(carrier: CountingCarrier, receiver: CountingReceiver): Promise<void> {
  const started = performance.now();
  const quietFor = () => performance.now() - Math.max(started, carrier.lastSeen, receiver.lastSeen);
  while (quietFor() < SILENCE_MILLISECONDS || carrier.reporting > 0) {
    if (performance.now() - started > LONGEST_SILENCE_SEARCH_MILLISECONDS) return;
    await wait(50);
  }
}

interface Report {
  total: { accepted: number; sent: number; delivered: number; failed: Record<string, number> };
}

/** The report over HTTP says what the record and the carrier say. */
function reportFaults({ total }: Report, { messages }: ServiceRecord, carrier: CountingCarrier): string[] {
  const of = (...statuses: string[]) => messages.filter(({ status }) => statuses.includes(status)).length;
  const delivered = [...carrier.confirmed.values()].filter((type) => type === RECEIPT.delivered).length;
  const failed = [...carrier.confirmed.values()].filter((type) => type === RECEIPT.failed).length;
  const expected: [string, number, number][] = [
    ["accepted", total.accepted, messages.length],
    ["sent", total.sent, of("SENDING", "DELIVERED", "FAILED_TO_DELIVERY")],
    ["delivered", total.delivered, delivered],
    ["FAILED_TO_DELIVERY", total.failed.FAILED_TO_DELIVERY ?? 0, failed],
  ];
  return expected
    .filter(([, reported, counted]) => reported !== counted)
    .map(([name, reported, counted]) => `the report says ${name} ${reported}, counted ${counted}`);
}
