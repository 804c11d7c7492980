import type { Deps } from "../deps.ts";
import { isStoreUnavailable } from "../domain/failure.ts";
import { type Keyword, readKeyword } from "../domain/keyword.ts";
import type { NewMessage } from "../domain/message.ts";
import { toDigits, toE164 } from "../domain/phone.ts";
import { countSegments } from "../domain/segments.ts";
import type { Website } from "../domain/website.ts";
import type { InboundText } from "../platform/carriers/carrier.ts";
import type { Tombstone } from "../platform/store/erasure.ts";
import type { DueEvent } from "../platform/store/events.ts";
import { applyInbound, type InboundRecord } from "../platform/store/inbound.ts";
import { hasListeners } from "../platform/store/notices.ts";
import { readTombstones } from "./erasure-tombstones.ts";
import { type Addressees, findAddressees } from "./find-addressees.ts";
import { inTurn } from "./in-turn.ts";
import { inDatabase } from "./places.ts";
import { queueCallbacks, queueDeliveries } from "./queue-jobs.ts";

/** The sendPurpose of replies to keywords. */
const REPLY_PURPOSE = "keyword-reply";

/**
 * Applies the keyword of a text in all of its websites, and stores the text for the operator. One website replies. Safe to run
 * again with the same text.
 */
export async function receiveInbound(deps: Deps, carrier: string, inbound: InboundText): Promise<void> {
  const keyword = inbound.keyword ?? readKeyword(inbound.text);
  const addressees = await findAddressees(deps, carrier, inbound);
  const { websites, phone } = addressees;
  if (websites.length === 0) deps.log("warn", "inbound.no-website", { carrier });
  const hasEffect = keyword !== null && phone !== null && websites.length > 0;
  const record = {
    carrier,
    carrierMessageId: inbound.carrierMessageId,
    from: phone === null ? inbound.from : toE164(phone),
    to: inbound.to[0] ?? "",
    text: inbound.text,
    keyword,
    phone: hasEffect ? phone : null,
    sender: phone,
    mediaUrls: inbound.mediaUrls ?? [],
    receivedAt: deps.now(),
  };
  const reply = hasEffect && !inbound.answeredByCarrier ? replyTo(deps, addressees, keyword) : null;
  // Where there are several databases, a website may move, and the others do not wait for it.
  const parts = deps.others.size === 0 ? [websites] : websites.map((website) => [website]);
  await inTurn(parts.length === 0 ? [[]] : parts, (some) => {
    const own = inDatabase(
      deps,
      some[0]?.database,
      some.map(({ home }) => home),
    );
    return applyInDatabase(own, some, record, reply);
  });
}

/** Those of one database. */
async function applyInDatabase(
  deps: Deps,
  websites: Website[],
  given: Omit<InboundRecord, "websiteIds">,
  reply: NewMessage | null,
): Promise<void> {
  const { carrier, keyword, phone } = given;
  const hasEffect = keyword !== null && phone !== null;
  const websiteIds = websites.length > 0 ? websites.map(({ websiteId }) => websiteId) : [""];
  const record = { ...given, websiteIds };
  const own = reply && websiteIds.includes(reply.websiteId) ? reply : null;
  const tombstones = hasEffect && keyword === "start" ? await tombstonesIn(deps, websiteIds, record.from) : [];
  const { isReplyDue, due } = await applyTogether(deps, record, own, tombstones, websites[0]?.home);
  for (const websiteId of websiteIds) {
    const isAnswer = isReplyDue && own?.websiteId === websiteId;
    deps.log("info", "inbound.received", { carrier, websiteId, keyword, replied: isAnswer });
    if (keyword !== null && !hasEffect)
      deps.log("warn", "inbound.keyword-without-effect", { carrier, websiteId, keyword });
  }
  if (own && isReplyDue) await queueDeliveries(deps, "messages", [own.messageId]);
  await queueCallbacks(deps, due);
}

/**
 * In one transaction. If that fails and the store works, each website gets its own, so that the others do not miss a STOP.
 * @param home of one of the websites: all are in this database
 */
async function applyTogether(
  deps: Deps,
  record: InboundRecord,
  reply: NewMessage | null,
  tombstones: Tombstone[],
  home: number | undefined,
): Promise<{ isReplyDue: boolean; due: DueEvent[] }> {
  const run = (await hasListeners(deps.db, record)) ? deps.newId(home) : null;
  try {
    return await applyInbound(deps.db, record, reply, tombstones, run);
  } catch (error) {
    if (isStoreUnavailable(error) || record.websiteIds.length === 1) throw error;
  }
  const due: DueEvent[] = [];
  await inTurn(record.websiteIds, async (websiteId) => {
    const own = tombstones.filter((tombstone) => tombstone.websiteId === websiteId);
    const ownReply = reply?.websiteId === websiteId ? reply : null;
    const applied = await applyInbound(deps.db, { ...record, websiteIds: [websiteId] }, ownReply, own, run);
    due.push(...applied.due);
  });
  return { isReplyDue: reply !== null, due };
}

/** The tombstones that the number has if a website has erased it. */
async function tombstonesIn(deps: Deps, websiteIds: string[], phone: string): Promise<Tombstone[]> {
  const tombstones: Tombstone[] = [];
  for (const websiteId of websiteIds) {
    const own = (await readTombstones(deps, websiteId)).of(toDigits(phone));
    tombstones.push(...own.map((mark) => ({ websiteId, mark })));
  }
  return tombstones;
}

/** The reply of the first website; the reply to HELP, of the first that the person has not opted out of. */
function replyTo(deps: Deps, { websites, optedOutOf }: Addressees, keyword: Keyword): NewMessage | null {
  const willing = keyword === "help" ? websites.filter(({ websiteId }) => !optedOutOf.has(websiteId)) : websites;
  const [website] = willing;
  const text = website ? replyText(website, keyword) : null;
  if (!website || text === null) return null;
  return {
    ...countSegments(text),
    messageId: deps.newId(website.home),
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

function replyText({ name, helpText }: Website, keyword: Keyword): string | null {
  if (keyword === "stop")
    return `${name}: You are unsubscribed and will get no more messages. Reply START to subscribe again.`;
  if (keyword === "help") return helpText ?? `${name}: Reply STOP to unsubscribe.`;
  return null;
}
