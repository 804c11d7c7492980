import type { InboundText } from "../../carriers/carrier.ts";
import type { Deps } from "../../deps.ts";
import type { Website } from "../../domain/clients/website.ts";
import { isWebsitePaused } from "../../domain/failure.ts";
import { sentOf } from "../../domain/people/last-word.ts";
import { toE164 } from "../../domain/people/phone.ts";
import { hasListeners } from "../../store/callbacks/notices.ts";
import {
  deleteWaitingText,
  insertWaitingText,
  listWaitingTexts,
  type WaitingText,
} from "../../store/databases/waiting-texts.ts";
import type { Tombstone } from "../../store/people/erasure.ts";
import { applyInbound, type DueReply, type InboundRecord } from "../../store/people/inbound.ts";
import { forgetClosed, inDatabaseOfHome, inEach, inFirst } from "../databases/places.ts";
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
export async function receiveInbound(deps: Deps, carrier: string, inbound: InboundText): Promise<string[]> {
  const { failure, ...addressees } = await findAddressees(deps, carrier, inbound);
  const waiting = await receiveFor(deps, carrier, withIdOf(deps, inbound, addressees), addressees);
  if (failure !== undefined) throw failure;
  return waiting;
}

/**
 * Applies the keyword of a text in the websites that it is for, and stores the text for the operator. One website replies. A text for a
 * website that is on the move waits. Safe to run again with the same text.
 * @param receivedAt when the text came; it may have waited since: milliseconds since 1970
 * @returns the websites for which it waits
 */
export async function receiveFor(
  deps: Deps,
  carrier: string,
  inbound: InboundText,
  addressees: Addressees,
  receivedAt = deps.now(),
): Promise<string[]> {
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
    receivedAt,
    now: deps.now(),
    ...sentOf(inbound.sentAt, receivedAt),
  };
  const reply = hasEffect && !inbound.answeredByCarrier ? replyTo(deps, addressees, keyword, deps.now()) : null;
  const waiting: string[] = [];
  // Each website has a transaction of its own, and does not wait for the others. The one that replies is first.
  await inTurn(websites.length === 0 ? [undefined] : websites, async (website) => {
    const isReplying = website !== undefined && website.websiteId === reply?.websiteId;
    const due = isReplying ? await toDueReply(deps, addressees, record, reply) : null;
    try {
      const own = website ? await inDatabaseOfHome(deps, website.home, website.database) : inFirst(deps);
      await applyIn(own, website, record, due);
    } catch (error) {
      if (!isWebsitePaused(error) || !website) throw error;
      await keepWaiting(deps, website, { carrier, inbound, receivedAt });
      waiting.push(website.websiteId);
    }
  });
  return waiting;
}

/** @param website undefined: the text is for none */
async function applyIn(
  deps: Deps,
  website: Website | undefined,
  given: Omit<InboundRecord, "websiteIds">,
  reply: DueReply | null,
): Promise<void> {
  const { carrier, keyword } = given;
  const [phone] = given.phones;
  const hasEffect = keyword !== null && phone !== undefined;
  const websiteId = website?.websiteId ?? "";
  const record = { ...given, websiteIds: [websiteId], toldIds: given.toldIds.filter((id) => id === websiteId) };
  const tombstones = hasEffect && keyword === "start" ? await tombstonesIn(deps, websiteId, phone) : [];
  const run = (await hasListeners(deps.db, record)) ? deps.newId(website?.home) : null;
  const { isReplyDue, withoutEffect, due } = await applyInbound(deps.db, record, reply, tombstones, run);
  const isAnswer = isReplyDue && reply !== null;
  deps.log("info", "inbound.received", { carrier, websiteId, keyword, replied: isAnswer });
  if (withoutEffect !== null)
    deps.log("warn", "inbound.keyword-without-effect", { carrier, websiteId, keyword, reason: withoutEffect });
  if (isAnswer) await queueDeliveries(deps, "messages", [reply.message.messageId]);
  await queueCallbacks(deps, due);
}

/** The tombstones that the number has if the website has erased it, in either form. */
async function tombstonesIn(deps: Deps, websiteId: string, phone: number): Promise<Tombstone[]> {
  return (await readTombstones(deps, websiteId)).ofForms(phone).map((mark) => ({ websiteId, mark }));
}

/** The carrier counts the text as received: some send none again. @throws RequestFailure store-unavailable */
async function keepWaiting(
  deps: Deps,
  { websiteId, home }: Website,
  text: Pick<WaitingText, "carrier" | "inbound" | "receivedAt">,
): Promise<void> {
  await insertWaitingText(inFirst(deps).db, { websiteId, home, ...text });
  deps.log("info", "inbound.waits", { carrier: text.carrier, websiteId });
  // The website may have been opened since this isolate asked. Then nobody else looks at the text before the next sweep.
  for (const own of inEach(deps)) forgetClosed(deps, own.database);
  const isOpen = await inDatabaseOfHome(deps, home).then(
    () => true,
    () => false,
  );
  if (isOpen) await receiveWaiting(deps);
}

const TEXTS_A_PAGE = 100;

/** Receives the texts that have waited for websites that are open again, in the order in which they came. @returns how many */
export async function receiveWaiting(deps: Deps): Promise<number> {
  const { db, others } = inFirst(deps);
  let count = 0;
  for (let after: number | undefined = others.size === 0 ? undefined : 0; after !== undefined; ) {
    const page = await listWaitingTexts(db, after, TEXTS_A_PAGE);
    await inTurn(page, async ({ id, websiteId, carrier, inbound, receivedAt }) => {
      const { failure, ...addressees } = await findAddressees(deps, carrier, inbound);
      // It waits for this website alone: the others had it when it came.
      if (failure !== undefined && addressees.websites.every((website) => website.websiteId !== websiteId))
        throw failure;
      if ((await receiveFor(deps, carrier, inbound, addressees, receivedAt)).includes(websiteId)) return;
      await deleteWaitingText(db, id);
      count += 1;
    });
    after = page.length === TEXTS_A_PAGE ? page.at(-1)?.id : undefined;
  }
  return count;
}
