// Texts to people in many places, under sending hours that change. What reaches the carrier is held to the rules as the trial knows them.
import fc from "fast-check";
import { expect } from "vitest";
import type { OutboundMessage, Submission } from "../../../src/carriers/carrier.ts";
import type { SendingHours } from "../../../src/domain/messages/sending-hours.ts";
import { CANDIDATES, type Candidates, isOpenByHand } from "../../domain/messages/hours-oracle.ts";
import { failingDatabase } from "../../failing-database.ts";
import { platform } from "../../strict/platform.ts";
import { ToldCarrier } from "../../told-carrier.ts";
import { SEND, type TestClient, World } from "../../world.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Two zones of the same state, one without summer time, narrow states, an island, toll-free, and two countries abroad. */
const PEOPLE = ["+1212", "+1415", "+1602", "+1850", "+1504", "+1401", "+1808", "+1800", "+44", "+61"].map(
  (beginning) => ({
    phone: `${beginning}${"2345678".padEnd(beginning === "+44" ? 10 : beginning === "+61" ? 9 : 7, "9")}`,
    candidates: CANDIDATES[beginning] as Candidates,
  }),
);
export const [ADA = "", LEA = ""] = PEOPLE.map(({ phone }) => phone);

const WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const custom = (from: string, until: string, whenClosed: SendingHours["whenClosed"]): SendingHours => ({
  ...{ profile: "custom", windows: [{ days: [...WEEK], from, until }], whenClosed },
});

const settings = fc.constantFrom<SendingHours | null>(
  null,
  { profile: "us-strict", whenClosed: "delay" },
  { profile: "us-strict", whenClosed: "refuse" },
  custom("09:00", "09:10", "delay"),
  custom("22:00", "02:00", "delay"),
  custom("08:00", "20:00", "refuse"),
);

const answers = fc.oneof(
  fc.constant<Submission>({ kind: "accepted", carrierMessageId: "c" }),
  fc.integer({ min: 1, max: 3 * 3600 }).map<Submission>((retryAfterSeconds) => ({
    ...{ kind: "later", reason: "busy", retryAfterSeconds },
  })),
  fc.constant<Submission>({ kind: "later", reason: "away", failing: "carrier" }),
);

const send = fc.record({
  person: fc.constantFrom("ada@example.com", ...PEOPLE.map(({ phone }) => phone)),
  isMarketing: fc.boolean(),
  /** From then. */
  sendsIn: fc.option(fc.integer({ min: 1, max: 30 * HOUR })),
  expiresIn: fc.option(fc.integer({ min: 1, max: 48 * HOUR }), { freq: 2 }),
  timeZone: fc.option(fc.constantFrom("America/Chicago", "Pacific/Honolulu"), { freq: 2 }),
});

export const step = fc.oneof(
  { weight: 4, arbitrary: send.map((send) => ({ kind: "send" as const, send })) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 10 * HOUR }).map((passes) => ({ kind: "time" as const, passes })) },
  { weight: 1, arbitrary: fc.constantFrom(-HOUR, HOUR).map((passes) => ({ kind: "time" as const, passes })) },
  { weight: 2, arbitrary: settings.map((hours) => ({ kind: "hours" as const, hours })) },
  { weight: 2, arbitrary: answers.map((answer) => ({ kind: "carrier" as const, answer })) },
  { weight: 1, arbitrary: fc.constantFrom(ADA, LEA).map((phone) => ({ kind: "address" as const, phone })) },
  { weight: 5, arbitrary: fc.constantFrom(null, "before", "after").map((fault) => ({ kind: "run" as const, fault })) },
);

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Some hours before or after a change of a clock, or at any other time. */
export const start = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 10, 22), max: Date.UTC(2029, 10, 1) }),
  fc
    .tuple(fc.constantFrom("2027-03-14", "2027-11-07", "2028-03-26"), fc.integer({ min: -30 * HOUR, max: 12 * HOUR }))
    .map(([day, distance]) => Date.parse(day) + distance),
);

interface Sent {
  isMarketing: boolean;
  timeZone: string | null;
  notBefore: number;
  expiresAt: number;
}

export class Trial {
  readonly #world: World;
  readonly #client: TestClient;
  readonly #sent = new Map<string, Sent>();
  readonly #submitted = new Set<string>();
  readonly #faults: string[] = [];
  #hours: SendingHours | null = null;
  #answer: Submission = { kind: "accepted", carrierMessageId: "c" };

  private constructor(world: World, client: TestClient) {
    this.#world = world;
    this.#client = client;
    new ToldCarrier(world).answer = (message) => this.#submit(message);
  }

  static async begin(at: number): Promise<Trial> {
    const world = await World.create();
    const client = await world.brand([`${ADA},ada@example.com`, ...PEOPLE.slice(1).map(({ phone }) => phone)]);
    world.now = at;
    return new Trial(world, client);
  }

  /** Holds what the carrier gets to the rules, as the test knows them. What it throws would count as an unknown outcome. */
  #submit({ messageId, to, validSeconds = 0 }: OutboundMessage): Submission {
    const { now } = this.#world;
    const sent = this.#sent.get(messageId) as Sent;
    const hold = (isHeld: boolean, fault: string) =>
      isHeld ||
      this.#faults.push(`${fault}: ${to}, ${new Date(now).toISOString()}, ${JSON.stringify([sent, this.#hours])}`);
    hold(!this.#submitted.has(messageId), "again");
    hold(now >= sent.notBefore, "early");
    hold(now < sent.expiresAt, "late");
    if (sent.isMarketing && this.#hours !== null) {
      hold(this.#isOpen(to, sent, now), "closed");
      // The last whole second for which it is valid is open, too.
      if (validSeconds > 1)
        hold(this.#isOpen(to, sent, now + (validSeconds - 1) * 1000), `valid for ${validSeconds} s`);
    }
    if (this.#answer.kind === "accepted") this.#submitted.add(messageId);
    return this.#answer;
  }

  #isOpen(to: string, { timeZone }: Sent, at: number): boolean {
    const { candidates = [] } = PEOPLE.find(({ phone }) => phone === to) ?? {};
    const places = candidates.map(
      ([zone, state]): Candidates[number] => [timeZone ?? zone, ...(state ? [state] : [])] as Candidates[number],
    );
    return isOpenByHand(this.#hours?.profile === "custom" ? (this.#hours.windows ?? []) : null, places, at);
  }

  /** How many texts the carrier has taken. */
  get submitted(): number {
    return this.#submitted.size;
  }

  async take(step: Step): Promise<void> {
    // KV takes a key once a second: here the clock stands still between two changes, and jumps back.
    platform.keyWrites.clear();
    switch (step.kind) {
      case "send":
        return this.#send(step.send);
      case "time":
        this.#world.now += step.passes;
        return;
      case "hours":
        this.#hours = step.hours;
        await this.#world.website("brand", { sendingHours: step.hours });
        return;
      case "carrier":
        this.#answer = step.answer;
        return;
      case "address":
        await this.#world.subscribers("brand", [`${step.phone},ada@example.com`]);
        return;
      case "run":
        return this.run(step.fault);
    }
  }

  async #send({
    person,
    isMarketing,
    sendsIn,
    expiresIn,
    timeZone,
  }: typeof send extends fc.Arbitrary<infer T> ? T : never) {
    const { now } = this.#world;
    const earliest = now + (sendsIn ?? 0);
    const time = (at: number) => new Date(at).toISOString();
    const fields = {
      ...SEND,
      ...(person.includes("@") ? { email: person } : { phone: person }),
      kind: isMarketing ? "marketing" : "transactional",
      ...(sendsIn === null ? {} : { sendAt: time(earliest) }),
      ...(expiresIn === null ? {} : { expireAt: time(earliest + expiresIn) }),
      timeZone,
    };
    const answer = await this.#world.post("/text/message/send", this.#client, fields);
    expect(answer.status).toBe(200);
    const { messageId, scheduledFor } = await answer.json<{ messageId: string; scheduledFor?: string }>();
    const notBefore = scheduledFor === undefined ? earliest : Date.parse(scheduledFor);
    const expiresAt = expiresIn === null ? Number.POSITIVE_INFINITY : earliest + expiresIn;
    this.#sent.set(messageId, { isMarketing, timeZone, notBefore, expiresAt });
  }

  /** @param fault of one call of the store */
  async run(fault: "before" | "after" | null): Promise<void> {
    const { deps } = this.#world;
    if (fault) this.#world.deps = { ...deps, db: failingDatabase(deps.db, 1, fault) };
    await this.#world.sweep();
    this.#world.deps = deps;
    await this.#world.runQueues();
    expect(this.#faults).toEqual([]);
  }

  /** Lets time pass until each text has gone or has ended. A carrier that never answers keeps none of them for good. */
  async end(): Promise<void> {
    const latest = this.#world.now + 20 * DAY;
    for (let left = await this.#left(); left !== null && this.#world.now < latest; left = await this.#left()) {
      this.#world.now = Math.max(this.#world.now + 20 * MINUTE, left - 2 * MINUTE);
      await this.run(null);
    }
    expect(await this.#left(), "waits for good").toBe(null);
  }

  /** When the next one is due; null: none waits. */
  async #left(): Promise<number | null> {
    const [row] = await this.#world.rows(
      "SELECT min(coalesce(due_at, send_at)) AS at FROM messages WHERE status = 'PENDING_TO_SEND'",
    );
    return (row?.at as number | null) ?? null;
  }
}
