import * as z from "zod";
import { COUNTED_TEXTS } from "../../domain/people/counting-limits.ts";
import { KEYWORDS } from "../../domain/people/keyword.ts";
import { WITHOUT_EFFECT } from "../../domain/people/last-word.ts";
import { type Answers, missingShape, personIdShape } from "../answers.ts";

export const inboundTextSchema = z.object({
  from: z.string(),
  to: z.string(),
  text: z.string(),
  keyword: z.enum(KEYWORDS).nullable(),
  maybeOptOut: z.boolean().describe("It contains an opt-out word, and is none: a person must decide."),
  withoutEffect: z
    .enum(WITHOUT_EFFECT)
    .nullable()
    .describe(
      "Why its keyword had no effect. `no-website`: it reached no website. `no-phone-number`: its sender is no phone number, or may be several. `later-opt-out`: a START that is older than an opt-out of the number, or than its erasure. `unknown-person`: a START of a number that the website does not have, or has only from its STOP. null: it had an effect, or there is no keyword.",
    ),
  carrier: z.string(),
  carrierMessageId: z.string(),
  receivedAt: z.iso.datetime(),
  ...personIdShape,
  decided: z
    .object({ optOut: z.boolean(), operator: z.string(), at: z.iso.datetime() })
    .nullable()
    .describe(
      "An operator's decision about a text that may be an opt-out. The text then has no `maybeOptOut` any more.",
    ),
});

export const websiteOfTextSchema = z
  .string()
  .nullable()
  .describe("null: no website has the recipient of the texts as its sender.");

export const inboundAnswers = {
  InboundText: inboundTextSchema,
  InboundTextList: z.object({ texts: z.array(inboundTextSchema) }),
  TextsWithoutEffect: z.object({
    texts: z.array(inboundTextSchema.extend({ websiteId: websiteOfTextSchema })),
    ...missingShape,
  }),
};

export type InboundAnswers = Answers<typeof inboundAnswers>;

const listedTextSchema = inboundTextSchema.extend({
  websiteId: websiteOfTextSchema,
  websiteName: z.string().nullable(),
  inReplyTo: z
    .object({ messageId: z.uuid(), sendPurpose: z.string() })
    .nullable()
    .describe(
      "The latest message of the website to this person that a carrier had taken before. Replies to keywords are none.",
    ),
});

export type ListedText = z.output<typeof listedTextSchema>;

export const inboundListAnswers = {
  InboundPage: z.object({
    texts: z.array(listedTextSchema),
    next: z
      .string()
      .nullable()
      .describe("The `before` of the next page, which may have older ones; null: there are none."),
    toDecide: z
      .int()
      .nullable()
      .describe(
        `Texts that may be opt-outs, that nobody has decided, and whose sender is not opted out: ${COUNTED_TEXTS.toLocaleString("en")} of each database at most. null on any page but the first.`,
      ),
    ...missingShape,
  }),
};

export type InboundListAnswers = Answers<typeof inboundListAnswers>;
