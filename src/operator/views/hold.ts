import * as z from "zod";
import type { Hold } from "../../domain/messages/hold.ts";
import { toTime } from "../../http/time.ts";
import { heldSchema } from "../answers.ts";

/** What it covers, and who made it, when and why. */
export const storedHoldSchema = z.object({
  holdId: z.string(),
  sendPurpose: z.string().nullable().describe("null: any."),
  clientId: z.string().nullable().describe("null: any."),
  ...heldSchema.shape,
});

export function holdView({ holdId, sendPurpose, clientId, since, by, reason }: Hold) {
  return { holdId, sendPurpose, clientId, since: toTime(since), by, reason };
}

/** The field beside a count that may be too low. */
export const atLeastShape = {
  atLeast: z
    .literal(true)
    .optional()
    .describe("There may be more: counting all of them would take too long. Left out otherwise."),
};
