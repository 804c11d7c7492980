import { type InboundAnswers, inboundAnswers } from "../../http/operator/inbound.ts";
import { PHONE, TIME } from "../examples.ts";
import { type ApiOperation, ok, type Parameter } from "../operation.ts";
import { type Resource, WEBSITE_PARAMETER } from "./resource.ts";

export const INBOUND_TEXT = {
  from: PHONE,
  to: "+12125550199",
  text: "Stop!",
  keyword: "stop",
  maybeOptOut: false,
  carrier: "twilio",
  carrierMessageId: "SM00000000000000000000000000000001",
  receivedAt: TIME,
} satisfies InboundAnswers["InboundText"];

export function describeInbound(): Resource {
  return { operations: [listInbound(), listWithoutEffect()], schemas: inboundAnswers };
}

const BEFORE: Parameter = {
  name: "before",
  in: "query",
  required: false,
  description: "The `receivedAt` of the last text of the previous page.",
  schema: { type: "string", format: "date-time" },
};

const COMMON = { tag: "People", access: "operator" } satisfies Partial<ApiOperation>;

function listInbound(): ApiOperation {
  return {
    ...COMMON,
    id: "listInbound",
    method: "get",
    path: "/operator/websites/{websiteId}/inbound",
    summary: "List inbound texts",
    description: "Newest first, 100 per page.",
    parameters: [WEBSITE_PARAMETER, BEFORE],
    answers: [ok(inboundAnswers.InboundTextList, "One page.", { texts: [INBOUND_TEXT] })],
    errors: ["resource-unknown", "fields-wrong"],
  };
}

function listWithoutEffect(): ApiOperation {
  const text = { websiteId: null, ...INBOUND_TEXT, to: "+12125550177" };
  return {
    ...COMMON,
    id: "listWithoutEffect",
    method: "get",
    path: "/operator/inbound/without-effect",
    summary: "List inbound texts without effect",
    description:
      "Texts that reached no website, STOP, START or HELP from a sender that is no phone number, and texts that may be opt-outs. Newest first, 100 per page. Those of the last days are the problems `keywords-without-effect` and `maybe-opt-outs`.",
    parameters: [BEFORE],
    answers: [ok(inboundAnswers.TextsWithoutEffect, "One page.", { texts: [text] })],
    errors: ["fields-wrong"],
  };
}
