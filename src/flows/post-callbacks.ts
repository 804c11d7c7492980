import type { Deps } from "../deps.ts";
import { callbackBody, signatureHeaders } from "../domain/callback.ts";
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
} from "../platform/store/events.ts";
import { CONNECTIONS, inParallel } from "./in-parallel.ts";
import { claimOrRelease, queueCallbacks } from "./queue-jobs.ts";

/** How many of an invocation's connections one endpoint may hold: a slow one leaves the others theirs. */
const CONNECTIONS_AN_ENDPOINT = 3;

/** How long what is still due to an endpoint waits after a post to it has timed out. */
const REST_SECONDS = 60;

/** A run begins no post after this: with the timeout of the last one it ends before an invocation may be cut off (30 s). */
const RUN_MILLISECONDS = 15_000;

/** How many callbacks are claimed at a time: of what is claimed when a run is cut off, nobody knows whether it was posted. */
const CALLBACKS_A_CLAIM = 4;

/** Callbacks to one endpoint, posted one after the other. Its lanes rest together once a post has timed out. */
interface Lane {
  endpoint: { timedOut: boolean };
  eventIds: DueEvent[];
}

/**
 * Posts each of the callbacks that nobody has claimed, once. What this run cannot post in time goes back to the queue,
 * as does what is due to an endpoint that has let a post time out: that is left alone for a minute.
 */
export async function postCallbacks(deps: Deps, eventIds: DueEvent[]): Promise<void> {
  const until = deps.now() + RUN_MILLISECONDS;
  const due = await findDueCallbacks(deps.db, eventIds);
  await endWithoutUrl(deps, due);
  await inParallel(toLanes(due), CONNECTIONS, (lane) => postLane(deps, lane, until));
}

/** Never throws: what has a URL is posted all the same. What a failed store leaves is found by the sweep. */
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

/** Lanes in the order in which they get connections: each endpoint's first, then each one's second. */
function toLanes(callbacks: DueCallback[]): Lane[] {
  const withUrl = callbacks.filter(({ callbackUrl }) => callbackUrl !== null);
  const endpoints = [...Map.groupBy(withUrl, ({ callbackUrl }) => endpointOf(String(callbackUrl))).values()];
  const lanes = endpoints.map((ofEndpoint) => {
    const endpoint = { timedOut: false };
    // The events of one message share a lane, so that they arrive in their order.
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

/** What is stored may be no URL by the rule of today, which only the post tells: it must not throw for all of a batch. */
function endpointOf(callbackUrl: string): string {
  return URL.canParse(callbackUrl) ? new URL(callbackUrl).host : callbackUrl;
}

/** Never throws: the other lanes go on. What a failed store leaves unclaimed is found by the sweep. */
async function postLane(deps: Deps, { endpoint, eventIds }: Lane, until: number): Promise<void> {
  try {
    for (let start = 0; start < eventIds.length; start += CALLBACKS_A_CLAIM) {
      const claim = deps.newId();
      const some = eventIds.slice(start, start + CALLBACKS_A_CLAIM);
      const claiming = claimCallbacks(deps.db, { eventIds: some, claim, now: deps.now() });
      const claimed = await claimOrRelease(deps, claim, claiming);
      const left = await postClaimed(deps, claimed, endpoint, until);
      if (!isOver(deps, endpoint, until)) continue;
      return await putBack(deps, [...left, ...eventIds.slice(start + CALLBACKS_A_CLAIM)], claim, endpoint);
    }
  } catch (error) {
    deps.log("error", "callbacks.failed", { count: eventIds.length, error: describeError(error) });
  }
}

const isOver = (deps: Deps, { timedOut }: Lane["endpoint"], until: number) => timedOut || deps.now() > until;

/** @returns what was not posted */
async function postClaimed(
  deps: Deps,
  callbacks: ClaimedCallback[],
  endpoint: Lane["endpoint"],
  until: number,
): Promise<DueEvent[]> {
  const records: CallbackRecord[] = [];
  for (const callback of callbacks) {
    if (isOver(deps, endpoint, until)) break;
    const record = await post(deps, callback);
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

async function putBack(deps: Deps, eventIds: DueEvent[], claim: string, endpoint: Lane["endpoint"]): Promise<void> {
  if (eventIds.length === 0) return;
  const delaySeconds = endpoint.timedOut ? REST_SECONDS : 0;
  await releaseCallbacks(deps.db, eventIds, claim, deps.now() + delaySeconds * 1000);
  await queueCallbacks(deps, eventIds, delaySeconds);
}

async function post(deps: Deps, callback: ClaimedCallback): Promise<CallbackRecord> {
  const started = deps.now();
  const result = await signAndPost(deps, callback, started);
  const durationMilliseconds = deps.now() - started;
  deps.log(result.httpStatus !== null && result.httpStatus < 300 ? "info" : "warn", "callback.posted", {
    eventId: callback.eventId,
    outcome: result.outcome,
    httpStatus: result.httpStatus,
    milliseconds: durationMilliseconds,
  });
  return { eventId: callback.eventId, durationMilliseconds, ...result };
}

/** Never throws: what cannot be signed is the result of this one callback, and the claim's others are posted. */
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

/** @throws Error that tells the operator what may have happened */
async function unsealAll({ config }: Deps, { callbackSecrets }: ClaimedCallback): Promise<string[]> {
  try {
    return await Promise.all(callbackSecrets.map((sealed) => unseal(sealed, config.serviceKey ?? "")));
  } catch (cause) {
    throw new Error("the callback secret cannot be decrypted; has SERVICE_KEY changed?", { cause });
  }
}
