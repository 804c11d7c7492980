// Pure. What the statuses and reasons of the API are called to an operator.
import type { FoundMessage, Message, Status } from "../answers.ts";
import { formatShortSpan, formatTime } from "./times.ts";

export type Tone = "ok" | "bad" | "wait" | "plain";

export type Shape =
  | "delivered"
  | "failed"
  | "problem"
  | "waiting"
  | "held"
  | "sending"
  | "no-receipt"
  | "none"
  | "cancelled"
  | "scheduled";

export interface Look {
  word: string;
  shape: Shape;
  tone: Tone;
}

const LOOKS: Record<Status, Look> = {
  PENDING_TO_SEND: { word: "Waiting", shape: "waiting", tone: "wait" },
  SENDING: { word: "Sending", shape: "sending", tone: "plain" },
  DELIVERED: { word: "Delivered", shape: "delivered", tone: "ok" },
  FAILED_TO_DELIVERY: { word: "Undelivered", shape: "failed", tone: "bad" },
  FAILED_TO_SEND: { word: "Not sent", shape: "failed", tone: "bad" },
  NOT_FOUND: { word: "Unknown number", shape: "none", tone: "plain" },
  NOT_SUBSCRIBED: { word: "Not subscribed", shape: "none", tone: "plain" },
  FAILED_TO_MATCH: { word: "Unknown address", shape: "none", tone: "plain" },
};

const HELD: Look = { word: "Held", shape: "held", tone: "plain" };
const SCHEDULED: Look = { word: "Scheduled", shape: "scheduled", tone: "plain" };
/** Its hours are. */
export const CLOSED: Look = { word: "Sending hours", shape: "scheduled", tone: "plain" };
const CANCELLED: Look = { word: "Cancelled", shape: "cancelled", tone: "plain" };
const ON_ITS_WAY: Look = { word: "On its way", shape: "sending", tone: "plain" };
const NO_RECEIPT: Look = { word: "No receipt", shape: "no-receipt", tone: "plain" };

export const SUBSCRIBED: Look = { word: "Subscribed", shape: "delivered", tone: "ok" };
export const OPTED_OUT: Look = { word: "Opted out", shape: "none", tone: "plain" };

const HOUR = 3_600_000;

export const lookOfStatus = (status: Status): Look => LOOKS[status] ?? { word: status, shape: "none", tone: "plain" };

type Told = Pick<Message, "status" | "reason" | "waits" | "updatedAt" | "acceptedAt" | "attempts">;

/** Whether it was just accepted: the clocks of the service and of the browser differ little. */
export const isYoung = ({ acceptedAt }: Pick<Message, "acceptedAt">, now: number): boolean =>
  Math.abs(now - Date.parse(acceptedAt)) < 20_000;

/** How a message looks now. A pending one may be held or scheduled, and one that has been SENDING for an hour has no receipt. */
export function lookOf(message: Told, now: number): Look {
  const { status, reason, waits, updatedAt } = message;
  // Texts gather for up to a second.
  if (waits?.until === null && !waits.held && message.attempts === 0 && isYoung(message, now)) return ON_ITS_WAY;
  if (reason === "CANCELLED") return CANCELLED;
  if (reason === "NO_RECEIPT") return NO_RECEIPT;
  if (status === "SENDING" && now - Date.parse(updatedAt) > HOUR) return NO_RECEIPT;
  if (waits?.held) return HELD;
  if (waits?.hours) return CLOSED;
  return waits?.because === "its sendAt" ? SCHEDULED : lookOfStatus(status);
}

const REASONS: Record<string, string> = {
  EXPIRED: "too late to send",
  QUIET_HOURS: "outside sending hours",
  FREQUENCY_CAP: "over the cap",
  UNREACHABLE: "not reachable",
  CARRIER_REFUSED: "the carrier refused it",
  CARRIER_FILTERED: "the carrier filtered it",
  SENDER_LIMIT: "faster than its sender may send",
  CARRIER_UNAVAILABLE: "the carrier could not be reached",
  OUTCOME_UNKNOWN: "whether it went is not known",
  NO_RECEIPT: "the carrier never said",
  UNDELIVERED: "did not reach the phone",
  MEDIA_NOT_SUPPORTED: "the carrier takes no pictures",
  OPTED_OUT: "the person opted out",
};

export const reasonWords = (reason: string): string => REASONS[reason] ?? reason.toLowerCase().replaceAll("_", " ");

/** Why, and in whose words. The service's words for a cancellation say by whom it was. */
export function whyOf(reason: string, reasonDetail: string | null): [why: string, words: string | null] {
  if (reason === "CANCELLED") return [reasonDetail ?? reasonWords(reason), null];
  return [reasonWords(reason), reasonDetail];
}

/** The second line of a status: why, or how long. */
export function detailOf(message: FoundMessage, now: number): string {
  const { status, reason, waits, carrier, attempts, acceptedAt, updatedAt } = message;
  if (reason !== null) return whyOf(reason, message.reasonDetail)[0].replace(/^cancelled by/, "by");
  if (status === "DELIVERED") {
    const took = formatShortSpan(Math.max(0, Date.parse(updatedAt) - Date.parse(acceptedAt)));
    return message.clickedAt ? `${took}, clicked` : took;
  }
  if (status === "PENDING_TO_SEND") {
    if (waits?.until && lookOf(message, now).shape === "scheduled") return `until ${formatTime(waits.until, now)}`;
    if (waits && !carrier) return waits.because;
    const tries = attempts > 0 ? `, ${attempts} ${attempts === 1 ? "try" : "tries"}` : "";
    return waits && lookOf(message, now).shape !== "waiting" ? waits.because : `for ${carrier ?? "its turn"}${tries}`;
  }
  if (status === "SENDING") {
    const since = now - Date.parse(updatedAt);
    return since > HOUR ? formatShortSpan(since) : `${carrier ?? "the carrier"} has it`;
  }
  return status === "NOT_SUBSCRIBED" ? "opted out" : status === "NOT_FOUND" ? "never subscribed" : "no number for it";
}
