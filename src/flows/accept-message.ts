import type { Deps } from "../deps.ts";
import type { Credentials } from "../domain/client.ts";
import { type FieldError, isStoreRefused, isStoreUnavailable, RequestFailure } from "../domain/failure.ts";
import { newLinkCode, placeLink } from "../domain/link.ts";
import { countSegments } from "../domain/segments.ts";
import { type SendRequest, validateLinkedText } from "../domain/send-request.ts";
import { sha256Hex } from "../platform/secrets.ts";
import { keepCancellation } from "../platform/store/cancelled-messages.ts";
import type { IdempotencyKey } from "../platform/store/idempotency-keys.ts";
import { type Stored, type StoredMessage, type StoreOptions, storeMessages } from "../platform/store/new-messages.ts";
import { queueBatched, queueCallbacks, queueJobs } from "./queue-jobs.ts";

export const IDEMPOTENCY_MILLISECONDS = 24 * 3_600_000;

/** The client that sends, and the origin for tracking links. */
export interface Sender {
  client: Credentials;
  linkOrigin: string;
}

/** The value of the Idempotency-Key header, and the body to which it is bound. */
interface Idempotency {
  key: string;
  body: string;
}

/**
 * Stores a message, and queues its delivery or its callback. Once it has returned, the message is never lost.
 * @returns the id of the message, or of the earlier message that this one repeats
 * @throws RequestFailure fields-wrong, idempotency-conflict, store-unavailable
 */
export async function acceptMessage(
  deps: Deps,
  sender: Sender,
  request: SendRequest,
  idempotency: Idempotency | undefined,
): Promise<string> {
  const { client } = sender;
  const messageId = deps.newId();
  const key = idempotency ? await toKey(deps, client, idempotency, messageId) : null;
  const { message, detail } = await toStoredMessage(deps, sender, request, messageId);
  if (detail) throw new RequestFailure({ kind: "fields-wrong", details: [detail] });
  const stored = await storeOrCancel(deps, storeOptions(deps, client, key), [message]);
  if (stored.kind === "conflict") throw new RequestFailure({ kind: "idempotency-conflict" });
  if (stored.kind === "repeated") return stored.attempt;
  if (stored.pending.length > 0) deps.waitUntil(queueBatched(deps, stored.pending));
  queueDue(deps, stored);
  return stored.duplicates.get(messageId) ?? messageId;
}

async function toKey(
  deps: Deps,
  { websiteId, clientId }: Credentials,
  { key, body }: Idempotency,
  attempt: string,
): Promise<IdempotencyKey> {
  const expiresAt = deps.now() + IDEMPOTENCY_MILLISECONDS;
  return { websiteId, clientId, key, bodyHash: await sha256Hex(body), expiresAt, attempt, part: null };
}

export function storeOptions(deps: Deps, client: Credentials, key: IdempotencyKey | null): StoreOptions {
  const { websiteId, clientId, duplicateWindowHours } = client;
  const acceptedAt = deps.now();
  const duplicatesUntil = duplicateWindowHours === null ? null : acceptedAt + duplicateWindowHours * 3_600_000;
  return { websiteId, clientId, acceptedAt, key, duplicatesUntil };
}

type ToStore = { message: StoredMessage; detail?: undefined } | { message?: undefined; detail: FieldError };

/** The message of a request, with its link in place of the URL; or the rule that it breaks with its link. */
export async function toStoredMessage(
  deps: Deps,
  { client, linkOrigin }: Sender,
  request: SendRequest,
  messageId: string,
): Promise<ToStore> {
  const { websiteId, clientId, duplicateWindowHours } = client;
  const { clickUrl, sendPurpose } = request;
  const linkCode = clickUrl === null ? null : newLinkCode(deps.randomBytes);
  const text = clickUrl === null ? request.text : placeLink(request.text, clickUrl, `${linkOrigin}/l/${linkCode}`);
  const message = validateLinkedText(text);
  if (message) return { detail: { field: "text", message } };
  const content = JSON.stringify([request.text, sendPurpose]);
  const dedupeHash = duplicateWindowHours === null ? null : await sha256Hex(content);
  const acceptedAt = deps.now();
  const ids = { messageId, websiteId, clientId, acceptedAt };
  return { message: { ...request, ...countSegments(text), text, linkCode, dedupeHash, ...ids } };
}

/**
 * A store that fails may still have stored the messages, unless it refused the call. The client is told to send them again, so they are cancelled; but not
 * with an Idempotency-Key, with which the retry finds them.
 * @throws RequestFailure store-unavailable: a retry is safe. Error when it is not: the cancellation could not be kept
 */
export async function storeOrCancel(deps: Deps, options: StoreOptions, messages: StoredMessage[]): Promise<Stored> {
  try {
    return await storeWithinLimit(deps, options, messages);
  } catch (error) {
    if (options.key && isStoreUnavailable(error)) {
      const isRefused = isStoreRefused(error);
      throw new RequestFailure({ kind: "store-unavailable", isKeyed: true, isRefused }, { cause: error });
    }
    if (!options.key && !isStoreRefused(error)) await cancel(deps, messages);
    throw error;
  }
}

/** Sheds load: what the store cannot take in time is refused at once. @throws RequestFailure store-unavailable */
async function storeWithinLimit(deps: Deps, options: StoreOptions, messages: StoredMessage[]): Promise<Stored> {
  const { intake } = deps;
  if (!intake.begin()) throw new RequestFailure({ kind: "store-unavailable", isRefused: true });
  const beganAt = deps.now();
  let outcome: "done" | "refused" | "failed" = "done";
  try {
    return await storeMessages(deps.db, options, messages);
  } catch (error) {
    outcome = isStoreRefused(error) ? "refused" : "failed";
    throw error;
  } finally {
    intake.end(beganAt, deps.now(), outcome);
  }
}

/** While the store fails, the queue keeps the cancellation, or else KV. */
async function cancel(deps: Deps, messages: StoredMessage[]): Promise<void> {
  const messageIds = messages.map(({ messageId }) => messageId);
  if (await queueJobs(deps, [{ kind: "cancel", messageIds }])) return;
  try {
    await keepCancellation(deps.kv, `${deps.now()}:${deps.newId()}`, messageIds);
  } catch (error) {
    throw new Error("neither the queue nor KV accepts the cancellation of messages that may be stored", {
      cause: error,
    });
  }
}

/** Queues the callbacks of messages with a final status, after the response. */
export function queueDue(deps: Deps, { due }: Stored & { kind: "stored" }): void {
  if (due.length > 0) deps.waitUntil(queueCallbacks(deps, due));
}
