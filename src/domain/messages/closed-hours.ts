// Pure. What the sending hours of a website mean for one message: it may go, waits until they open, or ends.

import type { GivenPlace } from "../people/places.ts";
import { hoursAt, type SendingHours } from "./sending-hours.ts";

/** The time over which held messages are spread once the hours open, in steps, because messages with the same time share a job. */
export const SPREAD_MILLISECONDS = 15 * 60_000;
const STEP_MILLISECONDS = 5000;

export interface HeldMessage extends GivenPlace {
  messageId: string;
  /** E.164 */
  phone: string;
  /** When it may not go any more: milliseconds since 1970. */
  expiresAt?: number | null | undefined;
}

export type Ruling =
  /** `until`: from then on, it may not. */
  | { kind: "goes"; until: number }
  /** `opensAt`: when the hours open. `sendAt`: when it may go. `because`: in words, for the operator. */
  | { kind: "waits"; opensAt: number; sendAt: number; because: string }
  | { kind: "ends"; code: "QUIET_HOURS" | "EXPIRED"; because: string };

/** @param at when it is to go: milliseconds since 1970 */
export function ruleOn(hours: SendingHours, message: HeldMessage, at: number): Ruling {
  const { phone, expiresAt } = message;
  const answer = hoursAt(hours, phone, message, at);
  if (answer.isOpen) return { kind: "goes", until: answer.closesAt };
  const { opensAt, window, source } = answer;
  const closed = `its sending hours are closed${window ? `: ${window}` : ""} (${source})`;
  if (opensAt === null) return { kind: "ends", code: "QUIET_HOURS", because: `${closed}, and do not open` };
  if (hours.whenClosed === "refuse") return { kind: "ends", code: "QUIET_HOURS", because: closed };
  const latest = expiresAt ?? Number.POSITIVE_INFINITY;
  if (opensAt >= latest) return { kind: "ends", code: "EXPIRED", because: `${closed}, and open after its end` };
  const opening = hoursAt(hours, phone, message, opensAt);
  const end = Math.min(latest, opening.isOpen ? opening.closesAt : opensAt);
  return { kind: "waits", opensAt, sendAt: opensAt + spreadOf(message.messageId, end - opensAt), because: closed };
}

/** @param room until the hours close again, or the message expires: milliseconds */
function spreadOf(messageId: string, room: number): number {
  const steps = Math.max(1, Math.floor(Math.min(room, SPREAD_MILLISECONDS) / STEP_MILLISECONDS));
  // The ids of a bulk request count up in these digits, so its messages are spread evenly.
  return (Number.parseInt(messageId.slice(-8), 16) % steps) * STEP_MILLISECONDS;
}
