import { askEach } from "../flows/databases/ask-each.ts";
import { ok, type Resource } from "../http/call.ts";
import { PHONE, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { type InboundText, listInbound, listWithoutEffect } from "../store/people/inbound.ts";
import { type InboundAnswers, inboundAnswers } from "./answers/inbound.ts";
import { operatorCall } from "./operator-call.ts";
import { BEFORE, PAGE, readBefore, requireWebsite, WEBSITE } from "./params.ts";

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
