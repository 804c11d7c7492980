import { setTimeout as wait } from "node:timers/promises";
import { withDatabases } from "../../../../scripts/runtime.ts";
import { CountingReceiver } from "../../harness/counting-receiver.ts";
import { accept, CountingCarrier, RECEIPT } from "../../harness/fake-kannel.ts";
import { type Bundle, Service } from "../../harness/killable-service.ts";
import { operate, TOKEN } from "../../harness/service.ts";
import { percentile } from "../../harness/statistics.ts";
import { phoneAt } from "./client.ts";
import { MoveLoad, type Website } from "./moves-load.ts";
import { clearFaults, tallyMoves } from "./moves-record.ts";
import { untilReported, untilSilent } from "./settle.ts";

export interface MovesOptions {
  /** The bundle of test/workers/stops.ts. */
  bundle: Bundle;
  seed: number;
  keep: boolean;
}

export interface MovesResult {
  figures: Record<string, number | string>;
  faults: string[];
}

const DATABASES = 3;
/** Each seed has other points: with three of them, each is one at which the service is killed. */
const POINTS_A_SEED = 4;
/** One is moved without a kill, and one has its rows altered meanwhile. */
const WEBSITES = POINTS_A_SEED + 2;
const PEOPLE = 2000;
/** It waits for half a minute, and the sweep takes it up half a minute after its last work. */
const LONGEST_MOVE_MILLISECONDS = 240_000;
const LOOK_AGAIN_MILLISECONDS = 15;
const DAY_MILLISECONDS = 25 * 3_600_000;

/** As the operator sees it. */
interface Move {
  state: string;
  problem: string | null;
}

interface Stopped {
  isReached: boolean;
  points: string[];
}

/**
 * Moves websites under load, kills the service at each point of a move, alters a row on purpose, and holds what became of all
 * against the record.
 */
export async function moves({ bundle, seed, keep }: MovesOptions): Promise<MovesResult> {
  const delivered = { type: RECEIPT.delivered, afterMilliseconds: 30 };
  let load: MoveLoad | undefined;
  const carrier = new CountingCarrier((submission) => {
    load?.noteText(submission);
    return { takes: true, answer: accept, receipts: [delivered] };
  });
  await carrier.open();
  const receiver = await new CountingReceiver().open();
  const config = withDatabases(bundle.config, DATABASES);
  const service = await Service.start({ bundle: { ...bundle, config }, sendSmsUrl: carrier.url, keep });
  const trial = new MovesTrial(service, (at) => carrier.giveAgain(at));
  try {
    const websites: Website[] = [];
    for (let index = 0; index < WEBSITES; index++) websites.push(await makeWebsite(service, receiver, index));
    load = new MoveLoad(service, websites, seed);
    const running = load.run();
    const points = (await trial.ask()).points.filter((point) => !point.startsWith("clear"));
    for (const [index, { websiteId }] of websites.entries()) {
      const database = `DB_${2 + (index % 2)}`;
      const point = index < POINTS_A_SEED ? points[(seed * POINTS_A_SEED + index) % points.length] : undefined;
      if (index === WEBSITES - 1) await trial.alter(websiteId, database, points);
      else await trial.move(websiteId, database, point);
    }
    load.stop();
    await running;
    await untilSilent(service, carrier, receiver);
    await untilReported(
      service,
      websites.map(({ websiteId }) => websiteId),
    );
    await untilSilent(service, carrier, receiver);
    await service.kill();
    const { faults, figures } = tallyMoves(service, load, trial.killedAt, carrier, receiver);
    await trial.clear(websites);
    const p99 = percentile(load.waits, 0.99);
    return {
      figures: {
        ...{
          ...figures,
          "bulk requests": load.bulks,
          kills: trial.killedAt.length,
          ...trial.found,
        },
        ...{ "answered 5xx": load.refused, "broken off": load.broken },
        "write p99 ms": p99.toFixed(0),
        "write longest ms": Math.max(...load.waits).toFixed(0),
        "with repetitions while its website moved, longest ms": Math.max(...load.longWaits).toFixed(0),
      },
      faults: [
        ...faults,
        ...trial.faults,
        ...clearFaults(service.directory),
        ...(load.changedIds > 0 ? [`${load.changedIds} repetitions with a key got other ids`] : []),
      ],
    };
  } finally {
    load?.stop();
    await service.remove();
    await carrier.close();
    await receiver.close();
  }
}

async function makeWebsite(service: Service, receiver: CountingReceiver, index: number): Promise<Website> {
  const websiteId = `w${index}`;
  const sender = `+1212555${1000 + index}`;
  const path = `/websites/${websiteId}`;
  await operate(service.url, "PUT", path, { name: websiteId, carrier: "kannel", sender, database: "DB" });
  const [next, end] = [index * PEOPLE, (index + 1) * PEOPLE];
  const rows = Array.from({ length: PEOPLE }, (_, person) => phoneAt(next + person));
  await operate(service.url, "POST", `${path}/subscribers?everyone=subscribed`, ["phone_numbers", ...rows].join("\n"));
  const client = await operate(service.url, "POST", `${path}/clients`, { callbackUrl: receiver.url });
  return { websiteId, sender, client: { url: service.url, ...client }, next, end };
}

const isAtRest = ({ state }: Move) => ["done", "failed"].includes(state);

class MovesTrial {
  /** As performance.now() counts. */
  readonly killedAt: number[] = [];
  /** For each point, the state of the move once the service has started again. */
  readonly found: Record<string, string> = {};
  readonly faults: string[] = [];
  readonly #service: Service;
  readonly #onKill: (at: number) => void;

  constructor(service: Service, onKill: (at: number) => void) {
    this.#service = service;
    this.#onKill = onKill;
  }

  async ask(query: Record<string, string> = {}): Promise<Stopped> {
    const answer = await fetch(`${this.#service.url}/stop?${new URLSearchParams(query)}`);
    if (!answer.ok) throw new Error(`/stop: ${answer.status}`);
    return answer.json() as Promise<Stopped>;
  }

  /** @param point where the service is killed once */
  async move(websiteId: string, database: string, point: string | undefined): Promise<void> {
    if (point !== undefined) await this.ask({ at: point });
    await operate(this.#service.url, "POST", `/websites/${websiteId}/move`, { database });
    if (point !== undefined) {
      await this.#killWhereItStops(point);
      this.found[`killed at ${point}`] = (await this.#read(websiteId)).state;
    }
    const move = await this.#untilItRests(websiteId);
    if (move.state !== "done") this.faults.push(`the move of ${websiteId} has failed: ${move.problem}`);
  }

  /** Rows that are copied already are changed in the target: that the move must find, and copy them anew. */
  async alter(websiteId: string, database: string, points: string[]): Promise<void> {
    const at = points.find((point) => point.startsWith("copying: a page is stored")) as string;
    await this.ask({ at, alter: database, website: websiteId });
    await operate(this.#service.url, "POST", `/websites/${websiteId}/move`, { database });
    await this.#untilReached(at);
    let isFound = false;
    for (let move = await this.#read(websiteId); !isAtRest(move); move = await this.#read(websiteId)) {
      isFound ||= /^rows that differ in the target: subscriptions: \d+/.test(move.problem ?? "");
      await wait(LOOK_AGAIN_MILLISECONDS);
    }
    const { state } = await this.#read(websiteId);
    if (!isFound || state !== "done") this.faults.push(`altered rows were not found: ${state}`);
  }

  /** A day later, the old rows are deleted; the service is killed meanwhile, once. */
  async clear(websites: Website[]): Promise<void> {
    await this.#service.start();
    const point = (await this.ask()).points.at(-1) as string;
    await this.ask({ at: point, ahead: String(DAY_MILLISECONDS) });
    await this.#killWhereItStops(point);
    this.found[`killed at ${point}`] = "";
    await this.ask({ ahead: String(DAY_MILLISECONDS) });
    const deadline = performance.now() + LONGEST_MOVE_MILLISECONDS;
    for (const { websiteId } of websites) {
      const path = `${this.#service.url}/operator/websites/${websiteId}/move`;
      const headers = { authorization: `Bearer ${TOKEN}` };
      while ((await fetch(path, { headers })).status !== 404) {
        if (performance.now() > deadline) throw new Error(`what ${websiteId} has left behind is not cleared`);
        await wait(LOOK_AGAIN_MILLISECONDS * 10);
      }
    }
    await this.#service.kill();
  }

  async #killWhereItStops(point: string): Promise<void> {
    await this.#untilReached(point);
    const at = performance.now();
    this.killedAt.push(at);
    await this.#service.killAndRestart();
    this.#onKill(at);
  }

  async #untilReached(point: string): Promise<void> {
    const deadline = performance.now() + LONGEST_MOVE_MILLISECONDS;
    while (!(await this.ask()).isReached) {
      if (performance.now() > deadline) throw new Error(`the move never reaches the point: ${point}`);
      await wait(LOOK_AGAIN_MILLISECONDS);
    }
  }

  #read(websiteId: string): Promise<Move> {
    return operate(this.#service.url, "GET", `/websites/${websiteId}/move`);
  }

  async #untilItRests(websiteId: string): Promise<Move> {
    const deadline = performance.now() + LONGEST_MOVE_MILLISECONDS;
    for (;;) {
      const move = await this.#read(websiteId);
      if (isAtRest(move)) return move;
      if (performance.now() > deadline)
        throw new Error(`the move of ${websiteId} does not end: ${JSON.stringify(move)}`);
      await wait(LOOK_AGAIN_MILLISECONDS);
    }
  }
}
