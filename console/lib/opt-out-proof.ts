// Pure. What proves that a person opted out, when that was in force, and that nothing was sent since.
import type { InboundText, Person, PersonAtWebsite, SubscriptionChange } from "../answers.ts";

const SENT = ["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"];

/** So many texts a person's answer has: there may be older ones. */
const MOST = 100;

/** What the paper and the file have alike; without the number, which is revealed when they are made. */
export interface OptOutProof {
  website: string;
  websiteName: string | null;
  /** null: the carrier told it, without their words. */
  wrote: string | null;
  told: string | null;
  /** The website's sender; null: the text itself is not kept any more. */
  to: string | null;
  textId: string | null;
  receivedAt: string;
  inForceAt: string;
  confirmedAt: string | null;
  sentSince: number;
  stoppedSince: number;
  /** The ids of texts to them since, each with what became of it. */
  messagesSince: { messageId: string; acceptedAt: string; status: string }[];
  /** Only among so many of the latest texts; null: among all. */
  ofLatest: number | null;
  ledger: number;
}

/** The text that made a change, which is stored at once: the nearest in time. */
export function textOf({ texts }: PersonAtWebsite, { source, to, at }: SubscriptionChange): InboundText | undefined {
  const apart = ({ receivedAt }: InboundText) => Math.abs(Date.parse(receivedAt) - Date.parse(at));
  if (source !== "keyword" && source !== "carrier") return undefined;
  return texts
    .filter((text) => text.keyword === (to ? "start" : "stop") && apart(text) < 60_000)
    .sort((one, other) => apart(one) - apart(other))[0];
}

/** null: they have not opted out by themselves. */
export function proofOf(site: PersonAtWebsite, { messages }: Person): OptOutProof | null {
  const change = site.changes
    .filter((it) => !it.to && (it.source === "keyword" || it.source === "carrier"))
    .sort((one, other) => other.at.localeCompare(one.at))[0];
  if (!change) return null;
  const text = textOf(site, change);
  const after = messages.filter((it) => it.websiteId === site.websiteId && it.acceptedAt > change.at);
  const sent = after.filter(({ status }) => SENT.includes(status));
  const oldest = messages.at(-1);
  return {
    website: site.websiteId ?? "",
    websiteName: site.websiteName,
    wrote: text?.text ?? (change.source === "keyword" ? change.proof : null),
    told: change.source === "carrier" ? change.proof : null,
    to: text?.to || null,
    textId: text?.carrierMessageId ?? null,
    receivedAt: text?.receivedAt ?? change.at,
    inForceAt: change.at,
    confirmedAt: site.optOutConfirmedAt,
    sentSince: sent.length,
    stoppedSince: after.length - sent.length,
    messagesSince: after.map(({ messageId, acceptedAt, status }) => ({ messageId, acceptedAt, status })),
    // All since then are there if an older one is.
    ofLatest: messages.length === MOST && oldest && oldest.acceptedAt > change.at ? MOST : null,
    ledger: change.changeId,
  };
}
