import * as z from "zod";
import { KEYWORDS } from "../../domain/people/keyword.ts";
import { askEach } from "../../flows/databases/ask-each.ts";
import { inEach } from "../../flows/databases/places.ts";
import { type InboundText, listInbound, listWithoutEffect } from "../../store/people/inbound.ts";
import type { Handler } from "../api-request.ts";
import { toTime } from "../time.ts";
import { type Answers, missingShape } from "./answers.ts";
import { PAGE, readBefore, requireWebsite } from "./params.ts";

export const inboundTextSchema = z.object({
  from: z.string(),
  to: z.string(),
  text: z.string(),
  keyword: z.enum(KEYWORDS).nullable(),
  maybeOptOut: z.boolean().describe("It contains an opt-out word, and is none: a person must decide."),
  carrier: z.string(),
  carrierMessageId: z.string(),
  receivedAt: z.iso.datetime(),
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

export function textView({ websiteId, receivedAt, ...text }: InboundText): InboundAnswers["InboundText"] {
  return { ...text, receivedAt: toTime(receivedAt) };
}

/** GET /operator/websites/:websiteId/inbound?before=<time> : newest first. */
export const listInboundHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const before = readBefore(request);
  const texts = await listInbound(deps.db, websiteId, { sender: null, before, limit: PAGE });
  const answer: InboundAnswers["InboundTextList"] = { texts: texts.map(textView) };
  return Response.json(answer);
};

/** GET /operator/inbound/without-effect?before=<time> : newest first. */
export const listWithoutEffectHandler: Handler = async (request, deps) => {
  const before = readBefore(request);
  const { answers, missing } = await askEach(inEach(deps), ({ db }) => listWithoutEffect(db, before, PAGE));
  const texts = answers.flat().sort((a, b) => b.receivedAt - a.receivedAt);
  const answer: InboundAnswers["TextsWithoutEffect"] = {
    texts: texts.slice(0, PAGE).map((text) => ({ websiteId: text.websiteId, ...textView(text) })),
    ...missing,
  };
  return Response.json(answer);
};
