// Pure. When a message may go, and until when: the fields of a send request, and of its answer.
import * as z from "zod";
import { DAY_MILLISECONDS, toDay } from "../day.ts";
import type { FieldError } from "../failure.ts";
import { isAbsent } from "../fields.ts";

/** How far ahead a message may be scheduled. */
export const MAX_SCHEDULE_DAYS = 35;
/** How long after the time of a message it may expire. */
export const MAX_EXPIRY_DAYS = 7;
/** A time that is past by no more counts as now: clocks differ, and a request takes its time. */
export const PAST_MILLISECONDS = 5 * 60_000;

const SUCH_AS = "such as 2026-11-27T09:00:00-05:00";
const TIME_FORM = `must be a date and a time with an offset or Z, ${SUCH_AS}`;

const DATE_AND_TIME = /^\d{4}-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** A time with its offset, as RFC 3339 writes it: "T" and "Z" may be lower case. */
export const instant = z
  .string(TIME_FORM)
  .toUpperCase()
  .check(z.iso.datetime({ offset: true, error: ({ input }) => explainTime(String(input)) }));

/** @param text that is no time, in upper case */
function explainTime(text: string): string {
  const [date, month, , hour, minute, second, offset] = DATE_AND_TIME.exec(text) ?? [];
  if (date === undefined) return TIME_FORM;
  if (offset === undefined) return `has no offset: end it with Z, or with an offset, ${SUCH_AS}`;
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  const isMonth = Number(month) >= 1 && Number(month) <= 12;
  const what = !isMonth ? "a month" : isTime && !isDay(text) ? "a day" : "a time of day or an offset";
  return `has ${what} that does not exist`;
}

/** JavaScript takes the 31st of November for the 1st of December. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && toDay(time) === day;
}

export const sendAt = instant.meta({
  description: `When the message may go, at most ${MAX_SCHEDULE_DAYS} days ahead. A time up to 5 minutes in the past counts as now.`,
  examples: ["2026-11-27T09:00:00-05:00"],
});

export const expireAt = instant.meta({
  description: `When it is too late to submit the message: later than \`sendAt\`, or than now, by at most ${MAX_EXPIRY_DAYS} days. Without it, \`SUBMIT_WITHIN_HOURS\` after the message may go.`,
  examples: ["2026-11-27T12:00:00-05:00"],
});

/** Whether a rule of one of these fields is broken, so that nothing can be said about their values. */
export const isFaulty = (details: FieldError[], ...fields: string[]) =>
  details.some(({ field }) => field === "body" || fields.includes(field));

export function findTimeFaults(body: unknown, details: FieldError[], now: number): FieldError[] {
  const { sendAt, expireAt } = Object(body) as Record<string, unknown>;
  const timeOf = (field: string, value: unknown) =>
    isAbsent(value) || isFaulty(details, field) ? null : Date.parse(String(value));
  const goesAt = timeOf("sendAt", sendAt);
  const expiresAt = timeOf("expireAt", expireAt);
  const faults: FieldError[] = [];
  const add = (field: string, message: string) => faults.push({ field, message });
  if (goesAt !== null && goesAt < now - PAST_MILLISECONDS) add("sendAt", "must not be more than 5 minutes in the past");
  if (goesAt !== null && goesAt > now + MAX_SCHEDULE_DAYS * DAY_MILLISECONDS)
    add("sendAt", `must be at most ${MAX_SCHEDULE_DAYS} days ahead`);
  if (expiresAt === null) return faults;
  const [earliest, name] = goesAt !== null && goesAt > now ? [goesAt, "sendAt"] : [now, "now"];
  if (expiresAt <= earliest) add("expireAt", `must be later than ${name}`);
  if (expiresAt > earliest + MAX_EXPIRY_DAYS * DAY_MILLISECONDS)
    add("expireAt", `must be at most ${MAX_EXPIRY_DAYS} days after ${name}`);
  return faults;
}

/** When a message may go, in the answer to its request. */
export const scheduledForShape = {
  scheduledFor: z.iso
    .datetime()
    .optional()
    .describe("The earliest moment at which the message may go. Left out: now, or the message does not go at all."),
};
