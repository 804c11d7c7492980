import type { Admission } from "../domain/sliding-window.ts";
import type { Send, StoredSend } from "./store/sends.ts";
import { SilenceError, withinTime } from "./time-limit.ts";

/** What the object of a website answers a send. */
export interface SendAnswer {
  admission: Admission;
  /** null: over the limit, and not stored. */
  stored: StoredSend | null;
}

/** The object of one website; see website-object.ts. */
export interface WebsiteObject extends Rpc.DurableObjectBranded {
  admit(): Admission;
  send(send: Send): Promise<SendAnswer>;
  /** Does nothing: an object that returns is not silent. */
  ping(): void;
}

export type RateLimiterNamespace = DurableObjectNamespace<WebsiteObject>;

/** Longest silence of an object. A late text is worse than a limit that slips. */
const LIMITER_MILLISECONDS = 500;

/** An object that takes this long to store a send is pinged, and the ping may take as long again. */
const PING_MILLISECONDS = LIMITER_MILLISECONDS / 2;

/** Calls the objects. One per isolate; it remembers refusals, so that a flood does not reach the objects. */
export class RateGate {
  readonly #limiter: RateLimiterNamespace;
  /** By website: the time until which its object surely refuses (this isolate's clock, milliseconds). */
  readonly #refusedUntil = new Map<string, number>();
  /** By website: the ping that is under way. */
  readonly #pings = new Map<string, Promise<void>>();

  constructor(limiter: RateLimiterNamespace) {
    this.#limiter = limiter;
  }

  /** The refusal of the website that still holds. */
  refusal(websiteId: string, now: number): Admission | undefined {
    const until = this.#refusedUntil.get(websiteId);
    if (until === undefined) return undefined;
    if (now < until) return { admitted: false, remaining: 0, resetMilliseconds: until - now };
    this.#refusedUntil.delete(websiteId);
    return undefined;
  }

  /**
   * Counts a request, unless a refusal still holds.
   * @throws the error of the object, or SilenceError
   */
  async admit(websiteId: string, now: () => number): Promise<Admission> {
    const start = now();
    const refusal = this.refusal(websiteId, start);
    if (refusal) return refusal;
    const admission = await withinTime<Admission>(LIMITER_MILLISECONDS, this.#limiter.getByName(websiteId).admit());
    this.#remember(websiteId, admission, start);
    return admission;
  }

  /**
   * Counts a send and has the object store it. The store may take longer than an object may be silent, so a late object is
   * pinged.
   * @throws the error of the object, or SilenceError: the send may be stored
   */
  async send(send: Send, now: () => number): Promise<SendAnswer> {
    const start = now();
    const { websiteId } = send.message;
    const refusal = this.refusal(websiteId, start);
    if (refusal) return { admission: refusal, stored: null };
    const answering: Promise<SendAnswer> = this.#limiter.getByName(websiteId).send(send);
    for (;;) {
      try {
        const answer = await withinTime(PING_MILLISECONDS, answering);
        this.#remember(websiteId, answer.admission, start);
        return answer;
      } catch (error) {
        if (!(error instanceof SilenceError)) throw error;
      }
      await this.#ping(websiteId);
    }
  }

  /** Sends that wait for the same object share a ping. @throws as send */
  async #ping(websiteId: string): Promise<void> {
    const pinging = this.#pings.get(websiteId) ?? this.#limiter.getByName(websiteId).ping();
    this.#pings.set(websiteId, pinging);
    try {
      await withinTime(PING_MILLISECONDS, pinging);
    } finally {
      this.#pings.delete(websiteId);
    }
  }

  /**
   * A refusal counts from before the call, so it ends no later than the object's own: a request that the object might admit
   * always reaches it.
   */
  #remember(websiteId: string, admission: Admission, start: number): void {
    if (!admission.admitted) this.#refusedUntil.set(websiteId, start + admission.resetMilliseconds);
  }
}
