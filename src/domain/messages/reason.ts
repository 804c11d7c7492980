// Pure. Why a message has its status, in codes for its client. The carrier's own words stay with the operator.
import * as z from "zod";
import type { MessageStatus } from "./message.ts";

/** The codes, with the statuses that each explains. A code never changes its meaning. */
export const REASON_STATUSES = {
  CANCELLED: ["FAILED_TO_SEND"],
  EXPIRED: ["FAILED_TO_SEND"],
  QUIET_HOURS: ["FAILED_TO_SEND"],
  FREQUENCY_CAP: ["FAILED_TO_SEND"],
  UNREACHABLE: ["FAILED_TO_SEND"],
  CARRIER_REFUSED: ["FAILED_TO_SEND"],
  CARRIER_FILTERED: ["FAILED_TO_SEND", "FAILED_TO_DELIVERY"],
  SENDER_LIMIT: ["FAILED_TO_SEND", "FAILED_TO_DELIVERY"],
  CARRIER_UNAVAILABLE: ["FAILED_TO_SEND", "FAILED_TO_DELIVERY"],
  CARRIER_NOT_SET_UP: ["FAILED_TO_SEND"],
  MEDIA_NOT_SUPPORTED: ["FAILED_TO_SEND", "FAILED_TO_DELIVERY"],
  OPTED_OUT: ["NOT_SUBSCRIBED", "FAILED_TO_SEND", "FAILED_TO_DELIVERY"],
  OUTCOME_UNKNOWN: ["SENDING"],
  UNDELIVERED: ["FAILED_TO_DELIVERY"],
  NO_RECEIPT: ["FAILED_TO_DELIVERY"],
} as const satisfies Record<string, readonly MessageStatus[]>;

export type Reason = keyof typeof REASON_STATUSES;

export const REASONS = Object.keys(REASON_STATUSES) as Reason[];

/** The reason of a message or of an event of it. @param stored the column reason_code */
export function readReason(status: MessageStatus, stored: string | null): Reason | null {
  const explains = (reason: Reason) => (REASON_STATUSES[reason] as readonly MessageStatus[]).includes(status);
  return REASONS.find((reason) => reason === stored && explains(reason)) ?? null;
}

export const reasonSchema = z
  .enum(REASONS)
  .nullable()
  .describe("Why the message has this status; null: nothing more to say.");
