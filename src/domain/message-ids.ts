// Pure. The message ids of a request.
import * as z from "zod";
import { jsonObject, strings } from "./fields.ts";

export const MAX_MESSAGE_IDS = 5_000;

const FEW = `must be an array of 1 to ${MAX_MESSAGE_IDS.toLocaleString("en")} message ids`;

export const messageIdsSchema = jsonObject({
  messageIds: strings(FEW, (count) =>
    count === 0 || count > MAX_MESSAGE_IDS ? `has ${count} items; it ${FEW}` : undefined,
  ),
});

/** With descriptions. A function, so that the bundle of the Worker leaves them out: only the OpenAPI document needs them. */
export function describedMessageIds() {
  messageIdsSchema.shape.messageIds.register(z.globalRegistry, {
    description: `1 to ${MAX_MESSAGE_IDS.toLocaleString("en")} ids that send requests returned. What is no id of a message is in \`unknownMessageIds\`.`,
    items: { type: "string" },
    minItems: 1,
    maxItems: MAX_MESSAGE_IDS,
  });
  return messageIdsSchema;
}
