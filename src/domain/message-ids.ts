// Pure. The message ids of a request.
import * as z from "zod/mini";

export const MAX_MESSAGE_IDS = 5_000;

const FEW = `must be an array of 1 to ${MAX_MESSAGE_IDS.toLocaleString("en")} message ids`;

const fewStrings = z.superRefine<unknown[]>((items, context) => {
  const add = (message: string, path: number[] = []) => context.addIssue({ code: "custom", message, path });
  if (items.length === 0 || items.length > MAX_MESSAGE_IDS) {
    add(`has ${items.length} items; it ${FEW}`);
    return;
  }
  items.forEach((item, index) => {
    if (typeof item !== "string") add("must be a string", [index]);
  });
});

export const messageIdsSchema = z.object(
  {
    messageIds: z.pipe(
      z.array(z.unknown(), { error: FEW }).check(fewStrings),
      z.transform((strings) => strings as string[]),
    ),
  },
  { error: "must be a JSON object" },
);

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
