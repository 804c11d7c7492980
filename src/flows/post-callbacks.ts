import type { Deps } from "../deps.ts";
import { callbackBody, signatureHeaders } from "../domain/callback.ts";
import { isStoreRefused } from "../domain/failure.ts";
import { refusedSeconds } from "../domain/retry-policy.ts";
import { type PostResult, postOnce } from "../platform/callback-post.ts";
import { describeError } from "../platform/describe-error.ts";
import { unseal } from "../platform/secrets.ts";
import {
  type CallbackRecord,
  type ClaimedCallback,
  claimCallbacks,
  type DueCallback,
  type DueEvent,
  endUnpostable,
  findDueCallbacks,
  NO_CALLBACK_URL,
  recordCallbacks,
  releaseCallbacks,
  splitEventId,
} from "../platform/store/events.ts";
import { OUTBOUND_CONNECTIONS } from "./connections.ts";
import type { OutcomeTally } from "./count-outcomes.ts";
import { inParallel } from "./in-parallel.ts";
import { claimOrRelease, queueCallbacks } from "./queue-jobs.ts";

/** The share of one endpoint in the connections of an invocation: a slow endpoint leaves the others theirs. */
const CONNECTIONS_AN_ENDPOINT = 3;

/** After a post has timed out, the other callbacks to its endpoint wait so long. */
const PAUSE_SECONDS = 60;

/** A run begins no post after this: with the 10 seconds of its last post, it ends before an invocation may be cut off (30 s). */
const RUN_MILLISECONDS = 15_000;

/** A small claim: when a run is cut off, nobody knows which of its claimed callbacks were posted. */
const CALLBACKS_A_CLAIM = 4;

interface Run {
  /** When it begins no further post: milliseconds since 1970. */
  until: number;
  tally: OutcomeTally;
}

/** Callbacks to one endpoint, posted one after the other. All lanes of an endpoint stop once a post has timed out. */
interface Lane {
  endpoint: { timedOut: boolean };
  eventIds: DueEvent[];
}

/**
 * Posts each unclaimed callback once. It requeues callbacks that it cannot post in time, and those to an endpoint at which a
 * post has timed out; the latter wait a minute.
 */
export async function postCallbacks(deps: Deps, eventIds: DueEvent[], tally: OutcomeTally): Promise<void> {
  const run = { until: deps.now() + RUN_MILLISECONDS, tally };
  const due = await findDueCallbacks(deps.db, eventIds).catch((error) => requeueRefused(deps, eventIds, error));
  await endWithoutUrl(deps, due);
  await inParallel(toLanes(due), OUTBOUND_CONNECTIONS, (lane) => postLane(deps, lane, run));
}

/** @throws the error: what was not refused may have taken effect, and is left to the sweep */
async function requeueRefused(deps: Deps, eventIds: DueEvent[], error: unknown): Promise<never> {
  if (isStoreRefused(error)) await queueCallbacks(deps, eventIds, refusedSeconds(deps.random()));
  throw error;
}

/** Never throws, so that callbacks with a URL are posted. After a failure, the sweep finds the others. */
async function endWithoutUrl(deps: Deps, callbacks: DueCallback[]): Promise<void> {
  const eventIds = callbacks.filter(({ callbackUrl }) => callbackUrl === null).map(({ eventId }) => eventId);
  if (eventIds.length === 0) return;
  try {
    await endUnpostable(deps.db, eventIds, deps.now());
    deps.log("info", "callbacks.without-url", { count: eventIds.length });
  } catch (error) {
    deps.log("error", "callbacks.failed", { count: eventIds.length, error: describeError(error) });
  }
}

/** Lanes in the order in which they get connections: the first lane of every endpoint, then the second of every endpoint. */
function toLanes(callbacks: DueCallback[]): Lane[] {
  const withUrl = callbacks.filter(({ callbackUrl }) => callbackUrl !== null);
  const endpoints = [...Map.groupBy(withUrl, ({ callbackUrl }) => endpointOf(String(callbackUrl))).values()];
  const lanes = endpoints.map((ofEndpoint) => {
    const endpoint = { timedOut: false };
    // The events of one message share a lane, so that they arrive in order.
    const messages = [...Map.groupBy(ofEndpoint, ({ messageId }) => messageId).values()];
    const count = Math.min(CONNECTIONS_AN_ENDPOINT, messages.length);
    return Array.from({ length: count }, (_, lane) => ({
      endpoint,
      eventIds: messages
        .filter((_, index) => index % count === lane)
        .flatMap((own) => own.map(({ eventId }) => eventId)),
    }));
  });
  return Array.from({ length: CONNECTIONS_AN_ENDPOINT }, (_, turn) => lanes.flatMap((own) => own[turn] ?? [])).flat();
}

/** A stored URL may be invalid by a newer rule. The post reports that; here it must not throw and fail the whole batch. */
function endpointOf(callbackUrl: string): string {
  return URL.canParse(callbackUrl) ? new URL(callbackUrl).host : callbackUrl;
}

/** Never throws, so that the other lanes go on. After a failure, the sweep finds the unclaimed callbacks. */
async function postLane(deps: Deps, { endpoint, eventIds }: Lane, run: Run): Promise<void> {
  try {
    for (let start = 0; start < eventIds.length; start += CALLBACKS_A_CLAIM) {
      const claim = deps.newId();
      const some = eventIds.slice(start, start + CALLBACKS_A_CLAIM);
      const claiming = claimCallbacks(deps.db, { eventIds: some, claim, now: deps.now() });
      const messageIds = [...new Set(some.map((eventId) => splitEventId(eventId).messageId))];
      const claimed = await claimOrRelease(deps, { claim, messageIds }, claiming).catch((error) =>
        requeueRefused(deps, eventIds.slice(start), error),
      );
      const left = await postClaimed(deps, claimed, endpoint, run);
      if (!isOver(deps, endpoint, run)) continue;
      return await requeue(deps, [...left, ...eventIds.slice(start + CALLBACKS_A_CLAIM)], claim, endpoint);
    }
  } catch (error) {
    deps.log("error", "callbacks.failed", { count: eventIds.length, error: describeError(error) });
  }
}

const isOver = (deps: Deps, { timedOut }: Lane["endpoint"], { until }: Run) => timedOut || deps.now() > until;

/** @returns the callbacks that it did not post */
async function postClaimed(
  deps: Deps,
  callbacks: ClaimedCallback[],
  endpoint: Lane["endpoint"],
  run: Run,
): Promise<DueEvent[]> {
  const records: CallbackRecord[] = [];
  for (const callback of callbacks) {
    if (isOver(deps, endpoint, run)) break;
    const record = await post(deps, callback, run.tally);
    if (record.outcome === "timed-out") endpoint.timedOut = true;
    records.push(record);
  }
  try {
    await recordCallbacks(deps.db, records);
  } catch (error) {
    deps.log("error", "callbacks.not-recorded", { count: records.length, error: describeError(error) });
  }
  return callbacks.slice(records.length).map(({ eventId }) => eventId);
}

async function requeue(deps: Deps, eventIds: DueEvent[], claim: string, endpoint: Lane["endpoint"]): Promise<void> {
  if (eventIds.length === 0) return;
  const delaySeconds = endpoint.timedOut ? PAUSE_SECONDS : 0;
  await releaseCallbacks(deps.db, eventIds, claim, deps.now() + delaySeconds * 1000);
  await queueCallbacks(deps, eventIds, delaySeconds);
}

async function post(deps: Deps, callback: ClaimedCallback, tally: OutcomeTally): Promise<CallbackRecord> {
  const started = deps.now();
  const result = await signAndPost(deps, callback, started);
  const durationMilliseconds = deps.now() - started;
  const isTaken = result.httpStatus !== null && result.httpStatus < 300;
  const answer = isTaken ? "accepted" : "refused";
  tally.add({ kind: "callback", carrier: "", outcome: result.outcome === "answered" ? answer : result.outcome });
  deps.log(isTaken ? "info" : "warn", "callback.posted", {
    eventId: callback.eventId,
    outcome: result.outcome,
    httpStatus: result.httpStatus,
    milliseconds: durationMilliseconds,
  });
  return { eventId: callback.eventId, durationMilliseconds, ...result };
}

/** Never throws: a callback that cannot be signed gets a result of its own, and the others of the claim are posted. */
async function signAndPost(deps: Deps, callback: ClaimedCallback, now: number): Promise<PostResult> {
  const { callbackUrl } = callback;
  if (callbackUrl === null) return notPosted(NO_CALLBACK_URL);
  try {
    const body = callbackBody(callback);
    const secrets = await unsealAll(deps, callback);
    return await postOnce(callbackUrl, body, signatureHeaders(callback.eventId, body, secrets, now));
  } catch (error) {
    return notPosted(describeError(error));
  }
}

function notPosted(response: string): PostResult {
  return { outcome: "not-posted", httpStatus: null, response };
}

/** @throws Error with the likely cause, for the operator */
async function unsealAll({ config }: Deps, { callbackSecrets }: ClaimedCallback): Promise<string[]> {
  try {
    return await Promise.all(callbackSecrets.map((sealed) => unseal(sealed, config.serviceKey ?? "")));
  } catch (cause) {
    throw new Error("the callback secret cannot be decrypted; has SERVICE_KEY changed?", { cause });
  }
}
