// Pure. What has become of an accepted text, in the eight classes that every count of texts has. Replies to keywords are not counted.
import * as z from "zod";
import { MESSAGE_STATUSES, type MessageStatus } from "./message.ts";
import { REASONS, type Reason } from "./reason.ts";

/** Each accepted text is in one of them. */
export const OUTCOME_CLASSES = [
  "scheduled",
  "waiting",
  "notSubscribed",
  "endedBefore",
  "notTaken",
  "noReceipt",
  "delivered",
  "undelivered",
] as const;

export type OutcomeClass = (typeof OUTCOME_CLASSES)[number];

/** By what messages are searched: a class, or `notArrived`, which is two of them. */
export const SEARCHED_OUTCOMES = [...OUTCOME_CLASSES, "notArrived"] as const;

export const classesIn = (searched: (typeof SEARCHED_OUTCOMES)[number]): readonly OutcomeClass[] =>
  searched === "notArrived" ? ["notTaken", "undelivered"] : [searched];

/** The class of a status, whatever its reason, unless BY_REASON has another. A pending text is scheduled until its time. */
const BY_STATUS: Record<MessageStatus, OutcomeClass> = {
  PENDING_TO_SEND: "waiting",
  SENDING: "noReceipt",
  DELIVERED: "delivered",
  FAILED_TO_DELIVERY: "undelivered",
  FAILED_TO_SEND: "notTaken",
  NOT_FOUND: "notSubscribed",
  NOT_SUBSCRIBED: "notSubscribed",
  FAILED_TO_MATCH: "notSubscribed",
};

const BY_REASON: { [Status in MessageStatus]?: Partial<Record<Reason, OutcomeClass>> } = {
  FAILED_TO_SEND: {
    CANCELLED: "endedBefore",
    EXPIRED: "endedBefore",
    QUIET_HOURS: "endedBefore",
    FREQUENCY_CAP: "endedBefore",
    UNREACHABLE: "endedBefore",
  },
  FAILED_TO_DELIVERY: { NO_RECEIPT: "noReceipt", OUTCOME_UNKNOWN: "noReceipt" },
};

/** @param isAhead the time of a pending text, or its sending hours, are ahead */
export function classOf(status: MessageStatus, reason: Reason | null, isAhead = false): OutcomeClass {
  if (isAhead && status === "PENDING_TO_SEND") return "scheduled";
  return (reason && BY_REASON[status]?.[reason]) || BY_STATUS[status];
}

/** For a statement: the classes by `FAILED_TO_SEND EXPIRED`, or by `FAILED_TO_SEND ` where there is no reason. */
export const CLASSES_JSON = JSON.stringify(
  Object.fromEntries(
    MESSAGE_STATUSES.flatMap((status) =>
      [null, ...REASONS].map((reason) => [`${status} ${reason ?? ""}`, classOf(status, reason)]),
    ),
  ),
);

export type ClassCounts = Record<OutcomeClass, number>;

export function countClasses<T>(rows: readonly T[], read: (row: T) => [OutcomeClass, count: number]): ClassCounts {
  const counts = Object.fromEntries(OUTCOME_CLASSES.map((name) => [name, 0])) as ClassCounts;
  for (const [name, count] of rows.map(read)) counts[name] += count;
  return counts;
}

/** How many texts are in each class, and the two sums. */
export interface Figures extends ClassCounts {
  accepted: number;
  /** Taken by a carrier. */
  sent: number;
}

export function toFigures(counts: ClassCounts): Figures {
  const sent = counts.noReceipt + counts.delivered + counts.undelivered;
  const { scheduled, waiting, notSubscribed, endedBefore, notTaken } = counts;
  const accepted = scheduled + waiting + notSubscribed + endedBefore + notTaken + sent;
  return { accepted, scheduled, waiting, notSubscribed, endedBefore, notTaken, sent, ...outcomesOf(counts) };
}

const outcomesOf = ({ noReceipt, delivered, undelivered }: ClassCounts) => ({ noReceipt, delivered, undelivered });

/** The fields of Figures in an answer. */
export const figuresShape = {
  accepted: z
    .int()
    .describe(
      "All: `scheduled`, `waiting`, `notSubscribed`, `endedBefore`, `notTaken` and `sent`. Replies to keywords are not counted.",
    ),
  scheduled: z.int().describe("Pending: their own time or their sending hours are ahead."),
  waiting: z.int().describe("Pending: the others, held ones included."),
  notSubscribed: z.int().describe("NOT_SUBSCRIBED, NOT_FOUND or FAILED_TO_MATCH."),
  endedBefore: z
    .int()
    .describe("FAILED_TO_SEND because of CANCELLED, EXPIRED, QUIET_HOURS, FREQUENCY_CAP or UNREACHABLE."),
  notTaken: z.int().describe("FAILED_TO_SEND otherwise: the carrier refused them, or could not be reached."),
  sent: z.int().describe("Taken by a carrier: `noReceipt`, `delivered` and `undelivered`."),
  noReceipt: z.int().describe("SENDING, or FAILED_TO_DELIVERY because of NO_RECEIPT or OUTCOME_UNKNOWN."),
  delivered: z.int(),
  undelivered: z.int().describe("FAILED_TO_DELIVERY otherwise."),
};
