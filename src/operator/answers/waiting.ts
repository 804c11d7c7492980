import * as z from "zod";
import { KINDS } from "../../domain/messages/kind.ts";
import { type Answers, missingShape } from "../answers.ts";
import { storedHoldSchema } from "./holds.ts";
import { heldHoursSchema } from "./messages.ts";

const rowSchema = z.object({
  sendPurpose: z.string(),
  clientId: z.string().describe("Empty for replies to keywords."),
  clientName: z.string().nullable(),
  kind: z.enum(KINDS).nullable().describe("null: both kinds, or unknown."),
  count: z.int(),
  why: z
    .enum(["carrier", "pace", "queue", "held", "scheduled", "sending-hours"])
    .describe(
      "`held`: an operator holds them. `scheduled`: they wait for their `sendAt`. `sending-hours`: they wait until the hours of the website open. `pace`: they wait for the pace of their sender. Against the will: `carrier`: it could not take one of them at first; `queue`: they wait for their turn.",
    ),
  carrier: z.string().describe("The carrier of the website."),
  cause: z.string().nullable().describe("The words of the other side; numbers in them are masked."),
  nextTryAt: z.iso.datetime().nullable(),
  held: storedHoldSchema.nullable().describe("The hold, the oldest if several cover them; null: none does."),
  opensAt: z.iso
    .datetime()
    .nullable()
    .describe(
      "When the first scheduled message, or the first that waits for sending hours, may be sent; null: there is none.",
    ),
  hours: heldHoursSchema
    .nullable()
    .describe("Why the first message that waits for sending hours is held; null: none waits for them."),
  oldestAt: z.iso.datetime().describe("When the oldest was accepted."),
  endsAt: z.iso
    .datetime()
    .nullable()
    .describe("When the first of them is given up, held or not; null: they are scheduled."),
});

export const waitingAnswers = {
  WaitingMessages: z.object({
    asOf: z.iso.datetime(),
    isCut: z
      .boolean()
      .describe(
        "A website has more than were looked at. A look ends after 100,000 messages of a database whose job is queued, and at 100,000 that wait for their time,, or after a second, but not before it has looked at each website.",
      ),
    groups: z
      .array(
        z.object({
          websiteId: z.string(),
          name: z.string(),
          timeZone: z.string().nullable().describe("An IANA name."),
          isCut: z
            .boolean()
            .describe(
              "The website has more than were looked at: each count is at least so high, and rows may be missing.",
            ),
          rows: z.array(rowSchema),
        }),
      )
      .describe("By website, the one with the oldest first; its rows in the same order."),
    ...missingShape,
  }),
};

export type WaitingAnswers = Answers<typeof waitingAnswers>;
