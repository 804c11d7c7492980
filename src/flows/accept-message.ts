import type { Deps } from "../deps.ts";
import type { Credentials } from "../domain/client.ts";
import { RequestFailure } from "../domain/failure.ts";
import { newLinkCode, placeLink } from "../domain/link.ts";
import { countSegments } from "../domain/segments.ts";
import type { SendRequest } from "../domain/send-request.ts";
import { sha256Hex } from "../platform/secrets.ts";
import {
  type OnceKey,
  type Stored,
  type StoredMessage,
  type StoreOptions,
  storeMessages,
} from "../platform/store/store-messages.ts";
import { queueCallbacks, queueJobs, queueTogether } from "./queue-jobs.ts";

export const IDEMPOTENCY_MILLISECONDS = 24 * 3_600_000;

/** Who sends, and under which origin handsets reach this service. */
export interface Sender {
  client: Credentials;
  linkOrigin: string;
}

/** The value of the Idempotency-Key header, and the body that it is bound to. */
export interface Idempotency {
  key: string;
  body: string;
}

/**
 * Stores a message, and queues what follows from its first status. Once this has returned, the message is never lost.
 * @returns the id of the message, or of the earlier one that it repeats
 * @throws RequestFailure idempotency-conflict, store-unavailable
 */
export async function acceptMessage(
  deps: Deps,
  sender: Sender,
  request: SendRequest,
  idempotency: Idempotency | undefined,
): Promise<string> {
  const { client } = sender;
  const messageId = deps.newId();
  const options = storeOptions(deps, client, idempotency && (await onceKey(deps, idempotency, messageId)));
  const message = await toStoredMessage(deps, sender, request, messageId);
  const stored = await storeOrCancel(deps, options, [message]);
  if (stored.kind === "conflict") throw new RequestFailure({ kind: "idempotency-conflict" });
  if (stored.kind === "repeated") return stored.attempt;
  followUp(deps, stored);
  return stored.duplicates.get(messageId) ?? messageId;
}

async function onceKey(deps: Deps, { key, body }: Idempotency, attempt: string): Promise<OnceKey> {
  const expiresAt = deps.now() + IDEMPOTENCY_MILLISECONDS;
  return { key: `key:${key}`, bodyHash: await sha256Hex(body), expiresAt, attempt };
}

export function storeOptions(deps: Deps, client: Credentials, once: OnceKey | undefined): StoreOptions {
  const { websiteId, clientId, duplicateWindowHours } = client;
  const acceptedAt = deps.now();
  const duplicatesUntil = duplicateWindowHours === null ? null : acceptedAt + duplicateWindowHours * 3_600_000;
  return { websiteId, clientId, acceptedAt, once: once ?? null, duplicatesUntil };
}

/** The message that a request asks for, with its link in place of the URL. */
export async function toStoredMessage(
  deps: Deps,
  { client, linkOrigin }: Sender,
  request: SendRequest,
  messageId: string,
): Promise<StoredMessage> {
  const { websiteId, clientId, duplicateWindowHours } = client;
  const { clickUrl, sendPurpose } = request;
  const linkCode = clickUrl === null ? null : newLinkCode(deps.randomBytes);
  const text = clickUrl === null ? request.text : placeLink(request.text, clickUrl, `${linkOrigin}/l/${linkCode}`);
  const same = JSON.stringify([request.text, sendPurpose]);
  const sameHash = duplicateWindowHours === null ? null : await sha256Hex(same);
  const acceptedAt = deps.now();
  return { ...request, ...countSegments(text), text, linkCode, messageId, websiteId, clientId, acceptedAt, sameHash };
}

/**
 * A store that fails may still have stored the messages. The client is told to send them again, so what may have been
 * stored is taken back; but not with an Idempotency-Key, under which the repetition will find it.
 */
export async function storeOrCancel(deps: Deps, options: StoreOptions, messages: StoredMessage[]): Promise<Stored> {
  try {
    return await storeMessages(deps.db, options, messages);
  } catch (error) {
    const messageIds = messages.map(({ messageId }) => messageId);
    if (!options.once) await queueJobs(deps, [{ kind: "cancel", messageIds }]);
    throw error;
  }
}

/** Queues deliveries and callbacks, after the answer. */
export function followUp(deps: Deps, { pending, due }: Stored & { kind: "stored" }): void {
  if (pending.length > 0) deps.waitUntil(queueTogether(deps, pending));
  if (due.length > 0) deps.waitUntil(queueCallbacks(deps, due));
}
