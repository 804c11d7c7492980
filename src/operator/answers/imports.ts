// What an import answers: how many numbers it has changed, and what it could not read.
import * as z from "zod";
import { DONE, MOST_NAMED } from "../../domain/people/import-figures.ts";
import { MOST_INVALID_CELLS } from "../../domain/people/subscribers.ts";
import { type Answers, missingShape, personIdShape } from "../answers.ts";

const BECOMES = [...DONE, "keptUnsubscribed", "refused"] as const;

/** What only a dry run answers. */
const previewShape = {
  rows: z.int().optional().describe("With `dryRun`: those of the file."),
  refused: z
    .int()
    .optional()
    .describe("With `dryRun`: the rows whose number is invalid, except opt-outs of numbers that the website knows."),
  repeated: z
    .int()
    .optional()
    .describe(
      "With `dryRun`: the rows whose number an earlier row has. With `imported`, `keptUnsubscribed` and `refused`, the sum of the rows.",
    ),
  withoutProof: z
    .int()
    .optional()
    .describe(
      "With `dryRun`: the rows that subscribe a valid number, and have neither `consented_at` nor `evidence`: no proof of its consent.",
    ),
  separator: z.string().optional().describe("With `dryRun`: the separator of the file's columns."),
  preview: z
    .array(
      z.object({
        line: z.int().describe("The line of the file on which the row begins, from 1."),
        phone: z.string(),
        ...personIdShape,
        email: z.string().nullable(),
        consentedAt: z.iso.datetime().nullable(),
        evidence: z.string().nullable().describe("Its first 100 characters."),
        becomes: z.enum(BECOMES),
        reason: z.string().nullable().describe("Why it is refused, or stays unsubscribed."),
      }),
    )
    .optional()
    .describe("With `dryRun`: the first 20 rows, and what the import would do with each."),
};

const importAnswer = z.object({
  importId: z
    .uuid()
    .optional()
    .describe(
      "For an undo, and for further requests of the import; the audit log has it as the subject of the import. Left out with `dryRun`.",
    ),
  columns: z
    .object({
      phone: z.string(),
      email: z.string().nullable(),
      subscribed: z.string().nullable(),
      consentedAt: z.string().optional(),
      evidence: z.string().optional(),
    })
    .describe("The columns that were read, as the file writes them. null, or left out: it has no such column."),
  ignoredColumns: z
    .array(z.string())
    .describe("The other columns, as the file writes them, each cut after 100 characters; the first 100."),
  imported: z.int().describe("Distinct numbers: the sum of the next six."),
  newSubscribed: z.int().describe("Never seen before, and subscribed."),
  newOptedOut: z.int().describe("Never seen before, and opted out."),
  becameSubscribed: z.int().describe("Were opted out, and are subscribed."),
  becameOptedOut: z.int().describe("Were subscribed, and are opted out."),
  newAddress: z.int().describe("Have the state from before, and another e-mail address."),
  unchanged: z.int().describe("Have the state and address from before."),
  keptUnsubscribed: z
    .int()
    .describe("Numbers that the file would subscribe, and that stay unsubscribed: those of the two lists at the end."),
  unreadableOptOuts: z
    .int()
    .describe(
      "Rows that say opted out, and whose number is invalid and unknown: nobody is opted out by them. Correct their numbers, and import them again.",
    ),
  invalidPhoneNumbers: z.array(z.string()),
  invalidEmails: z
    .array(z.string())
    .optional()
    .describe("Left out if empty. Their numbers are imported without an address."),
  invalidCells: z
    .array(
      z.object({
        line: z.int().describe("The line of the file on which the row begins, from 1."),
        column: z.enum(["phone_numbers", "email"]),
        value: z.string(),
        message: z.string(),
      }),
    )
    .optional()
    .describe(
      `Left out if empty. The first place of each value in the two lists before, and its fault; at most ${MOST_INVALID_CELLS}.`,
    ),
  optedOutNumbers: z
    .array(z.string())
    .optional()
    .describe(
      `Left out if empty. Their owners opted out themselves, or they were erased: no import subscribes them. At most ${MOST_NAMED}.`,
    ),
  unsubscribedNumbers: z
    .array(z.string())
    .optional()
    .describe(
      `Left out if empty. Unsubscribed by a client, an import or an operator: \`resubscribe=true\` subscribes them again. At most ${MOST_NAMED}.`,
    ),
  ...previewShape,
});

export const subscriberAnswers = {
  ImportAnswer: importAnswer,
  UndoneImport: z.object({
    restored: z.int().describe("Numbers that this call has restored to their state before the import."),
    changedSince: z.int().describe("Numbers that were set again since the import, and stay as they are; of all calls."),
    restoredBefore: z.int().describe("Numbers that earlier calls have restored."),
    isComplete: z
      .boolean()
      .describe("false: the call took 20 seconds, and there is more to undo. Repeat the call to continue."),
  }),
};

export type SubscriberAnswers = Answers<typeof subscriberAnswers>;

const count = z.int().nullable();

export const importListAnswers = {
  ImportList: z.object({
    imports: z.array(
      z.object({
        importId: z.uuid(),
        websiteId: z.string(),
        websiteName: z.string(),
        file: z.string().nullable().describe("The name that the request gave."),
        operator: z.string(),
        at: z.iso.datetime().describe("When it began."),
        rows: count.describe("Rows of its requests that have ended; null: none has ended."),
        newSubscribed: count.describe("As in the answer of an import, of all that it has stored; null: nothing yet."),
        newOptedOut: count,
        becameSubscribed: count,
        becameOptedOut: count,
        keptUnsubscribed: count.describe("Counted over its requests that have ended."),
        refused: count.describe("As in a dry run, of its requests that have ended."),
        undoneAt: z.iso.datetime().nullable().describe("When its undo began."),
      }),
    ),
    next: z.string().nullable().describe("The `cursor` of the next page; null: this is the last."),
    ...missingShape,
  }),
};

export type ImportListAnswers = Answers<typeof importListAnswers>;
