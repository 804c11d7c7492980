import type { OutboundMessage, Submission } from "../../src/carriers/carrier.ts";
import type { Row } from "../../src/store/database.ts";
import { Random } from "../random.ts";
import { type Binding, Injector } from "./injector.ts";
import type { Entry } from "./queues.ts";
import { type Scene, Stage, type Wish } from "./stage.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const PEOPLE = 12;

/** A message's way through the carrier, as it was drawn. */
interface Journey {
  submission: Submission["kind"] | "broken";
  /** Final receipts that were answered with 200. Their queue has no order. */
  received: string[];
}

type Weather = "clear" | "windy" | "storm";

/** How likely a call fails. */
const CHANCES: Record<Weather, number> = { clear: 0, windy: 0.1, storm: 0.1 };

interface DueReceipt {
  messageId: string;
  status: "SENDING" | "DELIVERED" | "FAILED_TO_DELIVERY";
}

/**
 * Hours of a service's life, drawn from a seed: texts come in, queues deliver twice, out of order, hours late or never,
 * receipts come before, while and after an outcome is stored, people say STOP and START, and sweeps run in between.
 */
export class Schedule {
  readonly stage: Stage;
  readonly scene: Scene;
  readonly journeys = new Map<string, Journey>();
  /** Ids that were submitted later than a carrier may be asked. */
  readonly late: string[] = [];
  readonly isStormy: boolean;
  readonly counts = { duplicated: 0, delayed: 0, dropped: 0, "during a submission": 0, receipts: 0, STOP: 0 };
  readonly #random: Random;
  readonly #people: string[];
  readonly #receipts: DueReceipt[] = [];
  /** What happens while carriers have not answered yet: none answers before it has ended. */
  #meanwhile: Promise<void> | undefined;
  #weather: Weather = "clear";
  #broken: Binding = "D1";

  private constructor(stage: Stage, seed: number, isStormy: boolean) {
    this.stage = stage;
    this.isStormy = isStormy;
    this.scene = stage.scene("a random schedule");
    this.#random = new Random(seed);
    this.#people = Array.from({ length: PEOPLE }, () => stage.person().phone);
    for (const phone of this.#people) stage.outside.behaviours.set(phone, (message) => this.#submit(message));
  }

  /** @param isStormy whether bindings fail meanwhile */
  static async create(seed: number, isStormy: boolean): Promise<Schedule> {
    return new Schedule(await Stage.create(PEOPLE), seed, isStormy);
  }

  async run(steps: number): Promise<void> {
    const injector = new Injector(undefined, (binding) => this.#draw(binding));
    if (this.isStormy) this.stage.world.deps = injector.wrap(this.stage.deps);
    for (let step = 0; step < steps; step++) await this.#step();
    injector.mend();
    await this.stage.recover();
    while (this.#receipts.length > 0) await this.#bringReceipt();
    // What is late comes at last, when nothing waits for it any more.
    for (const seconds of [7 * HOUR, 24 * HOUR, 61, 61]) await this.stage.pass(seconds);
  }

  async #step(): Promise<void> {
    if (this.isStormy) this.#changeWeather();
    const kind = this.#random.weighted({
      send: 30,
      deliver: 34,
      receipt: 16,
      sweep: 10,
      pass: 20,
      person: 5,
      repeat: 6,
    });
    switch (kind) {
      case "send":
        return this.#send();
      case "deliver":
        return this.#deliver();
      case "receipt":
        return this.#bringReceipt();
      case "sweep":
        return this.stage.world.sweep();
      case "pass":
        return this.#pass();
      case "person":
        return this.#personSays();
      case "repeat":
        return this.scene.repeat();
    }
  }

  /** Now and then every second call fails, and at times nearly all calls of one binding do. */
  #changeWeather(): void {
    if (this.#random.chance(0.7)) return;
    this.#weather = this.#random.weighted({ clear: 5, windy: 3, storm: 2 });
    this.#broken = this.#random.pick(["D1", "D1", "KV", "limiter", "messages", "callbacks", "receipts"]);
  }

  #draw(binding: Binding): "before" | "after" | undefined {
    const chance = this.#weather === "storm" && binding === this.#broken ? 0.9 : CHANCES[this.#weather];
    return this.#random.chance(chance) ? this.#random.pick(["before", "after"]) : undefined;
  }

  #pass(): void {
    const seconds = { soon: 10, minutes: 2 * MINUTE, "many minutes": 20 * MINUTE, hours: 5 * HOUR };
    const longest = seconds[this.#random.weighted({ soon: 5, minutes: 6, "many minutes": 2, hours: 1 })];
    this.stage.world.advance(this.#random.between(1, longest));
  }

  async #send(): Promise<void> {
    const { scene } = this;
    const drawn = this.#random.weighted({ one: 4, keyed: 3, stranger: 1, many: 3 });
    // While bindings fail, what a client repeats without a key may go out twice: outages.test.ts is about that.
    const kind = this.isStormy ? "keyed" : drawn;
    if (kind === "many") return scene.sendAll(Array.from({ length: this.#random.between(2, 15) }, () => this.#wish()));
    if (kind === "stranger") {
      await scene.send({ wish: scene.wish(this.stage.stranger(), "NOT_FOUND") });
    } else {
      const headers: Record<string, string> = kind === "keyed" ? { "idempotency-key": crypto.randomUUID() } : {};
      const wish = await scene.send({ wish: this.#wish(), headers });
      if (kind === "keyed" && this.#random.chance(0.5)) await scene.send({ wish, headers });
    }
  }

  #wish(): Wish {
    return this.scene.wish(this.#random.pick(this.#people), "whatever is right");
  }

  /** Some of what the queues hold, be it due or late, in any order. */
  async #deliver(): Promise<void> {
    const { queues, world } = this.stage;
    const taken = this.#random.shuffle(queues.takeDue().filter((entry) => this.#keep(entry)));
    for (const queue of ["receipts", "messages", "bulk", "callbacks"] as const) {
      const own = taken.filter((entry) => entry.queue === queue);
      while (own.length > 0) {
        const batch = own.splice(0, this.#random.between(1, 100));
        await queues.deliver(world.deps, queue, batch);
        await world.afterAnswer();
      }
    }
  }

  /** Whether an entry is delivered now; it may come again as well, or later, or never. */
  #keep(entry: Entry): boolean {
    const { queues, world } = this.stage;
    const again = () => queues.entries.push({ ...entry, at: world.now + this.#random.between(0, 6 * HOUR) * 1000 });
    // Nothing makes up for a receipt that was answered: its queue keeps what it has confirmed. Other jobs stand in the store.
    const never = entry.queue === "receipts" ? 0 : 6;
    const fate = this.#random.weighted({ now: 70, twice: 14, later: 10, never });
    if (fate === "twice") this.counts.duplicated++;
    if (fate === "later") this.counts.delayed++;
    if (fate === "never") this.counts.dropped++;
    if (fate === "twice" || fate === "later") again();
    return fate === "now" || fate === "twice";
  }

  async #submit(message: OutboundMessage): Promise<Submission> {
    const { messageId } = message;
    const kind = this.#random.weighted({ accepted: 60, refused: 8, later: 18, unknown: 7, broken: 7 });
    await this.#checkInTime(messageId);
    this.journeys.set(messageId, { submission: kind, received: this.journeys.get(messageId)?.received ?? [] });
    const isTaken = kind === "accepted" || ((kind === "unknown" || kind === "broken") && this.#random.chance(0.6));
    if (isTaken) this.#planReceipts(messageId);
    if (this.#meanwhile === undefined && this.#random.chance(0.3)) {
      this.#meanwhile = this.#happen(messageId).finally(() => {
        this.#meanwhile = undefined;
      });
    }
    await this.#meanwhile;
    switch (kind) {
      case "broken":
        throw new Error("Network connection lost.");
      case "accepted":
        return { kind, carrierMessageId: `c-${messageId}` };
      case "later": {
        const seconds = this.#random.between(1, 2 * HOUR);
        return { kind, reason: "busy", ...(this.#random.chance(0.5) ? { retryAfterSeconds: seconds } : {}) };
      }
      default:
        return { kind, reason: "drawn" };
    }
  }

  async #checkInTime(messageId: string): Promise<void> {
    const { world } = this.stage;
    const [row] = await world.rows("SELECT accepted_at FROM messages WHERE message_id = ?1", messageId);
    // A run of the consumer may last 15 minutes from its claim on.
    if (world.now - Number(row?.accepted_at) > (4 * HOUR + 15 * MINUTE) * 1000) this.late.push(messageId);
  }

  #planReceipts(messageId: string): void {
    if (this.#random.chance(0.15)) return;
    const end = this.#random.chance(0.8) ? ("DELIVERED" as const) : ("FAILED_TO_DELIVERY" as const);
    const other = this.#random.chance(0.1) ? [this.#random.pick(["DELIVERED", "FAILED_TO_DELIVERY"] as const)] : [];
    const again = this.#random.chance(0.3) ? [end] : [];
    const sent = this.#random.chance(0.5) ? (["SENDING"] as const) : [];
    this.#receipts.push(...[...sent, end, ...again, ...other].map((status) => ({ messageId, status })));
    this.#random.shuffle(this.#receipts);
  }

  /** Something, for as long as the carriers take. */
  async #happen(messageId: string): Promise<void> {
    this.counts["during a submission"]++;
    const { stage } = this;
    const kind = this.#random.weighted({ receipt: 4, job: 3, sweep: 2, person: 3, slow: 1 });
    if (kind === "receipt") await this.#bringReceipt(messageId);
    if (kind === "job") {
      const body = { kind: "deliver", messageIds: [messageId] };
      const job: Entry = { queue: "messages", body, at: stage.world.now, attempts: 2 };
      await stage.queues.deliver(stage.world.deps, "messages", [job]);
    }
    if (kind === "sweep") await stage.world.sweep();
    stage.world.advance(this.#random.between(2, 25));
    if (kind === "person") await this.#personSays();
    stage.world.advance(this.#random.between(2, 5));
  }

  async #bringReceipt(messageId?: string): Promise<void> {
    const index = messageId === undefined ? 0 : this.#receipts.findIndex((receipt) => receipt.messageId === messageId);
    const [receipt] = index < 0 ? [] : this.#receipts.splice(index, 1);
    if (!receipt) return;
    this.counts.receipts++;
    await this.scene.receipts([receipt]);
    if (receipt.status !== "SENDING") this.journeys.get(receipt.messageId)?.received.push(receipt.status);
  }

  async #personSays(): Promise<void> {
    const phone = this.#random.pick(this.#people);
    const word = this.#random.chance(0.5) ? "STOP" : "START";
    if (word === "STOP") this.counts.STOP++;
    await this.scene.text(phone, word);
  }

  /** @returns what a message has come to and should not have */
  judge(message: Row): string | undefined {
    const { status, reason } = message;
    // A run whose claim or outcome the store did not take leaves it open whether it has submitted the message.
    if (this.isStormy && `${reason}`.includes("outcome unknown")) return undefined;
    const journey = this.journeys.get(String(message.message_id));
    const concluded = journey && journey.submission !== "later" ? journey : undefined;
    if (!concluded) return NEVER_SUBMITTED.test(`${status} ${reason}`) ? undefined : "never submitted";
    const expected = expectedStatuses(concluded);
    return expected.includes(String(status)) ? undefined : `${JSON.stringify(journey)}, expected ${expected}`;
  }
}

const NEVER_SUBMITTED = /^(NOT_FOUND|NOT_SUBSCRIBED|FAILED_TO_SEND the carrier could not take it in time)/;

/** A final word counts; without one, the deadline. */
function expectedStatuses({ submission, received }: Journey): string[] {
  if (submission === "refused") return ["FAILED_TO_SEND"];
  return received.length > 0 ? received : ["FAILED_TO_DELIVERY"];
}
