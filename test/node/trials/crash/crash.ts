import { setTimeout as wait } from "node:timers/promises";
import { drawn, drawnInteger } from "../../../random.ts";
import { CountingReceiver } from "../../harness/counting-receiver.ts";
import { accept, type Conduct, CountingCarrier, RECEIPT, type Submission } from "../../harness/fake-kannel.ts";
import { type Bundle, Service } from "../../harness/killable-service.ts";
import type { Client } from "../../harness/service.ts";
import { makeWebsite } from "./client.ts";
import { Load } from "./load.ts";
import { PACED_WEBSITE, PacedSenders } from "./paced.ts";
import { type PlannedRequest, planKills, planRequests } from "./plan.ts";
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

/** One request of so many is of the website whose senders have a pace. */
const ONE_IS_PACED_OF = 5;

/** The share of its messages that wait for their turns at a time: so its sends, and the kills among them, last as long as its texts. */
const WAITING_FOR_TURNS = 0.2;

/** Kills the service under load, again and again, and holds what became of every message against its record. */
export async function crash({ bundle, seed, messages, kills, keep }: CrashOptions): Promise<CrashResult> {
  const plans = planLoads(seed, messages);
  const senders = new PacedSenders(messagesOf(plans.paced).length);
  const waiting = { plain: new Set<string>(), paced: new Set<string>() };
  const carrier = new CountingCarrier((submission) => {
    if (!senders.takes(submission)) return BUSY;
    for (const ids of Object.values(waiting)) ids.delete(submission.messageId);
    return conductAt(seed, submission);
  });
  await carrier.open();
  const receiver = await new CountingReceiver().open();
  const service = await Service.start({ bundle, sendSmsUrl: carrier.url, keep });
  try {
    const website = { websiteId: WEBSITE, carrier: "kannel", messages: messagesOf(plans.plain) };
    const clients = {
      plain: await makeWebsite(service.url, website, receiver),
      paced: await senders.make(service.url, carrier.url, messagesOf(plans.paced)),
    };
    const killer = new Killer(service, seed, planMoments(seed, kills, plans), {
      onKill: () => {
        for (const ids of Object.values(waiting)) ids.clear();
      },
      onRestart: (killedAt) => carrier.giveAgain(killedAt),
    });
    const loads = LOADS.map((of) => {
      const most =
        of === "plain" ? MOST_WAITING : Math.min(MOST_WAITING, messagesOf(plans.paced).length * WAITING_FOR_TURNS);
      return makeLoad(of, clients[of], { service, carrier, killer, waiting: waiting[of], most });
    });
    await Promise.all(LOADS.map((of, index) => loads[index]?.run(plans[of])));
    await killer.done();
    const place = { service, websiteIds: [WEBSITE, PACED_WEBSITE] };
    const { record, reports } = await settle(place, carrier, receiver);
    const { figures, faults } = tally({ load: sumOf(loads), carrier, receiver }, record);
    return {
      figures: { ...figures, ...unknownOf(record, service.kills), ...answersOf(loads), ...senders.figures(carrier) },
      faults: [...faults, ...reportFaults(reports, record, carrier), ...senders.faults(carrier)],
      restarts: service.restarts,
    };
  } finally {
    await service.remove();
    await carrier.close();
    await receiver.close();
  }
}

const LOADS = ["plain", "paced"] as const;

/** The loads: each is of one website. */
type Of = (typeof LOADS)[number];

type Plans = Record<Of, PlannedRequest[]>;

function planLoads(seed: number, messages: number): Plans {
  const isPaced = (_: unknown, index: number) => index % ONE_IS_PACED_OF === 0;
  const plan = planRequests(seed, messages);
  return { plain: plan.filter((it, index) => !isPaced(it, index)), paced: plan.filter(isPaced) };
}

const messagesOf = (plan: PlannedRequest[]): number[] => plan.flatMap(({ messages }) => messages);

/** Half of the kills come among the messages of each load. */
const planMoments = (seed: number, kills: number, { plain, paced }: Plans): Record<Of, number[]> => ({
  plain: planKills(seed, Math.ceil(kills / 2), messagesOf(plain).length),
  paced: planKills(seed, Math.floor(kills / 2), messagesOf(paced).length),
});

interface Surroundings {
  service: Service;
  carrier: CountingCarrier;
  killer: Killer;
  /** Ids of messages that the carrier has not been given yet. */
  waiting: Set<string>;
  most: number;
}

function makeLoad(of: Of, client: Client, { service, carrier, killer, waiting, most }: Surroundings): Load {
  const load: Load = new Load({
    client,
    ready: async () => {
      while (waiting.size > most) await wait(10);
      await service.up;
    },
    onSent: (_, { messageId }) => {
      if (messageId && !carrier.takenById.has(messageId)) waiting.add(messageId);
      killer.note(of, load.sent.size);
    },
  });
  return load;
}

const sumOf = (loads: Load[]): Pick<Load, "sent" | "changedIds"> => ({
  sent: new Map(loads.flatMap(({ sent }) => [...sent])),
  changedIds: loads.flatMap(({ changedIds }) => changedIds),
});

function answersOf(loads: Load[]): Figures {
  const sum = (of: (status: number) => boolean) =>
    loads.flatMap(({ answers }) => [...answers]).reduce((all, [status, count]) => all + (of(status) ? count : 0), 0);
  return {
    "answered 5xx": sum((status) => status >= 500),
    "answered 429": sum((status) => status === 429),
    "broken off": loads.reduce((all, { broken }) => all + broken, 0),
  };
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

/** The gateway takes nothing of this account now. */
const BUSY: Conduct = {
  takes: false,
  receipts: [],
  answer: (response) => void response.writeHead(503).end("Temporal failure, try again later."),
};

interface KillHooks {
  onKill(): void;
  /** @param killedAt as performance.now() counts */
  onRestart(killedAt: number): void;
}

/** Kills the service at its moments, one after the other. */
class Killer {
  readonly #service: Service;
  readonly #seed: number;
  readonly #moments: Record<Of, number[]>;
  readonly #hooks: KillHooks;
  #running: Promise<void> = Promise.resolve();
  #killed = 0;

  /** @param moments numbers of answered messages of each load */
  constructor(service: Service, seed: number, moments: Record<Of, number[]>, hooks: KillHooks) {
    this.#service = service;
    this.#seed = seed;
    this.#moments = moments;
    this.#hooks = hooks;
  }

  /** @param answered messages of this load, so far */
  note(of: Of, answered: number): void {
    const moments = this.#moments[of];
    while (moments[0] !== undefined && moments[0] <= answered) {
      moments.shift();
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
