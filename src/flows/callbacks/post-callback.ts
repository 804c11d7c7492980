import type { Deps } from "../../deps.ts";
import { callbackBody, signatureHeaders } from "../../domain/callbacks/callback.ts";
import { unreachedBecause } from "../../domain/callbacks/edge-status.ts";
import { ANSWERED } from "../../domain/operations/service-state.ts";
import { isTaken, type PostResult, postOnce } from "../../platform/callback-post.ts";
import { describeError } from "../../platform/describe-error.ts";
import { unseal } from "../../platform/secrets.ts";
import type { CallbackRecord, ClaimedCallback } from "../../store/callbacks/callbacks.ts";
import type { OutcomeCount } from "../../store/operations/outcome-counts.ts";
import { nextTime, sumOutcomes } from "../operations/count-outcomes.ts";
import type { Slots } from "./slots.ts";

/** What the callbacks of a job share. */
export interface PostingJob {
  /** No post begins after this: milliseconds since 1970. */
  until: number;
  /** The connections of the invocation. */
  slots: Slots;
  /** Decrypted, by their sealed form: the callbacks of a client have the same. */
  secrets: Map<string, Promise<string>>;
}

/** A callback, and what came of it. */
export interface Posted {
  callback: ClaimedCallback;
  record: CallbackRecord;
  /** In the order of all outcomes: see nextTime. null: there was no URL to post it to. */
  endedAt: number | null;
}

/** Signs and posts a claimed callback, once. Never throws. */
export async function postCallback(
  deps: Deps,
  callback: ClaimedCallback,
  { secrets }: Pick<PostingJob, "secrets">,
): Promise<Posted> {
  const started = deps.now();
  const result = await signAndPost(deps, callback, secrets, started);
  const durationMilliseconds = deps.now() - started;
  if (!isTaken(result)) {
    deps.log("warn", "callback.posted", {
      eventId: callback.eventId,
      websiteId: callback.websiteId,
      clientId: callback.clientId,
      host: callback.callbackUrl === null ? null : URL.parse(callback.callbackUrl)?.host,
      outcome: result.outcome,
      httpStatus: result.httpStatus,
      milliseconds: durationMilliseconds,
      ...(result.outcome === "answered" ? {} : { error: result.response }),
    });
  }
  const record = { eventId: callback.eventId, durationMilliseconds, ...result };
  return { callback, record, endedAt: nextTime(deps) };
}

/** Stored as the response, for the operator. */
const NO_CALLBACK_URL = "the client has no callback URL any more";

/** The end of callbacks whose client has removed its URL: a URL that is set later does not receive them. */
export function withoutUrl(deps: Deps, callbacks: ClaimedCallback[]): Posted[] {
  if (callbacks.length > 0) deps.log("info", "callbacks.without-url", { count: callbacks.length });
  return callbacks.map((callback) => {
    const record = { eventId: callback.eventId, durationMilliseconds: 0, ...notPosted(NO_CALLBACK_URL) };
    return { callback, record, endedAt: null };
  });
}

/** One line for all callbacks of a job that were answered 2xx. */
export function logTaken(deps: Deps, posted: Posted[]): void {
  const taken = posted.filter(({ record }) => isTaken(record));
  if (taken.length === 0) return;
  deps.log("info", "callbacks.taken", {
    count: taken.length,
    eventIds: taken.map(({ callback }) => callback.eventId).join(" "),
    clientIds: [...new Set(taken.map(({ callback }) => callback.clientId))].join(" "),
    milliseconds: Math.max(...taken.map(({ record }) => record.durationMilliseconds)),
  });
}

export const countPosted = (posted: Posted[]): OutcomeCount[] =>
  sumOutcomes(
    posted.flatMap(({ callback: { carrier }, record, endedAt }) =>
      endedAt === null ? [] : { kind: "callback" as const, carrier, outcome: outcomeOf(record), at: endedAt },
    ),
  );

/** What is counted of a callback: of another answer than 2xx, the status. */
function outcomeOf(result: PostResult): string {
  const { outcome, httpStatus } = result;
  if (outcome !== "answered") return outcome;
  if (isTaken(result)) return "accepted";
  return unreachedBecause(httpStatus) ? "unreachable" : `${ANSWERED}${httpStatus}`;
}

/** Never throws: a callback that cannot be signed gets a result of its own, and the others of the claim are posted. */
async function signAndPost(
  deps: Deps,
  callback: ClaimedCallback,
  known: PostingJob["secrets"],
  now: number,
): Promise<PostResult> {
  const { callbackUrl } = callback;
  if (callbackUrl === null) return notPosted(NO_CALLBACK_URL);
  try {
    const body = callbackBody(callback);
    const secrets = await unsealAll(deps, callback, known);
    return await postOnce(callbackUrl, body, signatureHeaders(callback.eventId, body, secrets, now));
  } catch (error) {
    return notPosted(describeError(error));
  }
}

function notPosted(response: string): PostResult {
  return { outcome: "not-posted", httpStatus: null, response };
}

/** @throws Error with the likely cause, for the operator */
async function unsealAll(
  { config }: Deps,
  { callbackSecrets }: ClaimedCallback,
  known: PostingJob["secrets"],
): Promise<string[]> {
  const unsealOnce = (sealed: string) => {
    const secret = known.get(sealed) ?? unseal(sealed, config.serviceKey ?? "");
    known.set(sealed, secret);
    return secret;
  };
  try {
    return await Promise.all(callbackSecrets.map(unsealOnce));
  } catch (cause) {
    throw new Error("the callback secret cannot be decrypted; has SERVICE_KEY changed?", { cause });
  }
}
