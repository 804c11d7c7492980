// Pure. The jobs in the queues of messages and receipts: ids and outcomes, never a text or a phone number.
import * as z from "zod";
import { type Tried, tryFields } from "../failure.ts";
import { BY } from "./by-fallback.ts";
import { MESSAGE_STATUSES } from "./message.ts";
import { receiptSchema } from "./receipt.ts";

/** How a submission ended, for the story of its message. */
const submissionEntrySchema = z.object({
  /** When it began: milliseconds since 1970. */
  at: z.number(),
  /** null: the message was not submitted. */
  attempt: z.number().nullable(),
  outcome: z.string(),
  /** In words, for the operator. */
  reason: z.string().nullable(),
});

export type SubmissionEntry = z.output<typeof submissionEntrySchema>;

/** How a submission ended. `status` null: the carrier has not accepted it, and it is retried at `retryAt`. */
const submissionRecordSchema = z.object({
  messageId: z.string(),
  status: z.enum(MESSAGE_STATUSES).nullable(),
  /** In words, for the operator. */
  reason: z.string().nullable(),
  /** See reason.ts. */
  code: z.string().nullable(),
  carrierMessageId: z.string().nullable(),
  retryAt: z.number().nullable(),
  /** Sending hours have put it back: no run claims it before `sendAt`. `opensAt`: when they open. Left out: they have not. */
  sendAt: z.number().optional(),
  opensAt: z.number().optional(),
  /** Whether the carrier refused it because the person has opted out there. */
  optedOut: z.boolean(),
  /** The carrier's code, if it refused it because of a permanent fault of the number. */
  numberFault: z.string().nullish(),
  /** The receipt that came with the answer of the carrier. */
  receipt: receiptSchema.nullable(),
  /** false: the message was claimed, and not submitted. */
  attempted: z.boolean().default(true),
  /** By what it goes next. Left out: it does not change. */
  by: z.literal(Object.values(BY)).optional(),
  /** The entry in the history of the message. null: the first submission was accepted, which the columns of the message show. */
  entry: submissionEntrySchema.nullable(),
});

/** What a person does with a text of the sandbox. */
const rehearsalSchema = z.object({ messageId: z.string(), act: z.enum(["stop", "text", "click"]) });

export type Rehearsal = z.output<typeof rehearsalSchema>;

export type SubmissionRecord = z.output<typeof submissionRecordSchema>;

const jobSchema = z.discriminatedUnion("kind", [
  /** Submits messages that still wait. */
  z.object({ kind: z.literal("deliver"), messageIds: z.array(z.string()) }),
  /** Recovery: cancels messages that a failed store may have stored, after their client was told to send them again. */
  z.object({ kind: z.literal("cancel"), messageIds: z.array(z.string()) }),
  /** Recovery: releases messages that a failed store may have claimed for a run, and that were not submitted. */
  z.object({
    kind: z.literal("release"),
    claim: z.string(),
    /** That were to be claimed. */
    messageIds: z.array(z.string()),
  }),
  /** Recovery: releases callbacks that a failed store may have claimed for a job, and that it has not posted. */
  z.object({
    kind: z.literal("release-callbacks"),
    claim: z.string(),
    eventIds: z.array(z.string()),
  }),
  /** Recovery: stores how submissions ended, after the store has failed to. */
  z.object({ kind: z.literal("record"), claim: z.string(), records: z.array(submissionRecordSchema) }),
  /** Applies receipts that a carrier was told are received. */
  z.object({
    kind: z.literal("receipts"),
    carrier: z.string(),
    receipts: z.array(receiptSchema),
    /** What people do with texts of the sandbox. */
    rehearsals: z.array(rehearsalSchema).optional(),
  }),
]);

export type Job = z.output<typeof jobSchema>;

/** A job that repairs the effects of a failed store. */
export type Recovery = Exclude<Job, { kind: "deliver" | "receipts" }>;

export function isRecovery(job: Job | undefined): job is Recovery {
  return job !== undefined && job.kind !== "deliver" && job.kind !== "receipts";
}

/** Whether a job is lost for good with its queue. A delivery is not: the sweep finds its messages in the store. */
export function isOnlyQueued(job: Job | undefined): job is Exclude<Job, { kind: "deliver" }> {
  return job !== undefined && job.kind !== "deliver";
}

/** Reads the body of a queue's message. */
export function tryJob(body: unknown): Tried<Job> {
  return tryFields(jobSchema, body);
}

/**
 * Few, so that the jobs of one website hold up those of others little. Ten jobs are what a run can submit in its 8 seconds
 * when a carrier takes 150 ms.
 */
export const MESSAGES_A_JOB = 25;

/**
 * The queues of deliveries. `messages` carries texts that were sent one by one, so that none waits behind a bulk request.
 * `bulk` carries the texts of bulk requests, and the texts that were left when a run ended.
 */
export type Lane = "messages" | "bulk";
