import { setTimeout as wait } from "node:timers/promises";
import { drawn, drawnInteger } from "../../../random.ts";
import { CountingReceiver } from "../../harness/counting-receiver.ts";
import { accept, type Conduct, CountingCarrier, RECEIPT, type Submission } from "../../harness/fake-kannel.ts";
import { type Bundle, Service } from "../../harness/killable-service.ts";
import { makeWebsite } from "./client.ts";
import { Load } from "./load.ts";
import { planKills, planRequests } from "./plan.ts";
import type { ServiceRecord } from "./record.ts";
import { reportFaults, settle } from "./settle.ts";
import { type Figures, isUnknown, type Tally, tally } from "./tally.ts";

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
    const killer = new Killer(service, seed, planKills(seed, kills, messages), {
      onKill: () => waiting.clear(),
      onRestart: (killedAt) => carrier.giveAgain(killedAt),
    });
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
    const { record, report } = await settle({ service, websiteId: WEBSITE }, carrier, receiver);
    const { figures, faults } = tally({ load, carrier, receiver }, record);
    return {
      figures: { ...figures, ...unknownOf(record, service.kills), ...answersOf(load) },
      faults: [...faults, ...reportFaults(report, record, carrier)],
      restarts: service.restarts,
    };
  } finally {
    await service.remove();
    await carrier.close();
    await receiver.close();
  }
}

function answersOf({ answers, broken }: Load): Figures {
  const serverErrors = [...answers].filter(([status]) => status >= 500).reduce((sum, [, count]) => sum + count, 0);
  return { "answered 5xx": serverErrors, "answered 429": answers.get(429) ?? 0, "broken off": broken };
}

/**
 * A kill ends several runs of the service, each of which has one claim.
 * @param kills in milliseconds since 1970: what a kill has cut off was claimed after the kill before it
 */
function unknownOf({ messages }: ServiceRecord, kills: number[]): Figures {
  const claims = messages.filter(isUnknown).map(({ claimedAt }) => claimedAt ?? 0);
  const most = (groups: Map<number, number[]>) => Math.max(0, ...[...groups.values()].map(({ length }) => length));
  return {
    "unknown of one kill, most": most(Map.groupBy(claims, (claimedAt) => kills.findIndex((kill) => claimedAt <= kill))),
    "unknown of one claim, most": most(Map.groupBy(claims, (claimedAt) => claimedAt)),
  };
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

interface KillHooks {
  onKill(): void;
  /** @param killedAt as performance.now() counts */
  onRestart(killedAt: number): void;
}

/** Kills the service at its moments, one after the other. */
class Killer {
  readonly #service: Service;
  readonly #seed: number;
  readonly #moments: number[];
  readonly #hooks: KillHooks;
  #running: Promise<void> = Promise.resolve();
  #killed = 0;

  /** @param moments numbers of answered messages */
  constructor(service: Service, seed: number, moments: number[], hooks: KillHooks) {
    this.#service = service;
    this.#seed = seed;
    this.#moments = moments;
    this.#hooks = hooks;
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
    this.#hooks.onKill();
    const killedAt = performance.now();
    await this.#service.killAndRestart();
    this.#hooks.onRestart(killedAt);
  }
}
