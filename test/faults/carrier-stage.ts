/** A carrier and the queues as the platform has them, with what a carrier may do for hours. */
import { expect } from "vitest";
import { CarrierWorld } from "../carriers/carrier-world.ts";
import { type Submitted, type TestCarrier, text } from "../carriers/test-carrier.ts";
import { Random } from "../random.ts";
import { Injector } from "./injector.ts";
import { PlatformQueues } from "./queues.ts";
import { printSummary } from "./summary.ts";

const HOUR = 3600;

export class CarrierStage {
  readonly at: CarrierWorld;
  readonly queues: PlatformQueues;

  private constructor(at: CarrierWorld) {
    this.at = at;
    this.queues = new PlatformQueues(() => at.world.now);
    // With the limits that D1 and the queues have on the edge.
    const { messages, bulk, callbacks } = this.queues;
    at.world.deps = new Injector().wrap({ ...at.world.deps, messages, bulk, callbacks });
  }

  static async create(carrier: TestCarrier): Promise<CarrierStage> {
    return new CarrierStage(await CarrierWorld.create(carrier));
  }

  run(): Promise<void> {
    return this.queues.run(this.at.world.deps, () => this.at.world.afterAnswer());
  }

  async pass(seconds: number): Promise<void> {
    this.at.world.advance(seconds);
    await this.at.world.sweep();
    await this.run();
  }

  /** @returns the ids of as many messages, accepted in one request */
  async sendMany(count: number): Promise<string[]> {
    const messages = Array.from({ length: count }, (_, i) => ({
      ...{ phone: "+12125550100", text: `no ${i}`, callbackData: "", sendPurpose: "storm" },
    }));
    const answer = await this.at.world.post("/text/bulk/message/send", this.at.client, { messages });
    const { successSent } = (await answer.json()) as { successSent: { messageId: string }[] };
    return successSent.map(({ messageId }) => messageId);
  }

  /** How many messages have each status. */
  async statuses(): Promise<Record<string, unknown>> {
    const rows = await this.at.world.rows("SELECT status, count(*) AS n FROM messages GROUP BY status");
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  }
}

/** What a gateway may write into Retry-After. */
const PAUSES = ["", "0", "-5", "abc", "1e9", "0.4", "Wed, 21 Oct 2026 07:28:00 GMT", "99999999999999999999", "30"];

/** Refuses for some hours, with any Retry-After, and then takes what still waits. */
export async function beBusy(stage: CarrierStage, hours: number, count: number): Promise<void> {
  const { at } = stage;
  const { carrier } = at;
  const opensAt = at.world.now + hours * HOUR * 1000;
  let busy = 0;
  at.answer = () =>
    at.world.now >= opensAt
      ? carrier.accepts()
      : text("", 429, { "retry-after": PAUSES[busy++ % PAUSES.length] ?? "" });
  const ids = await stage.sendMany(count);
  for (let minute = 0; minute < (hours + 2) * 60; minute += 15) await stage.pass(900);
  expect(await stage.statuses()).toEqual(hours > 4 ? { FAILED_TO_SEND: count } : { SENDING: count });
  const taken = at.submitted.slice(busy).map(({ messageId }) => messageId);
  expect(taken.sort()).toEqual(hours > 4 ? [] : ids.sort());
  // Each is asked for at most once a pass of the test's clock, and less with the longer pauses.
  expect(busy / ids.length).toBeLessThanOrEqual(hours * 4);
  printSummary(
    `${carrier.name}, busy for ${hours} hours: ${busy} refusals of ${count} messages, ${taken.length} taken`,
  );
}

type Said = "taken" | "refused" | "later" | "open";

/** What a carrier may answer in a storm, and what it has said with it. */
const answersOf = (carrier: TestCarrier): [name: string, outcome: Said, answer: TestCarrier["accepts"]][] => [
  ["takes it", "taken", () => carrier.accepts()],
  ["takes it", "taken", () => carrier.accepts()],
  ["refuses", "refused", () => (carrier.refusals[0]?.[1] ?? carrier.accepts)()],
  ["429", "later", () => text("", 429)],
  ["521", "later", () => text("", 521)],
  ["500 with an id", "open", async () => text(await (await carrier.accepts()).text(), 500)],
  ["a reset", "open", () => Promise.reject(new Error("Network connection lost."))],
  ["no certificate", "open", () => Promise.reject(new Error("internal error; reference = d342r04tokeds4khce13d4kv"))],
  ["308", "open", () => text("", 308, { location: "http://10.0.0.1/" })],
  ["nothing readable", "open", () => text("\u0000\ufffd{", 200)],
];

/** Why a text ends that its carrier has not refused: its time was over, or earlier answers were about its number. */
const NOT_REFUSED = ["CARRIER_UNAVAILABLE", "SENDER_LIMIT", "UNREACHABLE"];

/** Answers each of many messages at random. */
export async function answerAnything(stage: CarrierStage, seed: number, count: number): Promise<void> {
  const { at } = stage;
  const { carrier } = at;
  const answers = answersOf(carrier);
  const random = new Random(seed);
  const said = new Map<string, Said>();
  const concluded: string[] = [];
  at.answer = ({ messageId }: Submitted) => {
    const [, outcome, answer] = random.pick(answers);
    said.set(messageId, outcome);
    if (outcome !== "later") concluded.push(messageId);
    return answer();
  };
  const ids = await stage.sendMany(count);
  for (let minute = 0; minute < 4 * 60; minute += 15) await stage.pass(900);
  expect(concluded.length).toBe(new Set(concluded).size);
  const rows = await at.world.rows("SELECT message_id, status, reason, reason_code FROM messages");
  const record = new Map(rows.map((row) => [String(row.message_id), row]));
  for (const id of ids) {
    const { status, reason, reason_code } = record.get(id) ?? {};
    const isUnknown = String(reason).startsWith("outcome unknown");
    // A circuit breaker that opens again and again may leave it no further try in its four hours, or none at all.
    const failed = NOT_REFUSED.includes(String(reason_code)) ? "later" : "refused";
    const is = status === "FAILED_TO_SEND" ? failed : isUnknown ? "open" : "taken";
    expect([id, is, status]).toEqual([id, said.get(id) ?? "later", status]);
  }
  printSummary(
    `${carrier.name}, seed ${seed}: ${ids.length} messages, ${at.submitted.length} requests, ${concluded.length} concluded`,
  );
}
