// Pure. The request of POST /text/message/cancel: one id, or several.
import * as z from "zod";
import { jsonObject, orEmpty, ruleOfFields, strings } from "../fields.ts";

export const MAX_CANCELLED = 1_000;

const MOST = MAX_CANCELLED.toLocaleString("en");
const FEW = `must be an array of 1 to ${MOST} message ids`;

const messageIds = strings(FEW, (count) =>
  count === 0 || count > MAX_CANCELLED ? `has ${count} items; it ${FEW}` : undefined,
).meta({
  description: `1 to ${MOST} ids that send requests returned, in place of \`messageId\`.`,
  items: { type: "string" },
  minItems: 1,
  maxItems: MAX_CANCELLED,
});

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== "";

const requireEither = ruleOfFields<{ messageId?: unknown; messageIds?: unknown }>((body, add) => {
  if (isGiven(body.messageId) === isGiven(body.messageIds)) {
    add("messageId", "either messageId or messageIds must be given, and not both");
  }
});

/** The ids, in the order in which they were given. */
export const cancelRequestSchema = jsonObject({
  messageId: orEmpty(z.string("must be a string")).meta({ description: "The id that a send request returned." }),
  messageIds: orEmpty(messageIds),
})
  .check(requireEither)
  .transform((body) => (body.messageIds ? [...body.messageIds] : [String(body.messageId)]));
