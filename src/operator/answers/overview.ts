import * as z from "zod";
import { type Answers, missingShape } from "../answers.ts";
import { nowProblemSchema, pastProblemSchema } from "./problems.ts";
import { TOO_MANY, trafficShape } from "./traffic.ts";

export const CARRIER_LOOKS = ["accepting", "refusing", "paused", "failing", "not-set-up", "idle"] as const;

const overdue = z
  .int()
  .nullable()
  .describe(
    `Texts of the last 30 days that are waiting, not held, and were accepted in the second minute before \`asOf\` or earlier. ${TOO_MANY}`,
  );

const minuteSchema = z.object({ at: z.iso.datetime(), ...trafficShape });

const daySchema = z.object({
  day: z.iso.date(),
  ...trafficShape,
  clicked: z.int().describe("Texts of the day that a person has clicked, at any time since."),
  optedOut: z.int().describe("Texts of the day that a person has answered by opting out."),
  joined: z.int().describe("Numbers that were subscribed on the day, by whomever and however often."),
  parted: z.int().describe("Numbers that were unsubscribed on the day, or erased while they were subscribed."),
});

const websiteNowSchema = z.object({
  websiteId: z.string(),
  name: z.string(),
  ...trafficShape,
  today: z.object(trafficShape).describe("The texts of today (UTC)."),
  month: z.object(trafficShape).describe("The texts of the last 30 days (UTC)."),
  overdue,
  waitsFor: z.string().nullable().describe("The carrier, where a text is overdue."),
  optedOut30Days: z.int(),
  failingEndpoints: z.int().describe("Clients with the problem `endpoint-failing`."),
});

const carrierNowSchema = z.object({
  carrier: z.string(),
  sent: trafficShape.sent,
  noReceipt: trafficShape.noReceipt,
  delivered: trafficShape.delivered,
  undelivered: trafficShape.undelivered,
  waiting: z
    .int()
    .describe("Messages of this carrier among the oldest pending ones: 20 of each database are looked at."),
  state: z.enum(CARRIER_LOOKS),
});

export const overviewAnswers = {
  Overview: z.object({
    asOf: z.iso
      .datetime()
      .nullable()
      .describe("What came before is counted. The sweep counts once a minute. null: it has not counted yet."),
    hasTexts: z.boolean().describe("A text was accepted in the last 30 days."),
    needs: z.object({
      overdue,
      held: trafficShape.held,
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
    minutes: z
      .array(minuteSchema)
      .describe("The hour until `asOf` by the minute of acceptance, the oldest first: 60 of them."),
    hour: z.object({ oldestWithoutReceiptSeconds: z.int().nullable() }),
    days: z.array(daySchema).describe("30 days of UTC by the day of acceptance, the oldest first; the last is today."),
    websites: z
      .array(websiteNowSchema)
      .describe(
        "Where no span is named, the figures of the texts that were accepted in the last hour. At most five websites: those with held messages, and the busiest of today and yesterday.",
      ),
    isCut: z.boolean().describe("There are more websites than `websites` has. The other counts are of all."),
    carriers: z.array(carrierNowSchema).describe("Figures of the texts that were accepted in the last hour."),
    ...missingShape,
  }),
};

export type OverviewAnswers = Answers<typeof overviewAnswers>;
