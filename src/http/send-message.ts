import { failField } from "../domain/failure.ts";
import { parseFields } from "../domain/field-errors.ts";
import { sendRequestSchema } from "../domain/send-request.ts";
import { acceptMessage } from "../flows/accept-message.ts";
import { type ApiRequest, clientOf, type Handler } from "./api-request.ts";
import { readJson } from "./body.ts";

/** Room for every field at its longest, with each character written as a \u escape. */
const BODY_BYTES = 128 * 1024;

/** POST /text/message/send */
export const sendMessage: Handler = async (request, deps) => {
  const { value, text } = await readJson(request, BODY_BYTES);
  const message = parseFields(sendRequestSchema, value);
  const key = readIdempotencyKey(request);
  const messageId = await acceptMessage(
    deps,
    clientOf(request),
    message,
    key === undefined ? key : { key, body: text },
  );
  return Response.json({ messageId });
};

/** @throws RequestFailure fields-wrong */
export function readIdempotencyKey(request: ApiRequest): string | undefined {
  const key = request.headers.get("Idempotency-Key");
  if (key === null) return undefined;
  return /^[\x21-\x7e]{1,255}$/.test(key) ? key : failField("Idempotency-Key", "must have 1 to 255 visible characters");
}
