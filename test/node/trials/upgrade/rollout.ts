import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Version } from "../../../../scripts/runtime.ts";
import type { ServiceState } from "../../../../src/domain/problems.ts";
import { drawn, drawnInteger } from "../../../random.ts";
import { CountingReceiver } from "../../harness/counting-receiver.ts";
import { accept, type Conduct, CountingCarrier, RECEIPT, type Submission } from "../../harness/fake-kannel.ts";
import { Service } from "../../harness/killable-service.ts";
import { operate } from "../../harness/service.ts";
import { makeWebsite } from "../crash/client.ts";
import { Load } from "../crash/load.ts";
import { planRequests } from "../crash/plan.ts";
import { type Report, reportFaults, settle } from "../crash/settle.ts";
import { type Figures, isUnknown, tally } from "../crash/tally.ts";
import type { Migrations } from "./previous.ts";

export interface RolloutOptions {
  previous: Version;
  present: Version;
  migrations: Migrations;
  seed: number;
  messages: number;
  keep: boolean;
}

export interface RolloutResult {
  figures: Figures;
  faults: string[];
}

const WEBSITE = "upgrade";

/** How many accepted messages may wait for the carrier. */
const MOST_WAITING = 300;

/** A step between two stretches of load. It runs while the load goes on. */
interface Step {
  name: string;
  run(service: Service): Promise<void>;
}

/** Odd seeds replace a version at rest, as a deploy does, so that nothing is unknown; even seeds kill it under load. */
const isCutOff = (seed: number) => seed % 2 === 0;

/**
 * Everything that an upgrade and a rollback bring about. While one version replaces the other, both run on the same stores,
 * and what one of them queues the other one takes. A rollback brings back the code and the bindings of a version; the
 * queues' consumers stay as they were deployed last.
 */
function planSteps({ previous, present, migrations, seed }: RolloutOptions, load: Gate): Step[] {
  const { queueConsumers } = present.config;
  const rolledBack = { ...previous, config: { ...previous.config, ...(queueConsumers ? { queueConsumers } : {}) } };
  const replace = (name: string, ...versions: [Version, Version?]): Step => ({
    name,
    run: (service) => load.replace(service, isCutOff(seed), versions),
  });
  return [
    { name: "migrate", run: (service) => service.migrate(migrations.added) },
    replace("new consumer", previous, present),
    replace("new", present),
    replace("old consumer", present, rolledBack),
    replace("rolled back", rolledBack),
  ];
}

interface GateOutside {
  /** How long nothing has reached the carrier or the endpoint; milliseconds. */
  quietFor(): number;
  /** @param killedAt as performance.now() counts */
  onRestart(killedAt: number): void;
}

/** Holds the service's load back where a version is replaced at rest. */
class Gate {
  readonly #waiting = new Set<string>();
  readonly #outside: GateOutside;
  #open = Promise.withResolvers<void>();
  #isShut = false;

  constructor(outside: GateOutside) {
    this.#outside = outside;
  }

  note(messageId: string): void {
    this.#waiting.add(messageId);
  }

  taken(messageId: string): void {
    this.#waiting.delete(messageId);
  }

  async pass(service: Service): Promise<void> {
    while (this.#isShut || this.#waiting.size > MOST_WAITING) await (this.#isShut ? this.#open.promise : wait(10));
    await service.up;
  }

  /** As a deploy does: what runs may end, and what waits, waits for the other version; or, as an outage would, at once. */
  async replace(service: Service, isCutOff: boolean, versions: [Version, Version?]): Promise<void> {
    service.use(...versions);
    if (isCutOff) {
      this.#waiting.clear();
      return this.#restart(service);
    }
    this.#isShut = true;
    const started = performance.now();
    const quietFor = () => Math.min(this.#outside.quietFor(), performance.now() - started);
    while (quietFor() < QUIET_MILLISECONDS || (await isSubmitting(service))) {
      if (performance.now() - started > LONGEST_REST_MILLISECONDS) throw new Error("the service does not come to rest");
      await wait(10);
    }
    await this.#restart(service);
    this.#isShut = false;
    this.#open.resolve();
    this.#open = Promise.withResolvers<void>();
  }

  async #restart(service: Service): Promise<void> {
    const killedAt = performance.now();
    await service.killAndRestart();
    this.#outside.onRestart(killedAt);
  }
}

/** On a busy machine, more than silence may lie between a claim and its submission. */
async function isSubmitting({ url }: Service): Promise<boolean> {
  const { messages }: ServiceState = await operate(url, "GET", "/health");
  return messages.claimed.count !== 0;
}

/** Longer than receipts wait for each other in their queue. */
const QUIET_MILLISECONDS = 1500;
const LONGEST_REST_MILLISECONDS = 30_000;

/** One upgrade and rollback under load, and what became of every message. What goes wrong on the way is a fault, too. */
export async function rollOut(options: RolloutOptions): Promise<RolloutResult> {
  const { previous, present, migrations, seed, messages, keep } = options;
  const carrier = new CountingCarrier((submission) => {
    gate.taken(submission.messageId);
    return conductAt(seed, submission, carrier);
  });
  await carrier.open();
  const receiver = await new CountingReceiver().open();
  const gate = new Gate({
    quietFor: () => performance.now() - Math.max(carrier.lastSeen, receiver.lastSeen),
    onRestart: (killedAt) => carrier.giveAgain(killedAt),
  });
  const bundle = { ...previous, remove: () => {} };
  const service = await Service.start({ bundle, sendSmsUrl: carrier.url, keep, migrations: migrations.previous });
  try {
    const all = Array(messages).keys();
    const client = await makeWebsite(service.url, { websiteId: WEBSITE, carrier: "kannel", messages: all }, receiver);
    const steps = new Steps(service, planSteps(options, gate), messages);
    const load: Load = new Load({
      client,
      ready: () => gate.pass(service),
      onSent: (_, { messageId }) => {
        if (messageId && !carrier.takenById.has(messageId)) gate.note(messageId);
        steps.note(load.sent.size);
      },
    });
    await Promise.race([load.run(planRequests(seed, messages)), steps.failed, tooLate()]);
    await steps.done();
    const { record, report } = await settle({ service, websiteId: WEBSITE }, carrier, receiver);
    const { figures, faults } = tally({ load, carrier, receiver }, record);
    const unexplained = record.messages.filter(isUnknown).filter(({ claimedAt }) => !wasCutOff(claimedAt, service));
    return {
      figures: { ...figures, "killed under load": isCutOff(seed) ? service.kills.length - 1 : 0 },
      faults: [
        ...faults,
        ...reportFaults(report, record, carrier),
        ...unexplained.map(({ messageId }) => `${messageId}: outcome unknown, although nothing cut it off`),
        ...(await forwardFaults(service, present, report)),
        ...errorsLogged(service),
      ],
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause ? `: ${error.cause}` : "";
    return { figures: {}, faults: [`${error}${cause}`, ...errorsLogged(service)] };
  } finally {
    await service.remove();
    await carrier.close();
    await receiver.close();
  }
}

const LONGEST_LOAD_MILLISECONDS = 120_000;

/** A client asks again for as long as it is answered 5xx: a version that cannot work at all would never be done. */
async function tooLate(): Promise<never> {
  await wait(LONGEST_LOAD_MILLISECONDS, undefined, { ref: false });
  throw new Error(`the load has not ended after ${LONGEST_LOAD_MILLISECONDS / 1000} seconds`);
}

/** How long a claim may have been there when a kill cut its run off: the carrier is slow to answer some. */
const LONGEST_CUT_OFF_MILLISECONDS = 1000;

function wasCutOff(claimedAt: number | null, { kills }: Service): boolean {
  return kills.some(
    (kill) => claimedAt !== null && claimedAt <= kill && kill - claimedAt < LONGEST_CUT_OFF_MILLISECONDS,
  );
}

/** The new version, once more, on what the previous one has left: it must count the same, whatever else it counts. */
async function forwardFaults(service: Service, present: Version, before: Report): Promise<string[]> {
  service.use(present);
  await service.start();
  const days = `from=${dayBefore(1)}&to=${dayBefore(0)}`;
  const after: Report = await operate(service.url, "GET", `/websites/${WEBSITE}/report?${days}`);
  const known = Object.keys(before.total) as (keyof Report["total"])[];
  const [counted, recounted] = [before, after].map(({ total }) => JSON.stringify(known.map((name) => total[name])));
  return counted === recounted ? [] : [`the previous version reports ${counted}, the new one ${recounted}`];
}

/** The sweep makes up for a job that a version cannot read, and the client asks again: both would hide it. */
function errorsLogged({ directory }: Service): string[] {
  const log = readFileSync(join(directory, "service.log"), "utf8");
  const errors = log.split("\n").filter((line) => line.includes('"level":"error"'));
  const byEvent = Map.groupBy(errors, (line) => /"event":"([^"]+)"/.exec(line)?.[1]);
  return [...byEvent].map(([event, [first, ...others]]) => `${others.length + 1} times ${event} in the log: ${first}`);
}

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** Runs the steps one after the other, evenly over the load. */
class Steps {
  readonly #service: Service;
  readonly #left: { step: Step; at: number }[];
  #running: Promise<void> = Promise.resolve();
  readonly #failure = Promise.withResolvers<never>();
  /** Rejects when a step fails: the load may then wait for ever. */
  readonly failed = this.#failure.promise;

  constructor(service: Service, steps: Step[], messages: number) {
    this.#service = service;
    this.#left = steps.map((step, index) => ({ step, at: Math.floor((messages * (index + 1)) / (steps.length + 1)) }));
  }

  /** @param answered messages, so far */
  note(answered: number): void {
    for (const { step } of this.#left.filter(({ at }) => at <= answered)) {
      this.#left.shift();
      this.#running = this.#running.then(() => step.run(this.#service));
      this.#running.catch((error) => this.#failure.reject(new Error(`${step.name} failed`, { cause: error })));
    }
  }

  done(): Promise<void> {
    return this.#running;
  }
}

/** Most texts are taken at once. Some are put off and some reported late: they meet the version that comes next. */
function conductAt(seed: number, { phone, messageId }: Submission, carrier: CountingCarrier): Conduct {
  if (drawn(seed, "put off", phone) < 0.04 && carrier.askedById.get(messageId) === 1) {
    return { takes: false, receipts: [], answer: (response) => void response.writeHead(503).end("Try again") };
  }
  const value = drawn(seed, "receipts", phone);
  const isLate = drawn(seed, "late receipt", phone) < 0.2;
  const afterMilliseconds = drawnInteger(0, isLate ? 6000 : 100, seed, "receipt delay", phone);
  const final = { type: value < 0.05 ? RECEIPT.failed : RECEIPT.delivered, afterMilliseconds };
  const receipts =
    value > 0.96 ? [] : value < 0.75 ? [final] : [{ type: RECEIPT.sending, afterMilliseconds: 0 }, final];
  return { takes: true, receipts, answer: accept };
}
