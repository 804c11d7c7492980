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
  /** Whether the send of this message has come and has no outcome yet. */
  isStoring(messageId: string): boolean;
}

export type RateLimiterNamespace = DurableObjectNamespace<WebsiteObject>;

/** Longest silence of an object. A late text is worse than a limit that slips. */
const LIMITER_MILLISECONDS = 500;

/** After this time, an object is asked whether it is storing a send. It has as long again to answer. */
const LATE_MILLISECONDS = LIMITER_MILLISECONDS / 2;

/** Calls the objects. One per isolate; it remembers refusals, so that a flood does not reach the objects. */
export class RateGate {
  readonly #limiter: RateLimiterNamespace;
  readonly #options: DurableObjectNamespaceGetDurableObjectOptions;
  /** By website: the time until which its object surely refuses (this isolate's clock, milliseconds). */
  readonly #refusedUntil = new Map<string, number>();

  /** @param location where objects are made that do not exist yet; left out, near the first request of the website */
  constructor(limiter: RateLimiterNamespace, location?: DurableObjectLocationHint) {
    this.#limiter = limiter;
    this.#options = location === undefined ? {} : { locationHint: location };
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
    const admission = await withinTime<Admission>(LIMITER_MILLISECONDS, this.#object(websiteId).admit());
    this.#remember(websiteId, admission, start);
    return admission;
  }

  /**
   * Counts a send and has the object store it. The store may take longer than an object may be silent, so a late object is
   * asked whether it is storing the send.
   * @throws the error of the object, or SilenceError: the send may be stored
   */
  async send(send: Send, now: () => number): Promise<SendAnswer> {
    const start = now();
    const { websiteId, messageId } = send.message;
    const refusal = this.refusal(websiteId, start);
    if (refusal) return { admission: refusal, stored: null };
    const object = this.#object(websiteId);
    const answering: Promise<SendAnswer> = object.send(send);
    const answer = await untilLost(answering, async () => object.isStoring(messageId));
    this.#remember(websiteId, answer.admission, start);
    return answer;
  }

  #object(websiteId: string): DurableObjectStub<WebsiteObject> {
    return this.#limiter.getByName(websiteId, this.#options);
  }

  /**
   * A refusal counts from before the call, so it ends no later than the object's own: a request that the object might admit
   * always reaches it.
   */
  #remember(websiteId: string, admission: Admission, start: number): void {
    if (!admission.admitted) this.#refusedUntil.set(websiteId, start + admission.resetMilliseconds);
  }
}

/** Waits for the answer while the work is under way. @throws SilenceError */
async function untilLost<T>(answering: Promise<T>, isUnderWay: () => Promise<boolean>): Promise<T> {
  for (let pause = LATE_MILLISECONDS; ; pause *= 2) {
    try {
      return await withinTime(pause, answering);
    } catch (error) {
      if (!(error instanceof SilenceError)) throw error;
    }
    // The answer may be on its way.
    if (!(await withinTime(LATE_MILLISECONDS, isUnderWay()))) return withinTime(LATE_MILLISECONDS, answering);
  }
}
