import type { Deps } from "../deps.ts";
import { type FieldError, failField, RequestFailure } from "../domain/failure.ts";
import type { Send } from "../domain/messages/send.ts";
import { sendRequestSchema } from "../domain/messages/send-request.ts";
import { inDatabaseOfHome } from "../flows/databases/places.ts";
import { acceptSend, prepareSend, type Sender, trySend } from "../flows/messages/accept-message.ts";
import { type ApiRequest, clientOf, type Handler } from "./api-request.ts";
import { BODY_LIMITS, noteIgnored, readJson } from "./body.ts";
import { countingOf, limitRate } from "./guards.ts";

/** POST /text/message/send */
export const sendMessageHandler: Handler = async (request, deps) => {
  const send = await readSend(request, deps);
  const own = await inDatabaseOfHome(deps, clientOf(request).home, send.database);
  const accepting = acceptSend(own, send, countingOf(request, deps));
  // A client that hangs up does not end it: a stored message is queued.
  deps.waitUntil(accepting.catch(() => {}));
  const messageId = await accepting;
  request.logged = { messageId };
  return Response.json({ messageId });
};

/** A valid request is counted when it is stored. An invalid one counts as well, and over the limit that is its answer. */
async function readSend(request: ApiRequest, deps: Deps): Promise<Send> {
  try {
    const body = await readJson(request, BODY_LIMITS.send);
    const sender = senderOf(request, deps);
    const { data: message, details = [] } = trySend(sender, body.value);
    const { key, fault } = tryIdempotencyKey(request);
    noteIgnored(request, sendRequestSchema, body.value);
    if (!message || fault) {
      throw new RequestFailure({ kind: "fields-wrong", details: fault ? [...details, fault] : details });
    }
    return await prepareSend(deps, sender, message, key === undefined ? key : { key, body });
  } catch (error) {
    await limitRate(request, deps);
    throw error;
  }
}

/** Links lead to the configured origin; without one, to the origin under which the client has reached us. */
export function senderOf(request: ApiRequest, deps: Deps): Sender {
  return { client: clientOf(request), linkOrigin: deps.config.linkOrigin ?? new URL(request.url).origin };
}

/** @throws RequestFailure fields-wrong */
export function readIdempotencyKey(request: ApiRequest): string | undefined {
  const { key, fault } = tryIdempotencyKey(request);
  if (fault) failField(fault.field, fault.message);
  return key;
}

function tryIdempotencyKey(request: ApiRequest): { key: string | undefined; fault?: FieldError } {
  const key = request.headers.get("Idempotency-Key")?.trim();
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return { key };
  return { key, fault: { field: "Idempotency-Key", message: "must have 1 to 255 visible characters" } };
}
