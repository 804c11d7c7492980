// Pure. What travels through the queue of messages: ids and outcomes, never a text or a number.
import * as z from "zod";
import { MESSAGE_STATUSES } from "./message.ts";
import { receiptSchema } from "./receipt.ts";

/** How a submission ended. `status` null: the carrier surely has not taken it, and it is tried again at `retryAt`. */
const submissionRecordSchema = z.object({
  messageId: z.string(),
  status: z.enum(MESSAGE_STATUSES).nullable(),
  reason: z.string().nullable(),
  carrierMessageId: z.string().nullable(),
  retryAt: z.number().nullable(),
  /** The carrier refused it because the person has opted out there. */
  optedOut: z.boolean(),
  /** What the carrier reported together with its answer. */
  receipt: receiptSchema.nullable(),
  /** false: it was claimed, and the carrier was not asked. */
  attempted: z.boolean().default(true),
});

export type SubmissionRecord = z.output<typeof submissionRecordSchema>;

export const jobSchema = z.discriminatedUnion("kind", [
  /** Submit the messages, if they still wait. */
  z.object({ kind: z.literal("deliver"), messageIds: z.array(z.string()) }),
  /** Take back messages whose sender was told that they are not stored: the store did not say which. */
  z.object({ kind: z.literal("cancel"), messageIds: z.array(z.string()) }),
  /** Give back what a run may have claimed and surely did not submit. */
  z.object({ kind: z.literal("release"), claim: z.string() }),
  /** Store how submissions ended, when the store did not answer at the time. */
  z.object({ kind: z.literal("record"), claim: z.string(), records: z.array(submissionRecordSchema) }),
]);

/** How many messages one job names. */
export const MESSAGES_A_JOB = 100;

export type Job = z.output<typeof jobSchema>;
