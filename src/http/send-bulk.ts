import { acceptBulk } from "../flows/messages/accept-bulk.ts";
import type { Handler } from "./api-request.ts";
import { BODY_LIMITS, readChunks, requireMediaType } from "./body.ts";
import { readIdempotencyKey, senderOf } from "./send-message.ts";

/** POST /text/bulk/message/send : stored while the body comes in, so that neither has to fit into memory whole. */
export const sendMessagesHandler: Handler = async (request, deps) => {
  requireMediaType(request, "application/json");
  const key = readIdempotencyKey(request);
  const { answer, ignored } = await acceptBulk(
    deps,
    senderOf(request, deps),
    readChunks(request, BODY_LIMITS.bulk),
    key,
  );
  request.ignored = ignored;
  request.logged = { stored: answer.successSent.length, failed: answer.failedSent.length };
  return Response.json(answer);
};
