// Pure. What proves that a person opted out, when that was in force, and that nothing was sent since.
import type { Person, PersonAtWebsite } from "../answers.ts";

const SENT = ["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"];

/** So many texts a person's answer has: there may be older ones. */
const MOST = 100;

/** What the paper and the file have alike; without the number, which is revealed when they are made. */
export interface OptOutProof {
  website: string;
  websiteName: string | null;
  /** null: by a message of the carrier, whose words are not told. */
  wrote: string;
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

/** null: they have not opted out by themselves. */
export function proofOf(site: PersonAtWebsite, { messages }: Person): OptOutProof | null {
  const change = site.changes
    .filter((it) => !it.to && (it.source === "keyword" || it.source === "carrier"))
    .sort((one, other) => other.at.localeCompare(one.at))[0];
  if (!change) return null;
  const text = site.texts.find(
    (it) => it.keyword === "stop" && Math.abs(Date.parse(it.receivedAt) - Date.parse(change.at)) < 60_000,
  );
  const after = messages.filter((it) => it.websiteId === site.websiteId && it.acceptedAt > change.at);
  const sent = after.filter(({ status }) => SENT.includes(status));
  const oldest = messages.at(-1);
  return {
    website: site.websiteId ?? "",
    websiteName: site.websiteName,
    wrote: text?.text ?? change.proof,
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
