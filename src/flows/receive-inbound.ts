import type { Deps } from "../deps.ts";
import { isStoreUnavailable } from "../domain/failure.ts";
import { toE164 } from "../domain/phone.ts";
import type { Website } from "../domain/website.ts";
import type { InboundText } from "../platform/carriers/carrier.ts";
import type { Tombstone } from "../platform/store/erasure.ts";
import type { DueEvent } from "../platform/store/events.ts";
import { applyInbound, type DueReply, type InboundRecord } from "../platform/store/inbound.ts";
import { hasListeners } from "../platform/store/notices.ts";
import { readTombstones } from "./erasure-tombstones.ts";
import { type Addressees, findAddressees } from "./find-addressees.ts";
import { inTurn } from "./in-turn.ts";
import { replyTo, toDueReply } from "./keyword-reply.ts";
import { inDatabase } from "./places.ts";
import { queueCallbacks, queueDeliveries } from "./queue-jobs.ts";

/** Safe to run again with the same text. */
export async function receiveInbound(deps: Deps, carrier: string, inbound: InboundText): Promise<void> {
  await receiveFor(deps, carrier, inbound, await findAddressees(deps, carrier, inbound));
}

/**
 * Applies the keyword of a text in the websites that it is for, and stores the text for the operator. One website replies. Safe to
 * run again with the same text.
 */
export async function receiveFor(
  deps: Deps,
  carrier: string,
  inbound: InboundText,
  addressees: Addressees,
): Promise<void> {
  const { websites, told, phones, keyword, maybeOptOut } = addressees;
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
    toldIds: told.map(({ websiteId }) => websiteId),
    isOnlyOne: websites.length === 1 && phones.length < 2,
    phones: hasEffect ? phones : [],
    sender,
    mediaUrls: inbound.mediaUrls ?? [],
    receivedAt: deps.now(),
  };
  const reply = hasEffect && !inbound.answeredByCarrier ? replyTo(deps, addressees, keyword, record.receivedAt) : null;
  // Where there are several databases, a website may move, and the others do not wait for it. The one that replies is first.
  const parts = deps.others.size === 0 ? [websites] : websites.map((website) => [website]);
  await inTurn(parts.length === 0 ? [[]] : parts, async (some) => {
    const isReplying = reply !== null && some.some(({ websiteId }) => websiteId === reply.websiteId);
    const due = isReplying ? await toDueReply(deps, addressees, record, reply) : null;
    const own = inDatabase(
      deps,
      some[0]?.database,
      some.map(({ home }) => home),
    );
    await applyInDatabase(own, some, record, due);
  });
}

type TextOfAll = Omit<InboundRecord, "websiteIds">;

/** Those of one database. */
async function applyInDatabase(
  deps: Deps,
  websites: Website[],
  given: TextOfAll,
  reply: DueReply | null,
): Promise<void> {
  const { carrier, keyword } = given;
  const [phone] = given.phones;
  const hasEffect = keyword !== null && phone !== undefined;
  const websiteIds = websites.length > 0 ? websites.map(({ websiteId }) => websiteId) : [""];
  const record = partOf({ ...given, websiteIds }, websiteIds);
  const tombstones = hasEffect && keyword === "start" ? await tombstonesIn(deps, websiteIds, phone) : [];
  const { isReplyDue, due } = await applyTogether(deps, record, reply, tombstones, websites[0]?.home);
  for (const websiteId of websiteIds) {
    const isAnswer = isReplyDue && reply?.message.websiteId === websiteId;
    deps.log("info", "inbound.received", { carrier, websiteId, keyword, replied: isAnswer });
    if (keyword !== null && !hasEffect)
      deps.log("warn", "inbound.keyword-without-effect", { carrier, websiteId, keyword });
  }
  if (reply && isReplyDue) await queueDeliveries(deps, "messages", [reply.message.messageId]);
  await queueCallbacks(deps, due);
}

function partOf(record: InboundRecord, websiteIds: string[]): InboundRecord {
  return { ...record, websiteIds, toldIds: record.toldIds.filter((websiteId) => websiteIds.includes(websiteId)) };
}

/**
 * In one transaction. If that fails and the store works, each website gets its own, so that the others do not miss a STOP.
 * @param home of one of the websites: all are in this database
 */
async function applyTogether(
  deps: Deps,
  record: InboundRecord,
  reply: DueReply | null,
  tombstones: Tombstone[],
  home: number | undefined,
): Promise<{ isReplyDue: boolean; due: DueEvent[] }> {
  const run = (await hasListeners(deps.db, record)) ? deps.newId(home) : null;
  try {
    return await applyInbound(deps.db, record, reply, tombstones, run);
  } catch (error) {
    if (isStoreUnavailable(error) || record.websiteIds.length === 1) throw error;
  }
  const all = { isReplyDue: false, due: [] as DueEvent[] };
  await inTurn(record.websiteIds, async (websiteId) => {
    const own = tombstones.filter((tombstone) => tombstone.websiteId === websiteId);
    const ownReply = reply?.message.websiteId === websiteId ? reply : null;
    const applied = await applyInbound(deps.db, partOf(record, [websiteId]), ownReply, own, run);
    all.due.push(...applied.due);
    all.isReplyDue ||= applied.isReplyDue;
  });
  return all;
}

/** The tombstones that the number has if a website has erased it. */
async function tombstonesIn(deps: Deps, websiteIds: string[], phone: number): Promise<Tombstone[]> {
  const tombstones: Tombstone[] = [];
  for (const websiteId of websiteIds) {
    tombstones.push({ websiteId, mark: (await readTombstones(deps, websiteId)).of(phone) });
  }
  return tombstones;
}
