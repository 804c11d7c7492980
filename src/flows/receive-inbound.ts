import type { Deps } from "../deps.ts";
import { type Keyword, readKeyword } from "../domain/keyword.ts";
import type { NewMessage } from "../domain/message.ts";
import { isE164, toDigits } from "../domain/phone.ts";
import { countSegments } from "../domain/segments.ts";
import type { Website } from "../domain/website.ts";
import type { InboundText } from "../platform/carriers/carrier.ts";
import { applyInbound } from "../platform/store/inbound.ts";
import { findWebsitesBySender } from "../platform/store/websites.ts";
import { inTurn } from "./in-turn.ts";
import { queueDeliveries } from "./queue-jobs.ts";

/** The sendPurpose of what is answered to a keyword. */
const REPLY_PURPOSE = "keyword-reply";

/**
 * Does what a person's text says, in every website whose sender it answered, and keeps the text for the operator.
 * Safe to run again with the same text.
 */
export async function receiveInbound(deps: Deps, carrier: string, inbound: InboundText): Promise<void> {
  const keyword = inbound.keyword ?? readKeyword(inbound.text);
  const from = toSender(inbound.from);
  const websites = await findWebsitesBySender(deps.db, carrier, inbound.to.flatMap(withAndWithoutPlus));
  if (websites.length === 0) deps.log("warn", "inbound.no-website", { carrier });
  await inTurn(websites.length > 0 ? websites : [null], async (website) => {
    const record = {
      websiteId: website?.websiteId ?? "",
      carrier,
      carrierMessageId: inbound.carrierMessageId,
      from,
      to: inbound.to[0] ?? "",
      text: inbound.text,
      keyword,
      receivedAt: deps.now(),
    };
    const phone = website && isE164(from) ? toDigits(from) : null;
    const reply = website && !inbound.answeredByCarrier ? replyTo(deps, website, keyword) : null;
    const isReplyDue = await applyInbound(deps.db, record, phone, reply);
    deps.log("info", "inbound.received", { carrier, websiteId: record.websiteId, keyword, replied: isReplyDue });
    if (reply && isReplyDue) await queueDeliveries(deps, [reply.messageId]);
  });
}

/** E.164 where a plus sign is all that lacks of it: some gateways give numbers without. */
function toSender(from: string): string {
  return isE164(`+${from}`) ? `+${from}` : from;
}

/** A short code has no plus sign, and gateways differ on whether a number has one. */
function withAndWithoutPlus(name: string): string[] {
  return name.startsWith("+") ? [name, name.slice(1)] : [name, `+${name}`];
}

function replyTo(deps: Deps, website: Website, keyword: Keyword | null): NewMessage | null {
  const text = replyText(website, keyword);
  if (text === null) return null;
  return {
    ...countSegments(text),
    messageId: deps.newId(),
    websiteId: website.websiteId,
    clientId: "",
    phone: null,
    email: null,
    text,
    mediaUrl: null,
    clickUrl: null,
    linkCode: null,
    callbackData: "",
    sendPurpose: REPLY_PURPOSE,
    acceptedAt: deps.now(),
  };
}

function replyText({ name, helpText }: Website, keyword: Keyword | null): string | null {
  if (keyword === "stop")
    return `${name}: You are unsubscribed and will get no more messages. Reply START to subscribe again.`;
  if (keyword === "help") return helpText ?? `${name}: Reply STOP to unsubscribe.`;
  return null;
}
