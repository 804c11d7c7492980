import type { Deps } from "../deps.ts";
import { type FieldError, failField, RequestFailure } from "../domain/failure.ts";
import type { Send } from "../domain/messages/send.ts";
import { type SendRequest, sendAnswerSchema, sendRequestSchema } from "../domain/messages/send-request.ts";
import {
  acceptSend,
  IDEMPOTENCY_MILLISECONDS,
  prepareSend,
  type Sender,
  trySend,
} from "../flows/messages/accept-message.ts";
import { findEmailFault, findPhones, type Phones } from "../flows/messages/find-phones.ts";
import { readKey } from "../store/messages/idempotency-keys.ts";
import { type ApiRequest, clientOf } from "./api-request.ts";
import { BODY_LIMITS, noteIgnored, readJson } from "./body.ts";
import { call, jsonBody, ok, type Parameter, type Resource } from "./call.ts";
import { MESSAGE_ID, SEND_BY_EMAIL, SEND_BY_PHONE, SEND_BY_PLACE } from "./examples.ts";
import { countingOf, limitRate } from "./guards.ts";
import { toTime } from "./time.ts";

/** The parameter of each call that sends. */
export const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "1 to 255 visible characters, such as `order-4711-shipped`, unique to the client and the call. Within 24 hours, the same key and body return the same ids and send nothing again; the same key with another body gets 409. The order of keys and white space do not matter. After 24 hours, you can use the key again.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};

const send = call({
  id: "sendMessage",
  method: "POST",
  path: "/text/message/send",
  tag: "Messages",
  summary: "Send a message",
  description:
    "Stores the message. Callbacks report its outcome. The recipient is `phone`, or the subscribed number of `email`. Unknown fields are ignored, and named in `ignoredFields`.",
  access: { client: "send" },
  database: "client",
  isCountedWhenStored: true,
  parameters: [IDEMPOTENCY_KEY],
  body: jsonBody(sendRequestSchema, BODY_LIMITS.send, {
    byPhone: SEND_BY_PHONE,
    byEmail: SEND_BY_EMAIL,
    withPlace: SEND_BY_PLACE,
  }),
  answers: [
    ok(sendAnswerSchema, "The message is stored: it is never lost and never sent twice.", { messageId: MESSAGE_ID }),
  ],
  errors: ["idempotency-conflict", "daily-limit-reached", "store-full"],
  run: async (request, deps) => {
    const send = await readSend(request, deps);
    const accepting = acceptSend(deps, send, countingOf(request, deps));
    // A client that hangs up does not end it: a stored message is queued.
    deps.waitUntil(accepting.catch(() => {}));
    const { messageId, scheduledFor } = await accepting;
    request.logged = { messageId };
    return { messageId, ...(scheduledFor === undefined ? {} : { scheduledFor: toTime(scheduledFor) }) };
  },
});

export const sendMessage: Resource = {
  calls: [send],
  schemas: { SendRequest: sendRequestSchema, SendAnswer: sendAnswerSchema },
};

/**
 * The object that stores a valid request also counts it, so an invalid request is counted here.
 * @throws RequestFailure rate-exceeded in place of any other, if the request is over the limit
 */
async function readSend(request: ApiRequest, deps: Deps): Promise<Send> {
  try {
    const body = await readJson(request, BODY_LIMITS.send);
    const sender = senderOf(request, deps);
    const { key, fault } = tryIdempotencyKey(request);
    const { data: message, details = [] } = await validate(deps, sender, body.value, key);
    noteIgnored(request, sendRequestSchema, body.value);
    if (!message || fault) {
      throw new RequestFailure({ kind: "fields-wrong", details: fault ? [...details, fault] : details });
    }
    const phones = await readPhones(deps, sender, message);
    return await prepareSend(deps, sender, message, phones, key === undefined ? undefined : { key, body: body.text });
  } catch (error) {
    await limitRate(request, deps);
    throw error;
  }
}

/**
 * The request, or every rule that its body breaks. If only its times break a rule, it may be the repetition of a request whose times
 * were valid when it first came. Then it is validated as of the first time, which its Idempotency-Key tells.
 * @param key the Idempotency-Key
 */
async function validate(deps: Deps, sender: Sender, body: unknown, key: string | undefined) {
  const tried = trySend(sender, body, deps.now());
  if (tried.data || key === undefined || !tried.details.every(({ field }) => TIMES.has(field))) return tried;
  const expiresAt = (await readKey(deps.db, sender.client.clientId, key))?.expires_at ?? 0;
  // If the key expires before the message is stored, the message is no repetition: it would go out, and late.
  if (expiresAt < deps.now() + KEY_MARGIN_MILLISECONDS) return tried;
  return trySend(sender, body, expiresAt - IDEMPOTENCY_MILLISECONDS);
}

const TIMES: ReadonlySet<string> = new Set(["sendAt", "expireAt"]);

const KEY_MARGIN_MILLISECONDS = 60_000;

/**
 * The number of the e-mail address.
 * @throws RequestFailure fields-wrong: the number is in a country to which the website does not send
 */
async function readPhones(deps: Deps, sender: Sender, request: SendRequest): Promise<Phones> {
  const phones = await findPhones(deps, sender.client, [request]);
  const fault = findEmailFault(sender.client, request, phones);
  if (fault) throw new RequestFailure({ kind: "fields-wrong", details: [fault] });
  return phones;
}

/** Links lead to the origin of the website, or else to the configured one; without one, to the origin under which the client has reached us. */
export function senderOf(request: ApiRequest, deps: Deps): Sender {
  const client = clientOf(request);
  return { client, linkOrigin: client.linkOrigin ?? deps.config.linkOrigin ?? new URL(request.url).origin };
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
