import type { InboundAnswers } from "../../src/http/operator/inbound.ts";
import { callOperator, type Service } from "./api.ts";
import { type Command, segment, toQuery, type Values } from "./command.ts";
import { type Cell, toTable } from "./table.ts";

type Text = InboundAnswers["InboundText"];

export const INBOUND_COMMANDS: Command[] = [
  {
    name: "inbound",
    parameters: ["<websiteId or --without-effect>"],
    inPlace: "without-effect",
    summary: "show what people texted, the latest first, 100 at a time",
    options: {
      before: { value: "<time>", summary: "ISO 8601: only what came before" },
      "without-effect": {
        summary: "texts that reached no website, keywords that had no effect, and texts that may be opt-outs",
      },
    },
    run: listInbound,
    show: showInbound,
  },
];

async function listInbound(service: Service, [id]: string[], values: Values): Promise<string> {
  const path = values["without-effect"] ? "/inbound/without-effect" : `/websites/${segment(id)}/inbound`;
  return callOperator(service, "GET", path + toQuery({ before: values.before }));
}

/** Texts without effect have the website that they reached, or null; those of one website do not repeat it. */
function showInbound(answer: string): string {
  const { texts } = JSON.parse(answer) as InboundAnswers["InboundTextList"] | InboundAnswers["TextsWithoutEffect"];
  if (texts.length === 0) return "No texts.";
  const isOfOneWebsite = texts.every((text) => !("websiteId" in text));
  if (isOfOneWebsite) return toTable([["RECEIVED", "FROM", "KEYWORD", "TEXT"], ...texts.map(textRow)]);
  const websiteOf = (text: Text & { websiteId?: string | null }) => text.websiteId ?? "none";
  const rows = texts.map((text) => [websiteOf(text), text.to, ...textRow(text)]);
  return toTable([["WEBSITE", "TO", "RECEIVED", "FROM", "KEYWORD", "TEXT"], ...rows]);
}

export function textRow({ receivedAt, from, keyword, maybeOptOut, text }: Text): Cell[] {
  return [receivedAt, from, maybeOptOut ? "maybe stop" : keyword, text];
}
