import * as z from "zod";
import { type Answers, heldSchema, missingShape } from "../answers.ts";

/** What it covers, and who made it, when and why. */
export const storedHoldSchema = z.object({
  holdId: z.string(),
  sendPurpose: z.string().nullable().describe("null: any."),
  clientId: z.string().nullable().describe("null: any."),
  ...heldSchema.shape,
});

/** The field beside a count that may be too low. */
const atLeastShape = {
  atLeast: z
    .literal(true)
    .optional()
    .describe("There may be more: counting all of them would take too long. Left out otherwise."),
};

export const moreShape = {
  more: z
    .literal(true)
    .optional()
    .describe("The call took a minute, and has not looked at all waiting messages: repeat it. Left out otherwise."),
};

export const holdAnswers = {
  HeldMessages: z.object({
    holdId: z.string().describe("The hold. If there was one of the same messages, it is that one."),
    held: z.int().describe("How many waiting messages it covers now."),
    ...atLeastShape,
    alreadyHeld: z
      .literal(true)
      .optional()
      .describe("The hold was there before, and keeps its reason. Left out otherwise."),
  }),
  HoldList: z.object({
    holds: z
      .array(
        z.object({
          ...{ holdId: storedHoldSchema.shape.holdId, websiteId: z.string() },
          ...storedHoldSchema.shape,
          texts: z
            .int()
            .describe("How many waiting messages it covers. A message that two holds cover counts with each of them."),
          ...atLeastShape,
        }),
      )
      .describe("By website, the oldest first; those that cover no message, too."),
    ...missingShape,
  }),
  ReleasedMessages: z.object({
    released: z.int().describe("How many messages are due now."),
    ended: z.array(storedHoldSchema).describe("The holds that it has ended."),
    remaining: z.array(storedHoldSchema).describe("The holds of the website that are left."),
    ...moreShape,
  }),
};

export type HoldAnswers = Answers<typeof holdAnswers>;
