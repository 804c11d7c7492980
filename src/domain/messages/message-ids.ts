// Pure. The message ids of a request.
import { jsonObject, strings } from "../fields.ts";

export const MAX_MESSAGE_IDS = 5_000;

const MOST = MAX_MESSAGE_IDS.toLocaleString("en");
const FEW = `must be an array of 1 to ${MOST} message ids`;

export const messageIdsSchema = jsonObject({
  messageIds: strings(FEW, (count) =>
    count === 0 || count > MAX_MESSAGE_IDS ? `has ${count} items; it ${FEW}` : undefined,
  ).meta({
    description: `1 to ${MOST} ids that send requests returned. A string that is no id of a message is in \`unknownMessageIds\`.`,
    items: { type: "string" },
    minItems: 1,
    maxItems: MAX_MESSAGE_IDS,
  }),
});
