import type { Deps } from "../../deps.ts";
import type { Credentials } from "../../domain/clients/client.ts";
import type { Admission } from "../../domain/clients/sliding-window.ts";
import { RequestFailure, type Tried } from "../../domain/failure.ts";
import { findCountryFault } from "../../domain/messages/allowed-countries.ts";
import { canonicalJson } from "../../domain/messages/canonical-json.ts";
import { kindOf } from "../../domain/messages/kind.ts";
import { codeLength, newLinkCode, placeLink } from "../../domain/messages/link.ts";
import { timesOf } from "../../domain/messages/message-times.ts";
import { countSegments } from "../../domain/messages/segments.ts";
import type {
  AcceptedMessage,
  FailedSend,
  RefusedSend,
  Send,
  SendKey,
  StoredSend,
} from "../../domain/messages/send.ts";
import { type SendRequest, trySendRequest } from "../../domain/messages/send-request.ts";
import { countryOf } from "../../domain/people/places.ts";
import { describeError } from "../../platform/describe-error.ts";
import type { KnownClient, SendAnswer } from "../../platform/rate-limiter.ts";
import { sha256Hex } from "../../platform/secrets.ts";
import { SilenceError } from "../../platform/time-limit.ts";
import { findRepeated } from "../../store/messages/sends.ts";
import type { Phones } from "./find-phones.ts";
import { queueAccepted } from "./queue-jobs.ts";
import { storeGroup } from "./store-sends.ts";
import { settleUnstored } from "./unstored-sends.ts";

export const IDEMPOTENCY_MILLISECONDS = 24 * 3_600_000;

/** The client that sends, and the origin for tracking links. */
export interface Sender {
  client: Credentials;
  linkOrigin: string;
}

/** The value of the Idempotency-Key header, and the JSON to which it is bound. */
interface Idempotency {
  key: string;
  body: string;
}

/**
 * The request of a sender, or every rule that its body breaks.
 * @param now when it was asked for the first time, in milliseconds since 1970: its times are compared to this
 */
export function trySend({ client, linkOrigin }: Sender, body: unknown, now: number): Tried<SendRequest> {
  const tried = trySendRequest(body, linkTo(linkOrigin, "x".repeat(codeLength(client.home))), now);
  const phone = tried.data?.phone ?? null;
  const fault = phone === null ? undefined : findCountryFault(client.allowedCountries, phone, "phone");
  return fault ? { details: [fault] } : tried;
}

const linkTo = (origin: string, code: string): string => `${origin}/l/${code}`;

/** A send request as it is stored, with an id of its own. */
export async function prepareSend(
  deps: Deps,
  sender: Sender,
  request: SendRequest,
  phones: Phones,
  idempotency: Idempotency | undefined,
): Promise<Send> {
  const { home, database, dailyLimit } = sender.client;
  const message = await toStoredMessage(deps, sender, request, phones, deps.newId(home));
  const key = idempotency ? await toKey(deps, idempotency) : null;
  return { message, key, duplicatesUntil: duplicatesUntil(deps, sender.client), database, dailyLimit };
}

async function toKey(deps: Deps, { key, body }: Idempotency): Promise<SendKey> {
  return { value: key, bodyHash: await hashBody(body), expiresAt: deps.now() + IDEMPOTENCY_MILLISECONDS };
}

/** What a repetition must repeat: the body in its canonical form. */
export const hashBody = (body: string): Promise<string> => sha256Hex(canonicalJson(body));

/** End of the window in which duplicates are suppressed; null: they are not. */
export function duplicatesUntil(deps: Deps, { duplicateWindowHours }: Credentials): number | null {
  return duplicateWindowHours === null ? null : deps.now() + duplicateWindowHours * 3_600_000;
}

/** The message of a request, with its link in place of the URL. */
export async function toStoredMessage(
  deps: Deps,
  { client, linkOrigin }: Sender,
  request: SendRequest,
  phones: Phones,
  messageId: string,
): Promise<AcceptedMessage> {
  const { websiteId, clientId, duplicateWindowHours, home } = client;
  const { sendAt, expireAt: _, kind: _2, ...given } = request;
  const { clickUrl, sendPurpose } = given;
  const linkCode = clickUrl === null ? null : newLinkCode(home, deps.randomBytes, deps.signLink);
  const text =
    clickUrl === null ? request.text : placeLink(request.text, clickUrl, linkTo(linkOrigin, String(linkCode)));
  const content = JSON.stringify([request.text, sendPurpose, sendAt]);
  const dedupeHash = duplicateWindowHours === null ? null : await sha256Hex(content);
  const acceptedAt = deps.now();
  const ids = { messageId, websiteId, clientId, acceptedAt };
  const phoneFound = phones.get(request.email ?? "");
  const phone = request.phone ?? phoneFound;
  const country = phone === undefined ? undefined : countryOf(phone);
  const times = timesOf(client, request, phone, ids, deps.config.submitWithinMilliseconds);
  const kind = kindOf(client, request);
  return { ...given, ...countSegments(text), text, linkCode, dedupeHash, ...ids, ...times, kind, country, phoneFound };
}

/** What a request does with the answers of the object of its website. `renew` and `admit` throw a RequestFailure on a refusal. */
export interface Counting {
  /** The client in the latest state that the request has. */
  client(): KnownClient;
  /** Checks the request against the later state of the client that the object has. */
  renew(newer: Credentials): void;
  /** Takes the object's count of the request. */
  admit(admission: Admission): void;
}

export interface AcceptedSend {
  messageId: string;
  /** Milliseconds since 1970. */
  scheduledFor?: number | undefined;
}

/**
 * Counts and stores a send through the object of its website. If the object does not answer, the send is stored here: its id keeps it
 * from being stored twice.
 * The delivery or the callback is queued here, and not by the object, because the answer of the object may be lost. If nothing then
 * confirms the message, a job cancels it, and nothing must have sent it before. Once this has returned, the message is never lost.
 * @returns the id of the message, or of the earlier message that this one repeats, and when it may go, if that is not now
 * @throws RequestFailure of `counting`, idempotency-conflict, daily-limit-reached; see settleUnstored
 */
export async function acceptSend(deps: Deps, send: Send, counting: Counting): Promise<AcceptedSend> {
  const { messageId } = send.message;
  const { admission, stored, isLost } = await askObject(deps, send, counting);
  const outcome = stored
    ? await orRepeated(deps, send, stored)
    : admission
      ? NOT_ADMITTED
      : await storeHere(deps, send);
  const fate = { isKeyed: send.key !== null, isLost };
  // This comes before `admit`, which throws if the limit refuses the send: a send whose answer is lost may be stored all the same.
  const unconfirmed = [{ field: "body", messageId }];
  const failure = outcome.kind === "failed" ? await settleUnstored(deps, unconfirmed, outcome, fate) : undefined;
  if (admission) counting.admit(admission);
  switch (outcome.kind) {
    case "stored":
      queueAccepted(deps, "messages", { pending: outcome.isPending ? [send.message] : [], due: outcome.due });
      return { messageId, scheduledFor: outcome.scheduledFor };
    case "repeated":
      return outcome;
    case "conflict":
      throw new RequestFailure({ kind: "idempotency-conflict" });
    case "over-limit":
      throw new RequestFailure({ kind: "daily-limit-reached", ...outcome.overLimit });
    case "failed":
      throw failure;
  }
}

/** What the daily limit refuses may repeat a message by its key. @throws RequestFailure store-unavailable: then it is not stored */
async function orRepeated(deps: Deps, send: Send, stored: StoredSend | RefusedSend): Promise<StoredSend | RefusedSend> {
  if (stored.kind !== "over-limit") return stored;
  return (await findRepeated(deps.db, send, deps.now())) ?? stored;
}

/** The rate limit refuses the send, so the object has not stored it. `admit` then throws. */
const NOT_ADMITTED: FailedSend = { kind: "failed", isUnavailable: true, isRefused: true, error: "over the limit" };

interface Asked {
  /** undefined: the object does not answer, and no recent refusal speaks against the website. */
  admission: Admission | undefined;
  /** null: the object has stored nothing, or has not answered. */
  stored: StoredSend | RefusedSend | null;
  /** The object has not answered: the send may be stored. */
  isLost: boolean;
}

/** Has the object count and store the send. If the object has a later state of the client, the request is checked against it first. */
async function askObject(deps: Deps, send: Send, counting: Counting): Promise<Asked> {
  let answer: SendAnswer;
  try {
    answer = await deps.limiter.send(send, deps.now, counting.client());
  } catch (error) {
    const { messageId, websiteId } = send.message;
    const admission = error instanceof SilenceError ? deps.limiter.afterSilence(websiteId, deps.now()) : undefined;
    if (!admission) deps.log("error", "rate-limiter.failed", { messageId, websiteId, error: describeError(error) });
    return { admission, stored: null, isLost: true };
  }
  if (!("newer" in answer)) return { ...answer, isLost: false };
  counting.renew(answer.newer);
  return askObject(deps, { ...send, dailyLimit: answer.newer.dailyLimit }, counting);
}

async function storeHere(deps: Deps, send: Send): Promise<StoredSend> {
  const [stored] = await storeGroup(deps, [send]);
  return stored as StoredSend;
}
