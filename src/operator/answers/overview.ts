import * as z from "zod";
import { type Answers, missingShape } from "../answers.ts";
import { nowProblemSchema, pastProblemSchema } from "./problems.ts";

export const CARRIER_LOOKS = ["accepting", "refusing", "paused", "failing", "not-set-up", "idle"] as const;

const figures = {
  accepted: z.int(),
  submitted: z.int().describe("A carrier has taken them."),
  delivered: z.int(),
  undelivered: z.int().describe("FAILED_TO_DELIVERY or FAILED_TO_SEND."),
  noReceipt: z.int().describe("SENDING: a carrier has them, and no final receipt has come."),
  waiting: z.int().describe("PENDING_TO_SEND."),
};

const minuteSchema = z.object({ at: z.iso.datetime(), ...figures });

const daySchema = z.object({
  day: z.iso.date(),
  accepted: figures.accepted,
  sent: figures.submitted,
  delivered: figures.delivered,
  undelivered: figures.undelivered,
  clicked: z.int().describe("Texts of the day that a person has clicked, at any time since."),
  optedOut: z.int().describe("Texts of the day that a person has answered by opting out."),
  joined: z.int().describe("Numbers that were subscribed on the day, by whomever and however often."),
  parted: z.int().describe("Numbers that were unsubscribed on the day, or erased while they were subscribed."),
});

const websiteNowSchema = z.object({
  websiteId: z.string(),
  name: z.string(),
  accepted: figures.accepted,
  sent: figures.submitted,
  delivered: figures.delivered,
  undelivered: figures.undelivered,
  noReceipt: figures.noReceipt,
  waiting: z
    .int()
    .nullable()
    .describe(
      "Pending, accepted over a minute ago, and not held. Those that wait for their own time or for sending hours are among them. null: not counted, because the websites that have a hold of a purpose or a client have more than 10,000 pending messages in a database. `GET /operator/waiting` lists them.",
    ),
  waitsFor: z.string().nullable().describe("The carrier, where something waits."),
  textsToday: z.int(),
  failedToday: z.int().describe("Texts among `textsToday` that are FAILED_TO_DELIVERY or FAILED_TO_SEND."),
  sent30Days: z.int(),
  optedOut30Days: z.int(),
  failingEndpoints: z.int().describe("Clients whose endpoint has not taken the last callbacks."),
});

const carrierNowSchema = z.object({
  carrier: z.string(),
  submitted: figures.submitted,
  delivered: figures.delivered,
  undelivered: figures.undelivered,
  noReceipt: figures.noReceipt,
  waiting: z
    .int()
    .describe("Messages of this carrier among the oldest pending ones: 20 of each database are looked at."),
  state: z.enum(CARRIER_LOOKS),
});

export const overviewAnswers = {
  Overview: z.object({
    asOf: z.iso.datetime(),
    hasTexts: z.boolean().describe("A text was accepted in the last 30 days."),
    needs: z.object({
      waiting: z
        .int()
        .nullable()
        .describe(
          "Pending, accepted over a minute ago, and not held; of the last 30 days. Those that wait for their own time or for sending hours are among them: GET /operator/waiting tells them apart. null: not counted, as for one of `websites`, or because more than five websites have a hold.",
        ),
      toDecide: z.int().describe("Inbound texts that may be opt-outs: 20 at most are counted."),
      problems: z.int(),
    }),
    problems: z
      .array(nowProblemSchema)
      .describe(
        "As in `details` of GET /operator/health, found in the 20 oldest rows of each state, and in the 1,000 latest rows of what is counted by minute.",
      ),
    lastProblems: z
      .array(pastProblemSchema)
      .describe(
        "Problems that last, and problems that have ended in the last seven days, the newest first, 50 at most. The sweep finds them, once a minute.",
      ),
    minutes: z.array(minuteSchema).describe("The last hour by the minute of acceptance, the oldest first: 60 of them."),
    hour: z.object({ oldestWithoutReceiptSeconds: z.int().nullable() }),
    days: z.array(daySchema).describe("30 days of UTC by the day of acceptance, the oldest first; the last is today."),
    websites: z
      .array(websiteNowSchema)
      .describe(
        "Figures of the texts that were accepted in the last hour. At most five websites: those with held messages, and the busiest of today and yesterday.",
      ),
    isCut: z.boolean().describe("There are more websites than `websites` has. The other counts are of all."),
    carriers: z.array(carrierNowSchema).describe("Figures of the texts that were accepted in the last hour."),
    ...missingShape,
  }),
};

export type OverviewAnswers = Answers<typeof overviewAnswers>;
