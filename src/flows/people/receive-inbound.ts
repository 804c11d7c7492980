import type { InboundText } from "../../carriers/carrier.ts";
import type { Deps } from "../../deps.ts";
import type { Website } from "../../domain/clients/website.ts";
import { sentOf } from "../../domain/people/last-word.ts";
import { toE164 } from "../../domain/people/phone.ts";
import { hasListeners } from "../../store/callbacks/notices.ts";
import { applyInbound, type DueReply, type InboundRecord } from "../../store/people/inbound.ts";
import { inDatabase, inFirst } from "../databases/places.ts";
import { inTurn } from "../in-turn.ts";
import { queueCallbacks, queueDeliveries } from "../messages/queue-jobs.ts";
import { readTombstones } from "./erasure-tombstones.ts";
import { type Addressees, findAddressees } from "./find-addressees.ts";
import { replyTo, toDueReply } from "./keyword-reply.ts";

/**
 * A text whose id was made up here may be one that came before, or another with the same words. An opt-out is never taken for one that came
 * before, nor is a START without a time.
 */
function withIdOf(deps: Deps, { madeId, ...inbound }: InboundText, { keyword, maybeOptOut }: Addressees): InboundText {
  const isNew = keyword === "stop" || maybeOptOut || (keyword === "start" && madeId === "without-time");
  if (madeId === undefined || !isNew) return inbound;
  return { ...inbound, carrierMessageId: `${inbound.carrierMessageId}-${deps.newId()}` };
}

/** See receiveFor. */
export async function receiveInbound(deps: Deps, carrier: string, inbound: InboundText): Promise<void> {
  const { failure, ...addressees } = await findAddressees(deps, carrier, inbound);
  await receiveFor(deps, carrier, withIdOf(deps, inbound, addressees), addressees);
  if (failure !== undefined) throw failure;
}

/**
 * Applies the keyword of a text in the websites that it is for, and stores the text for the operator. One website replies.
 * Safe to run again with the same text.
 */
export async function receiveFor(
  deps: Deps,
  carrier: string,
  inbound: InboundText,
  addressees: Addressees,
): Promise<void> {
  const { websites, told, phones, keyword, maybeOptOut } = addressees;
  const now = deps.now();
  if (websites.length === 0) deps.log("warn", "inbound.no-website", { carrier });
  const [sender = null] = phones;
  const hasEffect = keyword !== null && phones.length > 0 && websites.length > 0;
  const record = {
    carrier,
    carrierMessageId: inbound.carrierMessageId,
    from: sender === null ? inbound.from : toE164(sender),
    to: inbound.to[0] ?? "",
    text: inbound.text,
    keyword,
    maybeOptOut,
    isOnlyOne: websites.length === 1 && phones.length < 2,
    phones: hasEffect ? phones : [],
    sender,
    mediaUrls: inbound.mediaUrls ?? [],
    receivedAt: now,
    now,
    ...sentOf(inbound.sentAt, now),
  };
  const isAnswered = inbound.answeredByCarrier || inbound.isByWhatsApp;
  const reply = hasEffect && !isAnswered ? replyTo(deps, addressees, keyword, now) : null;
  // Each website has a transaction of its own, and does not wait for the others. The one that replies is first.
  await inTurn(websites.length === 0 ? [undefined] : websites, async (website) => {
    const isReplying = website !== undefined && website.websiteId === reply?.websiteId;
    const due = isReplying ? await toDueReply(deps, addressees, record, reply) : null;
    const isTold = told.some(({ websiteId }) => websiteId === website?.websiteId);
    await applyIn(website ? inDatabase(deps, website.database) : inFirst(deps), website, { ...record, isTold }, due);
  });
}

/** @param website undefined: the text is for none */
async function applyIn(
  deps: Deps,
  website: Website | undefined,
  given: Omit<InboundRecord, "websiteId">,
  reply: DueReply | null,
): Promise<void> {
  const { carrier, keyword } = given;
  const [phone] = given.phones;
  const hasEffect = keyword !== null && phone !== undefined;
  const websiteId = website?.websiteId ?? "";
  const record = { ...given, websiteId };
  // The tombstones that the number has if the website has erased it, in either form.
  const tombstones = hasEffect && keyword === "start" ? (await readTombstones(deps, websiteId)).ofForms(phone) : [];
  const run = (await hasListeners(deps.db, websiteId)) ? deps.newId(website?.home) : null;
  const { isReplyDue, withoutEffect, due } = await applyInbound(deps.db, record, reply, tombstones, run);
  const isAnswer = isReplyDue && reply !== null;
  deps.log("info", "inbound.received", { carrier, websiteId, keyword, replied: isAnswer });
  if (withoutEffect !== null)
    deps.log("warn", "inbound.keyword-without-effect", { carrier, websiteId, keyword, reason: withoutEffect });
  if (isAnswer) await queueDeliveries(deps, "messages", [reply.message.messageId]);
  await queueCallbacks(deps, due);
}
