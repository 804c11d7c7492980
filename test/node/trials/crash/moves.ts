import { setTimeout as wait } from "node:timers/promises";
import { withDatabases } from "../../../../scripts/runtime.ts";
import { MOVE_STEPS } from "../../../../src/domain/move.ts";
import { drawn, drawnInteger } from "../../../random.ts";
import { type Answer, call, makeAgent } from "../../harness/call.ts";
import { CountingReceiver } from "../../harness/counting-receiver.ts";
import { accept, CountingCarrier, RECEIPT } from "../../harness/fake-kannel.ts";
import { type Bundle, Service, WEBHOOK_KEY } from "../../harness/killable-service.ts";
import { type Client, operate } from "../../harness/service.ts";
import { percentile } from "../../harness/statistics.ts";
import { phoneAt } from "./client.ts";
import { type Accepted, tallyMoves } from "./moves-record.ts";
import { untilSilent } from "./settle.ts";

export interface MovesOptions {
  bundle: Bundle;
  seed: number;
  kills: number;
  keep: boolean;
}

export interface MovesResult {
  figures: Record<string, number | string>;
  faults: string[];
}

const DATABASES = 3;
const WEBSITES = 20;
const PEOPLE = 400;
const WORKERS = 4;
const PAUSE_MILLISECONDS = 100;
/** The sweep takes up a move half a minute after its last work. */
const LONGEST_MOVE_MILLISECONDS = 120_000;
const LOOK_AGAIN_MILLISECONDS = 15;

interface Website {
  websiteId: string;
  sender: string;
  client: Client;
  /** Of the next message: each has a number of its own. */
  next: number;
  end: number;
}

/** Moves websites under load, kills the service at each step of a move, and holds what became of all against the record. */
export async function moves({ bundle, seed, kills, keep }: MovesOptions): Promise<MovesResult> {
  const delivered = { type: RECEIPT.delivered, afterMilliseconds: 30 };
  const carrier = new CountingCarrier(() => ({ takes: true, answer: accept, receipts: [delivered] }));
  await carrier.open();
  const receiver = await new CountingReceiver().open();
  const config = withDatabases(bundle.config, DATABASES);
  const service = await Service.start({ bundle: { ...bundle, config }, sendSmsUrl: carrier.url, keep });
  try {
    const websites: Website[] = [];
    for (let index = 0; index < WEBSITES; index++) websites.push(await makeWebsite(service, receiver, index));
    const load = new MoveLoad(service, websites, seed);
    const running = load.run();
    const killedAt: string[] = [];
    for (const [index, { websiteId }] of websites.entries()) {
      const step = index < kills ? MOVE_STEPS[(index + seed) % MOVE_STEPS.indexOf("clear")] : undefined;
      const pause = drawnInteger(...LAST_MILLISECONDS, seed, "kill pause", index);
      await moveOne(service, { websiteId, database: `DB_${2 + (index % 2)}` }, step, pause, (killed, at) => {
        killedAt.push(killed);
        carrier.giveAgain(at);
      });
    }
    load.stop();
    await running;
    await untilSilent(service, carrier, receiver);
    await service.kill();
    const { faults, figures } = tallyMoves(service.directory, load.accepted, carrier, receiver);
    return {
      figures: {
        ...{ ...figures, "killed at": killedAt.join(" "), "answered 5xx": load.refused, "broken off": load.broken },
        "write p99 ms": percentile(load.waits, 0.99).toFixed(0),
        "write longest ms": Math.max(...load.waits).toFixed(0),
      },
      faults: [...faults, ...(load.changedIds > 0 ? [`${load.changedIds} repetitions with a key got another id`] : [])],
    };
  } finally {
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
  await operate(service.url, "POST", `${path}/subscribers`, ["phone_numbers", ...rows].join("\n"));
  const client = await operate(service.url, "POST", `${path}/clients`, { callbackUrl: receiver.url });
  return { websiteId, sender, client: { url: service.url, ...client }, next, end };
}

/** The last steps take milliseconds: a kill at one of them comes so long after nearly all rows were compared. */
const LAST_MILLISECONDS = [50, 350] as const;
const LAST_STEPS = ["switch", "fence"];

/** @param onKill gets the step, with `!` where writes waited, and the time of the kill as performance.now() counts */
async function moveOne(
  service: Service,
  { websiteId, database }: { websiteId: string; database: string },
  killAt: string | undefined,
  pause: number,
  onKill: (step: string, at: number) => void,
): Promise<void> {
  const path = `/websites/${websiteId}/move`;
  await operate(service.url, "POST", path, { database });
  const deadline = performance.now() + LONGEST_MOVE_MILLISECONDS;
  let isDue = killAt !== undefined;
  while (performance.now() < deadline) {
    const { step, rowsCompared, rowsTotal } = await operate(service.url, "GET", path);
    const isBeyond = MOVE_STEPS.indexOf(step) >= MOVE_STEPS.indexOf(killAt as (typeof MOVE_STEPS)[number]);
    const isLast = LAST_STEPS.includes(killAt ?? "") && step === "check" && rowsCompared >= rowsTotal * 0.9;
    if (isDue && (isBeyond || isLast)) {
      if (isLast) await wait(pause);
      const at = performance.now();
      await service.killAndRestart();
      const found = await operate(service.url, "GET", path);
      onKill(found.isFenced ? `${found.step}!` : found.step, at);
      isDue = false;
    } else if (step === "kept") return;
    else if (step === "failed") throw new Error(`the move of ${websiteId} has failed`);
    await wait(LOOK_AGAIN_MILLISECONDS);
  }
  throw new Error(`the move of ${websiteId} does not end`);
}

/** Sends with keys, and STOPs, until it is told to stop; what is not answered well is repeated. */
class MoveLoad {
  readonly accepted = new Map<string, Accepted>();
  /** Milliseconds that answered writes took. */
  readonly waits: number[] = [];
  refused = 0;
  broken = 0;
  changedIds = 0;
  readonly #service: Service;
  readonly #websites: Website[];
  readonly #seed: number;
  readonly #agent = makeAgent(WORKERS);
  #isOver = false;

  constructor(service: Service, websites: Website[], seed: number) {
    this.#service = service;
    this.#websites = websites;
    this.#seed = seed;
  }

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: WORKERS }, (_, worker) => this.#work(worker)));
    this.#agent.destroy();
  }

  async #work(worker: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const website = this.#websites[drawnInteger(0, WEBSITES - 1, this.#seed, "website", worker, turn)] as Website;
      const message = website.next++;
      if (message >= website.end) continue;
      const isStopped = drawn(this.#seed, "stop", message) < 0.15;
      if (isStopped) await this.#stopPerson(website, message);
      const messageId = await this.#send(website, message);
      this.accepted.set(messageId, { websiteId: website.websiteId, phone: phoneAt(message), isStopped });
      if (drawn(this.#seed, "repeat", message) < 0.2 && (await this.#send(website, message)) !== messageId)
        this.changedIds++;
      await wait(PAUSE_MILLISECONDS);
    }
  }

  async #stopPerson({ sender }: Website, message: number): Promise<void> {
    const query = { key: WEBHOOK_KEY, id: `stop-${message}`, from: phoneAt(message), to: sender, text: "STOP" };
    await this.#untilTaken(`/carriers/kannel/inbound?${new URLSearchParams(query)}`, { method: "GET" });
  }

  async #send({ client }: Website, message: number): Promise<string> {
    const body = { phone: phoneAt(message), text: "Hello", callbackData: `${message}`, sendPurpose: "move" };
    const answer = await this.#untilTaken("/text/message/send", {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", "idempotency-key": `message-${message}` },
        ...{ "x-client-id": client.clientId, "x-client-secret": client.clientSecret },
      },
      body: JSON.stringify(body),
    });
    return (JSON.parse(answer.body) as { messageId: string }).messageId;
  }

  async #untilTaken(path: string, options: Parameters<typeof call>[2]): Promise<Answer> {
    for (;;) {
      await this.#service.up;
      const began = performance.now();
      try {
        const answer = await call(this.#agent, this.#service.url + path, options);
        if (answer.status < 300) {
          this.waits.push(performance.now() - began);
          return answer;
        }
        if (answer.status < 500 && answer.status !== 429) throw new Error(`${path}: ${answer.status} ${answer.body}`);
        this.refused++;
      } catch (error) {
        if (String(error).includes(path)) throw error;
        this.broken++;
      }
      await wait(PAUSE_MILLISECONDS);
    }
  }
}
