import type { Deps } from "../deps.ts";
import { canonicalJson } from "../domain/canonical-json.ts";
import type { Credentials } from "../domain/client.ts";
import { RequestFailure, type Tried } from "../domain/failure.ts";
import { codeLength, newLinkCode, placeLink } from "../domain/link.ts";
import { countSegments } from "../domain/segments.ts";
import { type SendRequest, trySendRequest } from "../domain/send-request.ts";
import type { Admission } from "../domain/sliding-window.ts";
import { describeError } from "../platform/describe-error.ts";
import { askAsPresent, type CountedSend, type Newer } from "../platform/rate-limiter.ts";
import { sha256Hex } from "../platform/secrets.ts";
import type { StoredMessage } from "../platform/store/new-messages.ts";
import type { Send, SendKey, StoredSend } from "../platform/store/sends.ts";
import { queueSend } from "./queue-jobs.ts";
import { queueRecovery } from "./recovery-jobs.ts";
import { storeAfterLoss } from "./store-sends.ts";

export const IDEMPOTENCY_MILLISECONDS = 24 * 3_600_000;

/** The client that sends, and the origin for tracking links. */
export interface Sender {
  client: Credentials;
  linkOrigin: string;
}

/** The value of the Idempotency-Key header, and the body to which it is bound: as it came, and parsed. */
interface Idempotency {
  key: string;
  body: { text: string; value: unknown };
}

/** The request of a sender, or every rule that its body breaks. */
export function trySend({ client, linkOrigin }: Sender, body: unknown): Tried<SendRequest> {
  return trySendRequest(body, linkTo(linkOrigin, "x".repeat(codeLength(client.home))));
}

const linkTo = (origin: string, code: string): string => `${origin}/l/${code}`;

/** A send request as it is stored, with an id of its own. */
export async function prepareSend(
  deps: Deps,
  sender: Sender,
  request: SendRequest,
  idempotency: Idempotency | undefined,
): Promise<Send> {
  const { home, database } = sender.client;
  const message = await toStoredMessage(deps, sender, request, deps.newId(home));
  const key = idempotency ? await toKey(deps, idempotency) : null;
  return { message, key, duplicatesUntil: duplicatesUntil(deps, sender.client), database };
}

async function toKey(deps: Deps, { key, body }: Idempotency): Promise<SendKey> {
  const { value, text } = body;
  return { value: key, bodyHash: await hashBody(value, text), expiresAt: deps.now() + IDEMPOTENCY_MILLISECONDS };
}

/** What a repetition must repeat: the body in its canonical form. */
export const hashBody = (value: unknown, text: string): Promise<string> => sha256Hex(canonicalJson(value, text));

/** End of the window in which duplicates are suppressed; null: they are not. */
export function duplicatesUntil(deps: Deps, { duplicateWindowHours }: Credentials): number | null {
  return duplicateWindowHours === null ? null : deps.now() + duplicateWindowHours * 3_600_000;
}

/** The message of a request, with its link in place of the URL. */
export async function toStoredMessage(
  deps: Deps,
  { client, linkOrigin }: Sender,
  request: SendRequest,
  messageId: string,
): Promise<StoredMessage> {
  const { websiteId, clientId, duplicateWindowHours, home } = client;
  const { clickUrl, sendPurpose } = request;
  const linkCode = clickUrl === null ? null : newLinkCode(home, deps.randomBytes, deps.signLink);
  const text =
    clickUrl === null ? request.text : placeLink(request.text, clickUrl, linkTo(linkOrigin, String(linkCode)));
  const content = JSON.stringify([request.text, sendPurpose]);
  const dedupeHash = duplicateWindowHours === null ? null : await sha256Hex(content);
  const acceptedAt = deps.now();
  const ids = { messageId, websiteId, clientId, acceptedAt };
  return { ...request, ...countSegments(text), text, linkCode, dedupeHash, ...ids };
}

/** What the object of a website says of a request, beside storing it. Each throws a RequestFailure on a refusal. */
export interface Counting {
  client(): Pick<Credentials, "clientId" | "version">;
  /** The object knows a later state of the client. */
  renew(newer: Credentials): void;
  admit(admission: Admission): void;
}

/**
 * Counts and stores a send through the object of its website, and queues its delivery or its callback. Once it has returned,
 * the message is never lost.
 * @returns the id of the message, or of the earlier message that this one repeats
 * @throws RequestFailure of `counting`, idempotency-conflict, store-unavailable
 */
export async function acceptSend(deps: Deps, send: Send, counting: Counting): Promise<string> {
  const stored = await storeThroughObject(deps, send, counting);
  const { messageId } = send.message;
  switch (stored.kind) {
    case "stored":
      queueSend(deps, { pending: stored.isPending ? [messageId] : [], due: stored.due });
      return messageId;
    case "repeated":
      return stored.messageId;
    case "conflict":
      throw new RequestFailure({ kind: "idempotency-conflict" });
    default:
      return refuse(deps, send, stored);
  }
}

/** A send whose object has not answered is stored here. */
async function storeThroughObject(deps: Deps, send: Send, counting: Counting): Promise<StoredSend> {
  const answer = await askAsPresent<CountedSend>(() => askObject(deps, send, counting), counting.renew);
  if (answer) {
    if (answer.isUncertain && !send.key) await cancel(deps, [send.message.messageId]);
    counting.admit(answer.admission);
    if (answer.stored) return answer.stored;
  }
  const [own] = await storeAfterLoss(deps, [send]);
  return own as StoredSend;
}

/** @returns undefined when the object fails */
async function askObject(deps: Deps, send: Send, counting: Counting): Promise<CountedSend | Newer | undefined> {
  try {
    return await deps.limiter.send(send, deps.now, counting.client());
  } catch (error) {
    const { messageId, websiteId } = send.message;
    deps.log("error", "rate-limiter.failed", { messageId, websiteId, error: describeError(error) });
    return undefined;
  }
}

/**
 * A store that fails may still have stored the message, unless it refused the call. The client is told to send it again, so it
 * is cancelled; but not with an Idempotency-Key, with which the retry finds it.
 * @throws RequestFailure store-unavailable: a retry is safe. Error when it is not: the cancellation could not be kept
 */
async function refuse(deps: Deps, { message, key }: Send, stored: StoredSend & { kind: "failed" }): Promise<never> {
  const { isUnavailable, isRefused, isFull, isPaused, error } = stored;
  if (!key && !isRefused) await cancel(deps, [message.messageId]);
  if (isFull) throw new RequestFailure({ kind: "store-full" }, { cause: new Error(error) });
  if (isPaused) throw new RequestFailure({ kind: "website-paused", isKeyed: key !== null });
  if (!isUnavailable) throw new Error(error);
  throw new RequestFailure(
    { kind: "store-unavailable", isKeyed: key !== null, isRefused },
    { cause: new Error(error) },
  );
}

/** @throws Error when the cancellation could not be kept: then nobody may be told that a retry is safe */
export async function cancel(deps: Deps, messageIds: string[]): Promise<void> {
  await queueRecovery(deps, { kind: "cancel", messageIds });
}
