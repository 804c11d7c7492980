// Pure. Whether a claimed message may be submitted, by what its claim has found; if not, how it ends, or that it waits.
import { oneFormOf } from "../people/two-form-numbers.ts";
import type { Reason } from "./reason.ts";

/** Values of `isReply`. The opt-out confirmation is sent to a person who has opted out; other replies are not. */
export const OPT_OUT_CONFIRMATION = 1;
export const ANSWER = 2;

/** What a claim has found about a message. */
export interface Found {
  /** 0: it is no reply to a keyword. */
  isReply: number;
  /** null: the website does not know the number. */
  subscribed: boolean | null;
  /** The latest texts to the number, in a row, that ended with a permanent fault of it. */
  failures: number;
  /** The setting of the website: so many make a number unreachable; null: none. */
  unreachableAfter: number | null;
  /** null: no frequency cap is for it. */
  cap: CapCount | null;
}

/** The submissions to the person of a message that were begun within the hours of its frequency cap. */
export interface CapCount {
  /** So many are allowed. */
  most: number;
  /** Those with an outcome. */
  went: number;
  /** Those without an outcome: each may come to nothing. */
  underWay: number;
}

/** What becomes of a message in place of its submission. `because`: in words, for the operator. */
export type EndBefore =
  | { kind: "ends"; status: "FAILED_TO_SEND" | "NOT_SUBSCRIBED"; code: Reason; because: string }
  | { kind: "waits"; because: string };

const HAS_RETURNED: EndBefore = {
  kind: "ends",
  status: "FAILED_TO_SEND",
  code: "CANCELLED",
  because: "the person has opted in again",
};
const HAS_OPTED_OUT: EndBefore = {
  kind: "ends",
  status: "NOT_SUBSCRIBED",
  code: "OPTED_OUT",
  because: "opted out before it was submitted",
};
const IS_UNREACHABLE: EndBefore = {
  kind: "ends",
  status: "FAILED_TO_SEND",
  code: "UNREACHABLE",
  because: "the number is unreachable",
};
const IS_OVER_CAP: EndBefore = {
  kind: "ends",
  status: "FAILED_TO_SEND",
  code: "FREQUENCY_CAP",
  because: "over the frequency cap of the website",
};
const HAS_NO_PLACE: EndBefore = {
  kind: "waits",
  because: "the frequency cap has no place for it while other messages to the person are being submitted",
};

/** null: the message may be submitted. */
export function endBefore({ isReply, subscribed, failures, unreachableAfter, cap }: Found): EndBefore | null {
  if (isReply === OPT_OUT_CONFIRMATION) return subscribed ? HAS_RETURNED : null;
  // Somebody who never subscribed may have asked for an answer.
  if (subscribed === false || (subscribed === null && isReply !== ANSWER)) return HAS_OPTED_OUT;
  if (unreachableAfter !== null && failures >= unreachableAfter) return IS_UNREACHABLE;
  if (cap && cap.went >= cap.most) return IS_OVER_CAP;
  return cap && cap.went + cap.underWay >= cap.most ? HAS_NO_PLACE : null;
}

interface Claimed extends Found {
  websiteId: string;
  /** As digits. */
  phone: number;
  isMarketing: boolean;
}

/**
 * Decides on the messages of one claim. The places under a cap go to those that stand first.
 * @param messages the submissions that their caps count are those of other claims
 */
export function endEachBefore(messages: Claimed[]): (EndBefore | null)[] {
  const going = new Map<string, number>();
  return messages.map(({ websiteId, phone, isMarketing, cap, ...found }) => {
    const person = `${oneFormOf(phone)} ${websiteId}`;
    const ahead = going.get(person) ?? 0;
    const before = endBefore({ ...found, cap: cap && { ...cap, underWay: cap.underWay + ahead } });
    if (isMarketing && before === null) going.set(person, ahead + 1);
    return before;
  });
}
