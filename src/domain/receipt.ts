// Pure. A delivery receipt: the report of a carrier about a message that it has accepted.
import * as z from "zod/mini";

export const receiptSchema = z.object({
  messageId: z.string(),
  status: z.enum(["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"]),
  reason: z.nullable(z.string()),
  /** null when the carrier gives none. */
  carrierMessageId: z.nullable(z.string()),
  /** Whether the person has opted out at the carrier. */
  optedOut: z.boolean(),
});

export type Receipt = z.output<typeof receiptSchema>;
