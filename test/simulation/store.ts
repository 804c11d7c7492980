import type { SubmissionRecord } from "../../src/domain/messages/job.ts";
import type * as Claims from "../../src/store/messages/claims.ts";
import type * as Messages from "../../src/store/messages/messages.ts";
import type { OverdueMessage } from "../../src/store/messages/overdue.ts";
import type * as OutcomeCounts from "../../src/store/operations/outcome-counts.ts";
import type { VirtualClock } from "./clock.ts";

/** Cloudflare says "less than a millisecond" for a read, and "several milliseconds" for a write. */
const READ_MILLISECONDS = 2;
const WRITE_MILLISECONDS = 6;
/** From the Worker to the database and back. */
const ROUND_TRIP_MILLISECONDS = 20;

/** As takeOverdue and the sweep have them. */
const OVERDUE_MILLISECONDS = 60_000;
const SWEEP_STEP = 1000;
const SWEEP_STEPS = 20;

interface SimulatedMessage {
  websiteId: string;
  acceptedAt: number;
  queuedAt: number;
  claim: string | null;
  /** What became of the submission; null while it waits, or its outcome is not known to the store. */
  outcome: SubmissionRecord["status"];
}

/** What a flow holds as `db`: a connection of one invocation. */
interface Connection {
  isAlive(): boolean;
}

/** In place of D1, where it would take hours: one thread, and only what deliveries ask of it. */
export class SimulatedStore {
  readonly messages = new Map<string, SimulatedMessage>();
  readonly #clock: VirtualClock;
  #freeAt = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  accept(websiteId: string, messageIds: string[]): void {
    const { now } = this.#clock;
    const message = { websiteId, acceptedAt: now, queuedAt: now, claim: null, outcome: null };
    for (const messageId of messageIds) this.messages.set(messageId, { ...message });
  }

  connect(isAlive: () => boolean): D1Database {
    return { isAlive } satisfies Connection as unknown as D1Database;
  }

  /** The functions of src/store/messages/messages.ts that deliveries call. */
  readonly messageFunctions: Pick<typeof Messages, "findWaiting" | "changeStatus"> = {
    findWaiting: (db, ids) =>
      this.#call(db, READ_MILLISECONDS, () => {
        const waiting = ids.filter((id) => this.#isWaiting(id));
        const websites = Map.groupBy(waiting, (id) => this.#get(id).websiteId);
        return [...websites].map(([websiteId, messageIds]) => ({ carrier: "slow", websiteId, messageIds }));
      }),
    changeStatus: () => Promise.reject(new Error("this carrier sends no receipts")),
  };

  readonly claimFunctions: Pick<typeof Claims, "recordAndClaim"> = {
    recordAndClaim: (db, outcomes, next, now) =>
      this.#call(db, WRITE_MILLISECONDS, () => {
        for (const { messageId, status, retryAt } of outcomes?.records ?? []) {
          const message = this.#get(messageId);
          if (message.claim !== outcomes?.claim || message.outcome !== null) continue;
          if (status === null) Object.assign(message, { claim: null, queuedAt: retryAt ?? now });
          else message.outcome = status;
        }
        const claimed = (next?.ids ?? []).filter((id) => this.#isWaiting(id));
        for (const id of claimed) this.#get(id).claim = next?.claim ?? null;
        return {
          claimed: claimed.map((id) => toClaimed(id, this.#get(id))),
          due: [],
          breakers: new Map(),
          hasAnswered: false,
        };
      }),
  };

  readonly countFunctions: Pick<typeof OutcomeCounts, "addOutcomes"> = {
    addOutcomes: (db) => this.#call(db, WRITE_MILLISECONDS, () => {}),
  };

  /** What a sweep queues again, as takeOverdue chooses it: most of it has a job in the backlog still. */
  takeOverdue(): OverdueMessage[][] {
    const { now } = this.#clock;
    const overdue: OverdueMessage[] = [];
    for (const [messageId, message] of this.messages) {
      if (overdue.length === SWEEP_STEP * SWEEP_STEPS) break;
      if (!this.#isWaiting(messageId) || message.queuedAt >= now - OVERDUE_MILLISECONDS) continue;
      message.queuedAt = now + Math.min(300_000, (now - message.acceptedAt) / 2) + 30_000;
      overdue.push({ messageId, websiteId: message.websiteId, at: message.queuedAt });
    }
    return Array.from({ length: Math.ceil(overdue.length / SWEEP_STEP) }, (_, step) =>
      overdue.slice(step * SWEEP_STEP, (step + 1) * SWEEP_STEP),
    );
  }

  #get(messageId: string): SimulatedMessage {
    return this.messages.get(messageId) as SimulatedMessage;
  }

  #isWaiting(messageId: string): boolean {
    const { claim, outcome } = this.#get(messageId);
    return claim === null && outcome === null;
  }

  /** A call takes effect even when its invocation is cut off meanwhile. */
  async #call<T>(db: D1Database, milliseconds: number, run: () => T): Promise<T> {
    const { isAlive } = db as unknown as Connection;
    if (!isAlive()) return new Promise(() => {});
    await this.#clock.wait(ROUND_TRIP_MILLISECONDS / 2);
    this.#freeAt = Math.max(this.#freeAt, this.#clock.now) + milliseconds;
    await this.#clock.wait(this.#freeAt - this.#clock.now);
    const result = run();
    await this.#clock.wait(ROUND_TRIP_MILLISECONDS / 2);
    return isAlive() ? result : new Promise(() => {});
  }
}

function toClaimed(messageId: string, { websiteId }: SimulatedMessage): Claims.ClaimedMessage {
  return {
    messageId,
    websiteId,
    phone: "+12125550100",
    text: "hello",
    encoding: "GSM-7",
    mediaUrl: null,
    carrier: "slow",
    sender: null,
    attempts: 1,
  };
}
