// Pure. What a campaign is at, in a sentence.
import type { Campaign } from "../answers.ts";
import { WHILE_HELD } from "./holds.ts";
import { countOf, formatCount } from "./numbers.ts";
import { arrivedWords, pendingOf } from "./outcomes.ts";
import { formatClock, formatSpan } from "./times.ts";

type Counts = Omit<Campaign, "minutes" | "days">;

export const isHeld = ({ holds }: Counts): boolean => holds.some(({ clientId }) => clientId === null);

/** Texts that may go now; null: not known. Counts are up to a minute old, and a hold holds at once. */
export const readyOf = (campaign: Counts): number | null => {
  const { waiting, held } = campaign;
  if (isHeld(campaign)) return 0;
  return waiting === null || held === null ? null : waiting - held;
};

export function titleOf(campaign: Counts): string {
  const { sendPurpose: name, accepted, sent, held, scheduled, perMinute } = campaign;
  if (accepted === 0) return `No text of ${name} in 30 days`;
  const ready = readyOf(campaign);
  const isReady = ready === null ? pendingOf(campaign) > 0 : ready > 0;
  const will = sent + (ready ?? pendingOf(campaign));
  if (isReady && perMinute !== null)
    return `${name} goes out: ${formatCount(sent)} of ${countOf(will, "text")} are gone`;
  if (isReady)
    return `${countOf(ready ?? pendingOf(campaign), "text")} of ${name} ${will - sent === 1 ? "waits" : "wait"}`;
  if (held) return `${countOf(held, "text")} of ${name} ${held === 1 ? "is" : "are"} held`;
  if (scheduled) return `${countOf(scheduled, "text")} of ${name} ${scheduled === 1 ? "is" : "are"} scheduled`;
  return sent > 0 ? `${name}: ${arrivedWords(campaign)}` : `No text of ${name} has gone`;
}

/** How fast, until when, and what its sender may send. */
export function leadOf(campaign: Counts, now: number): string {
  const { messagesPerMinute, messagesPerDay } = campaign.senderPace;
  const limits = [
    messagesPerMinute && perMinuteOf(messagesPerMinute),
    messagesPerDay && `${formatCount(messagesPerDay)} in 24 hours`,
  ];
  const most = limits.filter(Boolean).join(", ");
  return speedOf(campaign, now) + (most && pendingOf(campaign) > 0 ? ` Segments of the sender at most: ${most}.` : "");
}

const perMinuteOf = (count: number) => `${formatCount(Math.round(count))} a minute`;

function speedOf(campaign: Counts, now: number): string {
  const { accepted, perMinute, endsAt, held, scheduled } = campaign;
  const pending = pendingOf(campaign);
  const speed = perMinute === null ? "None has gone in the last minutes." : `${perMinuteOf(perMinute)}.`;
  if (accepted === 0) return "Each sendPurpose of a client is a campaign.";
  if (endsAt !== null)
    return `${speed} The last goes at about ${formatClock(endsAt)}, in ${formatSpan(Math.max(60_000, Date.parse(endsAt) - now))}.`;
  if (readyOf(campaign) === 0 && held) return WHILE_HELD;
  if (readyOf(campaign) === 0 && scheduled) return "They go at their time, or when sending hours open.";
  return pending === 0 ? "All have gone, or have ended." : speed;
}
