import type { Credentials } from "../domain/client.ts";
import { Refusals } from "../domain/refusals.ts";
import type { Admission } from "../domain/sliding-window.ts";
import type { Send, StoredSend } from "./store/sends.ts";
import { SilenceError, withinTime } from "./time-limit.ts";

/** What an isolate says when it asks. */
export interface Ask {
  /** See RequestLimit. */
  unasked?: number;
  /** Whose request it is, in the state that the isolate knows. */
  client?: Pick<Credentials, "clientId" | "version">;
}

/** What the object knows of a later change of the client: the request is not counted before it was held to that. */
export type Newer = { newer: Credentials } & Partial<Record<"admitted" | "remaining" | "resetMilliseconds", undefined>>;

/** A send that the object has counted. */
export interface CountedSend {
  admission: Admission;
  /** null: over the limit, and not stored. */
  stored: StoredSend | null;
  /** The object has not answered: the send may be stored. */
  isUncertain?: boolean;
}

/** What the object of a website answers a send. */
export type SendAnswer = CountedSend | Newer;

/** The object of one website; see website-object.ts. */
export interface WebsiteObject extends Rpc.DurableObjectBranded {
  admit(ask?: Ask): Admission | Newer;
  /** An earlier state than it knows changes nothing. */
  learn(changed: Credentials[]): void;
  send(send: Send, ask?: Ask): Promise<SendAnswer>;
  /** Whether the send of this message has come and has no outcome yet. */
  isStoring(messageId: string): boolean;
}

export type RateLimiterNamespace = DurableObjectNamespace<WebsiteObject>;

/** Longest silence of an object: a late text is worse than a limit that slips. A refusal that took longer has waited for others. */
export const LIMITER_MILLISECONDS = 500;

/** After this time, an object is asked whether it is storing a send. It has as long again to answer. */
const STILL_STORING_MILLISECONDS = LIMITER_MILLISECONDS / 2;

const MOST_REMEMBERED = 1000;

/** Of an overloaded object nobody knows more than that it needs a rest. */
const OVERLOADED: Admission = { admitted: false, remaining: 0, resetMilliseconds: 1000 };

/** Calls the objects. One per isolate; it remembers refusals, so that a flood does not reach the objects. */
export class RateGate {
  readonly #limiter: RateLimiterNamespace;
  readonly #options: DurableObjectNamespaceGetDurableObjectOptions;
  readonly #random: () => number;
  /** By website. */
  readonly #refusals = new Map<string, Refusals>();

  /** @param location where objects are made that do not exist yet; left out, near the first request of the website */
  constructor(limiter: RateLimiterNamespace, location?: DurableObjectLocationHint, random: () => number = Math.random) {
    this.#limiter = limiter;
    this.#options = location === undefined ? {} : { locationHint: location };
    this.#random = random;
  }

  /** The refusal of this request without a call of the object; undefined: the object must be called. */
  refusal(websiteId: string, now: number): Admission | undefined {
    const wait = this.#recall(websiteId, now)?.refuse(now);
    return wait === undefined ? undefined : { admitted: false, remaining: 0, resetMilliseconds: wait };
  }

  /**
   * Calls the website's object, unless a refusal still holds. An overloaded object is a refusal.
   * @throws any other error of the object
   */
  async admit(websiteId: string, now: () => number, client?: Ask["client"]): Promise<Admission | Newer> {
    const asked = now();
    const refusal = this.refusal(websiteId, asked);
    if (refusal) return refusal;
    try {
      const answer = (await this.#object(websiteId).admit(this.#ask(websiteId, asked, client))) as Admission | Newer;
      if (!("newer" in answer)) this.#remember(websiteId, asked, now(), answer);
      return answer;
    } catch (error) {
      if (isOverloaded(error)) return this.#rest(websiteId, now());
      throw error;
    }
  }

  /**
   * Counts a send and has the object store it; see `refusal` first. The store may take longer than an object may be silent, so a
   * late object is asked whether it is storing the send. An overloaded object is a refusal, and so is a silent one that has
   * refused of late: the send may be stored then (`isUncertain`).
   * @throws any other error of the object, or SilenceError: the send may be stored
   */
  async send(send: Send, now: () => number, client?: Ask["client"]): Promise<SendAnswer> {
    const asked = now();
    const { websiteId, messageId } = send.message;
    const object = this.#object(websiteId);
    try {
      const answering = object.send(
        send,
        this.#ask(websiteId, asked, client),
      ) as Promise<unknown> as Promise<SendAnswer>;
      const answer = await untilLost(answering, async () => object.isStoring(messageId));
      if (!("newer" in answer)) this.#remember(websiteId, asked, now(), answer.admission);
      return answer;
    } catch (error) {
      if (isOverloaded(error)) return { admission: this.#rest(websiteId, now()), stored: null };
      const admission = error instanceof SilenceError ? this.afterSilence(websiteId, now()) : undefined;
      if (admission) return { admission, stored: null, isUncertain: true };
      throw error;
    }
  }

  /** Tells the website's object of changed clients. @throws the error of the object */
  async tell(websiteId: string, changed: Credentials[]): Promise<void> {
    await this.#object(websiteId).learn(changed);
  }

  /**
   * The object has not answered in time. After a recent refusal it is taken for overloaded: it is behind with a flood.
   * @returns a refusal, or undefined when nothing is known against the website
   */
  afterSilence(websiteId: string, now: number): Admission | undefined {
    return this.#recall(websiteId, now) && this.#rest(websiteId, now);
  }

  #object(websiteId: string): DurableObjectStub<WebsiteObject> {
    return this.#limiter.getByName(websiteId, this.#options);
  }

  #ask(websiteId: string, now: number, client: Ask["client"]): Ask {
    const unasked = this.#recall(websiteId, now)?.takeUnasked() ?? 0;
    if (!client) return { unasked };
    const { clientId, version } = client;
    return { unasked, client: { clientId, version } };
  }

  #recall(websiteId: string, now: number): Refusals | undefined {
    const refusals = this.#refusals.get(websiteId);
    if (refusals?.isRecent(now)) return refusals;
    this.#refusals.delete(websiteId);
    return undefined;
  }

  #remember(websiteId: string, asked: number, now: number, admission: Admission): void {
    if (admission.admitted) this.#refusals.get(websiteId)?.answered(asked, now, admission);
    else if (now - asked > LIMITER_MILLISECONDS) this.#rest(websiteId, now);
    else this.#of(websiteId).answered(asked, now, admission);
  }

  #rest(websiteId: string, now: number): Admission {
    this.#of(websiteId).overloaded(now, this.#random());
    return OVERLOADED;
  }

  #of(websiteId: string): Refusals {
    const refusals = this.#refusals.get(websiteId) ?? new Refusals(this.#random());
    const oldest = this.#refusals.keys().next();
    if (this.#refusals.size >= MOST_REMEMBERED && !oldest.done) this.#refusals.delete(oldest.value);
    this.#refusals.set(websiteId, refusals);
    return refusals;
  }
}

/** Asks again as long as the object knows a later state of the client. @param renew throws when that state refuses the request */
export async function askAsPresent<T extends object>(
  ask: () => Promise<T | Newer | undefined>,
  renew: (newer: Credentials) => void,
): Promise<T | undefined> {
  for (;;) {
    const answer = await ask();
    if (!answer || !("newer" in answer)) return answer;
    renew(answer.newer);
  }
}

/** An overloaded object has not run the call: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
function isOverloaded(error: unknown): boolean {
  return (error as { overloaded?: unknown } | null)?.overloaded === true;
}

/** Waits for the answer while the work is under way. @throws SilenceError */
async function untilLost<T>(answering: Promise<T>, isUnderWay: () => Promise<boolean>): Promise<T> {
  for (let pause = STILL_STORING_MILLISECONDS; ; pause *= 2) {
    try {
      return await withinTime(pause, answering);
    } catch (error) {
      if (!(error instanceof SilenceError)) throw error;
    }
    // The answer may be on its way.
    const isLost = !(await withinTime(STILL_STORING_MILLISECONDS, isUnderWay()));
    if (isLost) return withinTime(STILL_STORING_MILLISECONDS, answering);
  }
}
