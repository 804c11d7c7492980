import type { Deps } from "../deps.ts";
import type { Credentials } from "../domain/client.ts";
import { RequestFailure } from "../domain/failure.ts";
import type { NewMessage } from "../domain/message.ts";
import { countSegments } from "../domain/segments.ts";
import type { SendRequest } from "../domain/send-request.ts";
import { sha256Hex } from "../platform/secrets.ts";
import { type SendKey, type SendKeys, storeMessage } from "../platform/store/send-keys.ts";
import { findPhoneByEmail } from "../platform/store/subscriptions.ts";
import { queueCallbacks, queueJobs } from "./queue-jobs.ts";

const IDEMPOTENCY_MILLISECONDS = 24 * 3_600_000;

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
  client: Credentials,
  request: SendRequest,
  idempotency: Idempotency | undefined,
): Promise<string> {
  const { websiteId, clientId } = client;
  const message: NewMessage = {
    ...request,
    ...countSegments(request.text),
    messageId: deps.newId(),
    websiteId,
    clientId,
    acceptedAt: deps.now(),
  };
  const keys: SendKeys = {
    idempotency: idempotency && (await idempotencyKey(idempotency, message.acceptedAt)),
    duplicate: await duplicateKey(deps, message, client.duplicateWindowHours),
  };
  const acceptance = await storeOrCancel(deps, message, keys);
  if (acceptance.kind === "conflict") throw new RequestFailure({ kind: "idempotency-conflict" });
  if (acceptance.kind === "repeated") return acceptance.messageId;
  const { messageId } = message;
  if (acceptance.status === "PENDING_TO_SEND") deps.waitUntil(queueJobs(deps, [{ kind: "deliver", messageId }]));
  if (acceptance.due.length > 0) deps.waitUntil(queueCallbacks(deps, acceptance.due));
  return messageId;
}

/**
 * A store that fails may still have stored the message. The client is told to send it again, so what may have been
 * stored is taken back; but not with an Idempotency-Key, under which the repetition will find it.
 */
async function storeOrCancel(deps: Deps, message: NewMessage, keys: SendKeys) {
  try {
    return await storeMessage(deps.db, message, keys);
  } catch (error) {
    if (!keys.idempotency) await queueJobs(deps, [{ kind: "cancel", messageId: message.messageId }]);
    throw error;
  }
}

async function idempotencyKey({ key, body }: Idempotency, now: number): Promise<SendKey> {
  return { key: `key:${key}`, bodyHash: await sha256Hex(body), expiresAt: now + IDEMPOTENCY_MILLISECONDS };
}

async function duplicateKey(deps: Deps, message: NewMessage, windowHours: number | null): Promise<SendKey | undefined> {
  if (windowHours === null) return undefined;
  const phone =
    message.email === null ? message.phone : await findPhoneByEmail(deps.db, message.websiteId, message.email);
  if (phone === null) return undefined;
  const hash = await sha256Hex(JSON.stringify([phone, message.text, message.sendPurpose]));
  return { key: `same:${hash}`, bodyHash: hash, expiresAt: message.acceptedAt + windowHours * 3_600_000 };
}
