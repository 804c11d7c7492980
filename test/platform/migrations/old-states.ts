// Every state that a person, a message or an event can be in.
import { env } from "cloudflare:workers";
import { readConfig } from "../../../src/config.ts";
import { MESSAGE_STATUSES } from "../../../src/domain/message.ts";

export type OldRow = Record<string, string | number | null>;
export type OldRows = Record<string, OldRow[]>;

/** As the clock of a World stands. */
export const NOW = Date.UTC(2026, 10, 21, 12);
export const SERVICE_KEY = readConfig(env).serviceKey ?? "";
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const WEBSITES = ["brand", "shop"] as const;
export const PEOPLE = 60;

/** What people are, over and over: four of six have asked for texts. */
export const PERSON_STATES: OldRow[] = [
  { subscribed: 1, email: null, opted_out_by_person: 0, opt_out_confirmed_at: null },
  { subscribed: 1, email: "given", opted_out_by_person: 0, opt_out_confirmed_at: null },
  { subscribed: 0, email: "given", opted_out_by_person: 0, opt_out_confirmed_at: null },
  { subscribed: 1, email: null, opted_out_by_person: 0, opt_out_confirmed_at: null },
  { subscribed: 0, email: null, opted_out_by_person: 1, opt_out_confirmed_at: NOW - HOUR },
  { subscribed: 1, email: "given", opted_out_by_person: 0, opt_out_confirmed_at: null },
];

/** What a message can be; the rest of its columns are the same in each. */
export const MESSAGE_STATES: OldRow[] = [
  { status: "PENDING_TO_SEND", queued_at: NOW - 5 * MINUTE },
  { status: "PENDING_TO_SEND", queued_at: NOW - 5 * MINUTE, is_reply: 1 },
  { status: "PENDING_TO_SEND", queued_at: NOW - 5 * MINUTE, is_reply: 2 },
  { status: "PENDING_TO_SEND", attempts: 2, retry_at: NOW - MINUTE, queued_at: NOW - 2 * MINUTE, reason: "busy" },
  { status: "PENDING_TO_SEND", attempts: 1, claimed_at: NOW - MINUTE, claim: "a run at work" },
  { status: "PENDING_TO_SEND", attempts: 1, claimed_at: NOW - HOUR, claim: "a run that was cut off" },
  { status: "PENDING_TO_SEND", accepted_at: NOW - 5 * HOUR, queued_at: NOW - HOUR },
  ...MESSAGE_STATUSES.filter((status) => status !== "PENDING_TO_SEND").map((status) => ({ status })),
  { status: "SENDING", reason: "timeout: outcome unknown, not sent again", updated_at: NOW - 25 * HOUR },
  { status: "FAILED_TO_SEND", reason: "refused", reason_code: "CARRIER_REFUSED" },
  { status: "DELIVERED", opted_out: 1, sending_at: NOW - HOUR, final_at: NOW - HOUR + 1 },
];

/** What the event of a message's status can be. The first is not called back. */
export const EVENT_STATES: OldRow[] = [
  { callback_due: 0 },
  { callback_due: 1 },
  { callback_due: 1, attempted_at: NOW - MINUTE, claim: "a run that was cut off" },
  { callback_due: 1, attempted_at: NOW - MINUTE, claim: "c", outcome: "answered", http_status: 200, response: "ok" },
  { callback_due: 1, attempted_at: NOW - MINUTE, claim: "c", outcome: "answered", http_status: 500, response: "" },
  { callback_due: 1, attempted_at: NOW - MINUTE, claim: "c", outcome: "timed-out", response: "10 s" },
  { callback_due: 1, attempted_at: NOW - MINUTE, claim: "c", outcome: "unreachable", response: "refused" },
  { callback_due: 1, attempted_at: NOW - MINUTE, claim: "c", outcome: "not-posted", response: "no key" },
];

export function uuid(generation: number, index: number): string {
  return `00000000-0000-4000-8${String(generation).padStart(3, "0")}-${index.toString(16).padStart(12, "0")}`;
}

export function at<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}
