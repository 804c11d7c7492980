// Pure. One message's story as sentences: the heading of its page, its lead, and the text that is copied for a ticket.
import type { Callback, HeldHours, Message } from "../answers.ts";
import { capitalized, countOf, listOf } from "./numbers.ts";
import { maskEmail, maskPhone } from "./phones.ts";
import { lookOf, whyOf } from "./status-words.ts";
import {
  cityOf,
  formatClock,
  formatSeconds,
  formatShortSpan,
  formatSpan,
  formatTime,
  formatUtc,
  isSameDay,
} from "./times.ts";

export const carrierOf = ({ carrier }: Message) => carrier ?? "the carrier";
export const clientOf = ({ clientName, clientId }: Message) => clientName ?? clientId.slice(0, 8);

const when = (at: string, now: number) => (isSameDay(at, now) ? `at ${formatSeconds(at)}` : formatTime(at, now));

/** The outcome, and when. */
export function headingOf(message: Message, now: number): string {
  const look = lookOf(message, now);
  const { status, updatedAt } = message;
  if (look.shape === "held") return "Held";
  if (look.shape === "scheduled") return `Waits for its ${message.waits?.hours ? "sending hours" : "time"}`;
  if (look.shape === "no-receipt") return `No receipt since ${formatTime(updatedAt, now)}`;
  if (status === "PENDING_TO_SEND" && look.shape === "sending") return look.word;
  if (status === "PENDING_TO_SEND") return `Waiting for ${message.carrier ?? "its turn"}`;
  if (status === "SENDING") return `Sending: ${carrierOf(message)} has it`;
  return `${look.word} ${when(updatedAt, now)}`;
}

/** `Mon-Sat 09:00-20:00 in New York (Florida).` */
const hoursWords = ({ window, zones, source }: HeldHours) =>
  `${window || "at other hours"}${zones.length > 0 ? ` in ${listOf(zones.map(cityOf))}` : ""} (${source}).`;

/** How long, by whom, whether consent was there, whether the client was told. */
export function leadOf(message: Message, now: number): string {
  const { status, reason, reasonDetail, acceptedAt, updatedAt, attempts, retryAt, endsAt, consent, waits } = message;
  const took = formatSpan(Math.max(0, Date.parse(updatedAt) - Date.parse(acceptedAt)));
  const told = toldSentence(message);
  const consented = consent ? `, to a person who was ${consent.subscribed ? "" : "not "}subscribed` : "";
  if (status === "DELIVERED") return `In ${took}, by ${carrierOf(message)}${consented}. ${told}`;
  if (status === "PENDING_TO_SEND") {
    if (waits?.hours) return `Marketing goes to this person ${hoursWords(waits.hours)}`;
    const tried = attempts > 0 ? `Tried ${attempts === 1 ? "once" : `${attempts} times`}. ` : "";
    const next = retryAt
      ? `Next try ${formatSeconds(retryAt)}${endsAt ? `, the last at ${formatClock(endsAt)}` : ""}. `
      : "";
    if (lookOf(message, now).shape === "held")
      return `${tried}It goes when somebody releases it${endsAt ? `; at ${formatClock(endsAt)} it ends as not sent` : ""}.`;
    return `${tried}${next}Nothing is lost: it goes by itself when it may.`;
  }
  if (status === "SENDING")
    return `${carrierOf(message)} took it, and has said nothing more for ${formatSpan(now - Date.parse(updatedAt))}. ${told}`;
  const [own, words] = reason ? whyOf(reason, reasonDetail) : [];
  const why = own ? `${own}${words ? ` (${words})` : ""}` : "Nothing was sent to this number";
  return `${capitalized(why)}. ${told}`;
}

/** Whether an endpoint has answered 2xx. */
export const isTaken = ({ httpStatus }: { httpStatus: number | null }) => Math.floor((httpStatus ?? 0) / 100) === 2;

/** How an endpoint has answered, in three words at most. */
export function answerOf(callback: Callback): { words: string; isTaken: boolean } {
  if (isTaken(callback)) return { words: `taken: ${callback.httpStatus}`, isTaken: true };
  if (callback.outcome === "answered") return { words: `not taken: ${callback.httpStatus}`, isTaken: false };
  return {
    words: callback.attemptedAt === null ? "not posted yet" : `not taken: ${callback.outcome ?? "unknown"}`,
    isTaken: false,
  };
}

function toldSentence(message: Message): string {
  const posted = message.callbacks.filter(({ attemptedAt }) => attemptedAt !== null);
  const due = message.callbacks.length - posted.length;
  if (due > 0)
    return `${clientOf(message)} is told soon: ${countOf(due, "callback")} ${due === 1 ? "waits" : "wait"} to be posted.`;
  if (posted.length === 0) return `${clientOf(message)} asked for no callback.`;
  const taken = posted.filter(isTaken).length;
  if (taken === posted.length) return `${clientOf(message)} was told.`;
  return taken === 0
    ? `${clientOf(message)} did not take what it was told.`
    : `${clientOf(message)} took ${taken} of ${countOf(posted.length, "callback")}.`;
}

export interface Tries {
  at: string;
  until: string;
  count: number;
  outcome: string;
  reason: string | null;
}

/** Tries in a row with the same answer as one. */
export function groupTries(submissions: Message["submissions"]): Tries[] {
  const groups: Tries[] = [];
  for (const { at, outcome, reason } of submissions) {
    const last = groups.at(-1);
    const isMore = last && groups.length > 1 && last.outcome === outcome && last.reason === reason;
    if (isMore) Object.assign(last, { until: at, count: last.count + 1 });
    else groups.push({ at, until: at, count: 1, outcome, reason });
  }
  return groups;
}

/** For a ticket: times in UTC, the names of the API, the number masked as the page has it. */
export function copyOf(message: Message, now: number): string {
  const lines = [
    `Message ${message.messageId}: ${headingOf(message, now)} (${message.status}${message.reason ? `, ${message.reason}` : ""})`,
    `To ${message.phone ? maskPhone(message.phone) : maskEmail(message.email ?? "nobody")}, website ${message.websiteId}, purpose ${message.sendPurpose}, client ${clientOf(message)}`,
    `${formatUtc(message.acceptedAt)}  accepted`,
    ...message.submissions.map(
      ({ at, outcome, reason }) => `${formatUtc(at)}  ${carrierOf(message)}: ${outcome}${reason ? `, ${reason}` : ""}`,
    ),
    ...message.events.map(({ occurredAt, eventType, status }) => `${formatUtc(occurredAt)}  ${status ?? eventType}`),
    ...message.callbacks.flatMap((callback) =>
      callback.attemptedAt
        ? [
            `${formatUtc(callback.attemptedAt)}  callback ${callback.eventId}, ${answerOf(callback).words}${callback.durationMilliseconds === null ? "" : `, ${formatShortSpan(callback.durationMilliseconds)}`}`,
          ]
        : [],
    ),
  ];
  return lines.join("\n");
}
