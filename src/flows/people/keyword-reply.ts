// The one reply to a keyword, whichever databases the websites of the sender are in.
import type { Deps } from "../../deps.ts";
import type { Website } from "../../domain/clients/website.ts";
import type { NewMessage } from "../../domain/messages/new-message.ts";
import { countSegments } from "../../domain/messages/segments.ts";
import type { Keyword } from "../../domain/people/keyword.ts";
import type { DueReply, InboundRecord } from "../../store/people/inbound.ts";
import { readElsewhere } from "../../store/people/keyword-replies.ts";
import { askTheirs } from "../databases/ask-each.ts";
import type { Addressees } from "./find-addressees.ts";

/** The sendPurpose of replies to keywords. */
const REPLY_PURPOSE = "keyword-reply";

/** The reply of the first website. */
export function replyTo(
  deps: Deps,
  { websites: [website] }: Addressees,
  keyword: Keyword,
  acceptedAt: number,
): NewMessage | null {
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
    acceptedAt,
  };
}

function replyText({ name, helpText }: Website, keyword: Keyword): string | null {
  if (keyword === "stop")
    return `${name}: You are unsubscribed and will get no more messages. Reply START to subscribe again.`;
  if (keyword === "help") return helpText ?? `${name}: Reply STOP to unsubscribe.`;
  return null;
}

/** What the sharers in other databases say of the reply: the transaction does not see them. */
export async function toDueReply(
  deps: Deps,
  { sharers, phones, keyword }: Addressees,
  { carrier, carrierMessageId }: Pick<InboundRecord, "carrier" | "carrierMessageId">,
  message: NewMessage,
): Promise<DueReply> {
  const about = { carrier, carrierMessageId, phone: phones[0] as number };
  const home = sharers.find(({ websiteId }) => websiteId === message.websiteId)?.database;
  const own = sharers.filter(({ database }) => database === home);
  const askedOf = (some: Website[]) => ({ ...about, sharers: some.map(({ websiteId }) => websiteId) });
  const elsewhere = sharers.filter(({ database }) => database !== home);
  const others = await askTheirs(deps, elsewhere, async ({ db }, some) => [
    await readElsewhere(db, askedOf(some), message.acceptedAt),
  ]);
  return {
    message,
    keyword: keyword as Keyword,
    asked: askedOf(own),
    elsewhere: {
      isAnswered: others.some(({ isAnswered }) => isAnswered),
      isUntold: others.some(({ isUntold }) => isUntold),
      helped: others.reduce((sum, { helped }) => sum + helped, 0),
    },
  };
}
