import * as z from "zod";
import type { Answers } from "../answers.ts";
import { storedHoldSchema } from "./holds.ts";
import { trafficShape } from "./traffic.ts";

const counts = {
  ...trafficShape,
  clicked: z.int().describe("Texts that a person has clicked."),
  optedOut: z.int().describe("Texts that a person has answered by opting out."),
};

export const campaignAnswers = {
  Campaign: z.object({
    websiteId: z.string(),
    websiteName: z.string(),
    timeZone: z.string().nullable().describe("An IANA name."),
    sendPurpose: z.string(),
    asOf: z.iso
      .datetime()
      .nullable()
      .describe("What came before is counted. The sweep counts once a minute. null: it has not counted yet."),
    ...counts,
    holds: z.array(storedHoldSchema).describe("The holds that cover its texts, or those of one client among them."),
    perMinute: z
      .number()
      .nullable()
      .describe("How many texts a carrier took in a minute, as the mean of the last five at most; null: none."),
    senderPace: z
      .object({ messagesPerMinute: z.int().nullable(), messagesPerDay: z.int().nullable() })
      .describe("How many segments the sender of the website may send, over all of its websites; null: no limit."),
    endsAt: z.iso
      .datetime()
      .nullable()
      .describe(
        "When the last of the texts goes that wait and are not held, if they go on like this, and not before the pace of the sender allows it. Before the first has gone, by that pace alone; null: none waits, or it is not known.",
      ),
    minutes: z
      .array(z.object({ at: z.iso.datetime(), gone: z.int().describe("Texts that a carrier took in this minute.") }))
      .describe("The hour until `asOf`, the oldest first: 60 of them."),
    days: z
      .array(z.object({ day: z.iso.date(), ...counts }))
      .describe("By the day of acceptance (UTC), the oldest first: those with texts."),
  }),
};

export type CampaignAnswers = Answers<typeof campaignAnswers>;
