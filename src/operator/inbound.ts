import * as z from "zod";
import { KEYWORDS } from "../domain/people/keyword.ts";
import { WITHOUT_EFFECT } from "../domain/people/last-word.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { ok, type Resource } from "../http/call.ts";
import { PHONE, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { type InboundText, listInbound, listWithoutEffect } from "../store/people/inbound.ts";
import { type Answers, missingShape, personIdShape } from "./answers.ts";
import { operatorCall } from "./operator-call.ts";
import { BEFORE, PAGE, readBefore, requireWebsite, WEBSITE } from "./params.ts";

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

const inboundAnswers = {
  InboundText: inboundTextSchema,
  InboundTextList: z.object({ texts: z.array(inboundTextSchema) }),
  TextsWithoutEffect: z.object({
    texts: z.array(inboundTextSchema.extend({ websiteId: websiteOfTextSchema })),
    ...missingShape,
  }),
};

export type InboundAnswers = Answers<typeof inboundAnswers>;

export const INBOUND_TEXT = {
  from: PHONE,
  to: "+12125550199",
  text: "Stop!",
  keyword: "stop",
  maybeOptOut: false,
  withoutEffect: null,
  carrier: "twilio",
  carrierMessageId: "SM00000000000000000000000000000001",
  receivedAt: TIME,
  decided: null,
} satisfies InboundAnswers["InboundText"];

/** In the shell. */
export const TEXT_COLUMNS = ["receivedAt", "from", "keyword", "withoutEffect", "maybeOptOut", "text"];

export function textView({ websiteId, receivedAt, decided, ...text }: InboundText): InboundAnswers["InboundText"] {
  return { ...text, receivedAt: toTime(receivedAt), decided: decided && { ...decided, at: toTime(decided.at) } };
}

const list = operatorCall({
  id: "listInbound",
  method: "GET",
  path: "/operator/websites/:websiteId/inbound",
  tag: "People",
  summary: "List inbound texts",
  description: "Newest first, 100 per page, or more where the last ones came in one millisecond.",
  database: "named",
  parameters: [WEBSITE, BEFORE],
  answers: [ok(inboundAnswers.InboundTextList, "One page.", { texts: [INBOUND_TEXT] })],
  errors: ["resource-unknown", "fields-wrong"],
  command: { name: "inbound", columns: { texts: TEXT_COLUMNS } },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const before = readBefore(request);
    const texts = await listInbound(deps.db, websiteId, { sender: null, before, limit: PAGE });
    return { texts: texts.map(textView) };
  },
});

const listOfNone = operatorCall({
  id: "listWithoutEffect",
  method: "GET",
  path: "/operator/inbound/without-effect",
  tag: "People",
  summary: "List inbound texts without effect",
  description:
    "Texts that reached no website, keywords without effect, with the reason in `withoutEffect`, and texts that may be opt-outs. Newest first, 100 per page, or more where the last ones came in one millisecond. Texts of the last days that need an operator are the problems `keywords-without-effect` and `maybe-opt-outs`.",
  parameters: [BEFORE],
  answers: [
    ok(inboundAnswers.TextsWithoutEffect, "One page.", {
      texts: [{ websiteId: null, ...INBOUND_TEXT, to: "+12125550177", withoutEffect: "no-website" }],
    }),
  ],
  errors: ["fields-wrong"],
  command: {
    name: "inbound",
    chosenBy: {
      option: "without-effect",
      summary: "Texts that reached no website, keywords that had no effect, and texts that may be opt-outs.",
    },
    columns: { texts: ["websiteId", "to", ...TEXT_COLUMNS] },
  },
  run: async (request, deps) => {
    const before = readBefore(request);
    const { answers, missing } = await askEach(deps, ({ db }) => listWithoutEffect(db, before, PAGE));
    const found = answers.flat().sort((a, b) => b.receivedAt - a.receivedAt);
    // The next page is of what was before the last one's time.
    const last = found[PAGE - 1]?.receivedAt ?? 0;
    const texts = found.filter(({ receivedAt }) => receivedAt >= last);
    return {
      texts: texts.map((text) => ({ websiteId: text.websiteId, ...textView(text) })),
      ...missing,
    };
  },
});

export const inbound: Resource = { calls: [list, listOfNone], schemas: inboundAnswers };
