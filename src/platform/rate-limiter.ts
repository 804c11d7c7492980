// Calls the object that counts the requests of a website and stores its sends. The limit itself: src/domain/clients/sliding-window.ts.
import type { Credentials } from "../domain/clients/client.ts";
import type { Admission } from "../domain/clients/sliding-window.ts";
import { LatestMap } from "../domain/latest-map.ts";
import type { OverLimit, Taken } from "../domain/messages/daily-limit.ts";
import type { RefusedSend, Send, StoredSend } from "../domain/messages/send.ts";
import { SilenceError, withinTime } from "./time-limit.ts";

/** The client of the request, in the state that the isolate has. */
export type KnownClient = Pick<Credentials, "clientId" | "version">;

/**
 * The object knows a later state of the client than the isolate. The request is not counted: the isolate checks it against the later
 * state first, and calls again.
 */
export type NewerClient = { newer: Credentials } & Partial<Record<keyof Admission | keyof CountedSend, undefined>>;

/** A send that the object has counted. */
export interface CountedSend {
  admission: Admission;
  /** null: over the limit of requests, and not stored. */
  stored: StoredSend | RefusedSend | null;
}

/** What the object of a website answers a send. */
export type SendAnswer = CountedSend | NewerClient;

/** The object of one website; see website-object.ts. */
export interface WebsiteObject extends Rpc.DurableObjectBranded {
  admit(client?: KnownClient): Admission | NewerClient;
  /** A state that is older than the object's own changes nothing. */
  learn(changed: Credentials[]): void;
  send(send: Send, client?: KnownClient): Promise<SendAnswer>;
  /** Whether the send of this message has come and has no outcome yet. */
  isStoring(messageId: string): boolean;
  /** Counts texts towards the daily limit: all of them or none. */
  take(texts: number, dailyLimit: number): Taken | OverLimit;
  giveBack(taken: Taken): void;
  /** How many texts count towards the daily limit. */
  textsUsed(): number;
}

export type RateLimiterNamespace = DurableObjectNamespace<WebsiteObject>;

/** Longest silence of an object: a late text is worse than a limit that slips. */
export const LIMITER_MILLISECONDS = 500;

/** After this time, an object is asked whether it is storing a send. It has as long again to answer. */
const STILL_STORING_MILLISECONDS = LIMITER_MILLISECONDS / 2;

/** How long an overloaded object is left alone. */
const OVERLOAD_PAUSE_MILLISECONDS = 1000;

/** How long after a refusal an object that does not answer counts as overloaded. */
const RECENT_MILLISECONDS = 10_000;

const MOST_REMEMBERED = 1000;

/** Calls the objects. One per isolate; a website that was refused is refused here until the time that its object has named. */
export class RateGate {
  readonly #limiter: RateLimiterNamespace;
  readonly #options: DurableObjectNamespaceGetDurableObjectOptions;
  /** By website: milliseconds since 1970. */
  readonly #refusedUntil = new LatestMap<string, number>(MOST_REMEMBERED);

  /** @param location where objects are made that do not exist yet; left out, near the first request of the website */
  constructor(limiter: RateLimiterNamespace, location?: DurableObjectLocationHint) {
    this.#limiter = limiter;
    this.#options = location === undefined ? {} : { locationHint: location };
  }

  /** The refusal of this request without a call of the object; undefined: the object must be called. */
  refusal(websiteId: string, now: number): Admission | undefined {
    const resetMilliseconds = (this.#refusedUntil.get(websiteId) ?? now) - now;
    return resetMilliseconds > 0 ? { admitted: false, remaining: 0, resetMilliseconds } : undefined;
  }

  /**
   * Calls the website's object, unless a refusal still holds. An overloaded object is a refusal.
   * @throws any other error of the object
   */
  async admit(websiteId: string, now: () => number, client?: KnownClient): Promise<Admission | NewerClient> {
    const asked = now();
    const refusal = this.refusal(websiteId, asked);
    if (refusal) return refusal;
    try {
      const answer = (await this.#object(websiteId).admit(versionOf(client))) as Admission | NewerClient;
      if (answer.admitted === false) this.#remember(websiteId, asked, answer);
      return answer;
    } catch (error) {
      if (isOverloaded(error)) return this.#pause(websiteId, now());
      throw error;
    }
  }

  /**
   * Counts a send and has the object store it; see `refusal` first. The store may take longer than an object may be silent, so a
   * late object is asked whether it is storing the send. An overloaded object is a refusal.
   * @throws any other error of the object, or SilenceError: the send may be stored
   */
  async send(send: Send, now: () => number, client?: KnownClient): Promise<SendAnswer> {
    const asked = now();
    const { websiteId, messageId } = send.message;
    const object = this.#object(websiteId);
    try {
      const answering = object.send(send, versionOf(client)) as Promise<unknown> as Promise<SendAnswer>;
      const answer = await whileUnderWay(answering, async () => object.isStoring(messageId));
      if (answer.admission?.admitted === false) this.#remember(websiteId, asked, answer.admission);
      return answer;
    } catch (error) {
      if (isOverloaded(error)) return { admission: this.#pause(websiteId, now()), stored: null };
      throw error;
    }
  }

  /** Counts the texts of a part of a bulk request towards the daily limit. @throws the error of the object */
  async take(websiteId: string, texts: number, dailyLimit: number): Promise<Taken | OverLimit> {
    return this.#object(websiteId).take(texts, dailyLimit);
  }

  /** @throws the error of the object: the texts may still count */
  async giveBack(websiteId: string, taken: Taken): Promise<void> {
    await this.#object(websiteId).giveBack(taken);
  }

  /** How many texts count towards the daily limit. null: the object does not answer. */
  async textsUsed(websiteId: string): Promise<number | null> {
    return withinTime(LIMITER_MILLISECONDS, this.#object(websiteId).textsUsed()).catch(() => null);
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
    const isRecent = now - (this.#refusedUntil.get(websiteId) ?? Number.NEGATIVE_INFINITY) < RECENT_MILLISECONDS;
    return isRecent ? this.#pause(websiteId, now) : undefined;
  }

  #object(websiteId: string): DurableObjectStub<WebsiteObject> {
    return this.#limiter.getByName(websiteId, this.#options);
  }

  /**
   * The time of a refusal counts from before the call, so it ends no later than the object's own: nobody is refused below the limit.
   */
  #remember(websiteId: string, asked: number, { resetMilliseconds }: Admission): void {
    this.#refuseUntil(websiteId, asked + resetMilliseconds);
  }

  /** An overloaded object names no time, so its website is refused for a fixed pause. */
  #pause(websiteId: string, now: number): Admission {
    this.#refuseUntil(websiteId, now + OVERLOAD_PAUSE_MILLISECONDS);
    return { admitted: false, remaining: 0, resetMilliseconds: OVERLOAD_PAUSE_MILLISECONDS };
  }

  #refuseUntil(websiteId: string, until: number): void {
    this.#refusedUntil.set(websiteId, Math.max(until, this.#refusedUntil.get(websiteId) ?? 0));
  }
}

/** The part of a client that the object gets. */
const versionOf = (client?: KnownClient): KnownClient | undefined =>
  client && { clientId: client.clientId, version: client.version };

/** An overloaded object has not run the call: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
function isOverloaded(error: unknown): boolean {
  return (error as { overloaded?: unknown } | null)?.overloaded === true;
}

/** Waits for the answer for as long as the object says that it is still storing the send. @throws SilenceError */
async function whileUnderWay<T>(answering: Promise<T>, isUnderWay: () => Promise<boolean>): Promise<T> {
  for (let pause = STILL_STORING_MILLISECONDS; ; pause *= 2) {
    try {
      return await withinTime(pause, answering);
    } catch (error) {
      if (!(error instanceof SilenceError)) throw error;
    }
    // Once the object is done with the send, its answer may be on the way: this waits for it once more. An object that refuses the
    // question, because it is overloaded, says nothing of the send, which it may store all the same.
    const isDone = !(await withinTime(
      STILL_STORING_MILLISECONDS,
      isUnderWay().catch(() => false),
    ));
    if (isDone) return withinTime(STILL_STORING_MILLISECONDS, answering);
  }
}
