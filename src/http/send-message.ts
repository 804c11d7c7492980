import type { Deps } from "../deps.ts";
import { failField, parseFields } from "../domain/failure.ts";
import { sendRequestSchema } from "../domain/send-request.ts";
import { acceptMessage, type Sender } from "../flows/accept-message.ts";
import { type ApiRequest, clientOf, type Handler } from "./api-request.ts";
import { BODY_LIMITS, readJson } from "./body.ts";

/** POST /text/message/send */
export const sendMessageHandler: Handler = async (request, deps) => {
  const { value, text } = await readJson(request, BODY_LIMITS.send);
  const message = parseFields(sendRequestSchema, value);
  const key = readIdempotencyKey(request);
  const messageId = await acceptMessage(
    deps,
    senderOf(request, deps),
    message,
    key === undefined ? key : { key, body: text },
  );
  request.logged = { messageId };
  return Response.json({ messageId });
};

/** Links lead to the configured origin; without one, to the origin under which the client has reached us. */
export function senderOf(request: ApiRequest, deps: Deps): Sender {
  return { client: clientOf(request), linkOrigin: deps.config.linkOrigin ?? new URL(request.url).origin };
}

/** @throws RequestFailure fields-wrong */
export function readIdempotencyKey(request: ApiRequest): string | undefined {
  const key = request.headers.get("Idempotency-Key");
  if (key === null) return undefined;
  return /^[\x21-\x7e]{1,255}$/.test(key) ? key : failField("Idempotency-Key", "must have 1 to 255 visible characters");
}
