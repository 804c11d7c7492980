// Pure. The setting of a website that says when its marketing messages may go.
import * as z from "zod";
import { jsonObject, ruleOfFields } from "../fields.ts";
import type { SendingHours } from "../messages/sending-hours.ts";
import { DAYS } from "../messages/weekly-windows.ts";

const FROM = /^([01]\d|2[0-3]):[0-5]\d$/;
const UNTIL = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

const FROM_RULE = "must be a time of day, such as 09:00";
const UNTIL_RULE = "must be a time of day, such as 20:00, or 24:00";
const DAYS_RULE = `must be an array of: ${DAYS.join(", ")}`;

const MOST_WINDOWS = 20;
const WINDOWS_RULE = `must have 1 to ${MOST_WINDOWS} windows`;

const window = jsonObject({
  days: z
    .array(z.enum(DAYS, `must be one of: ${DAYS.join(", ")}`), DAYS_RULE)
    .min(1, DAYS_RULE)
    .transform((days) => DAYS.filter((day) => days.includes(day))),
  from: z.string(FROM_RULE).regex(FROM, FROM_RULE),
  until: z.string(UNTIL_RULE).regex(UNTIL, UNTIL_RULE).describe("Before `from`: of the next day."),
}).check(
  ruleOfFields<{ from?: unknown; until?: unknown }>(({ from, until }, add) => {
    if (typeof from === "string" && from === until) add("until", "must not be the time at which the window begins");
  }),
);

export const PROFILES = ["us-strict", "custom"] as const;
export const WHEN_CLOSED = ["delay", "refuse"] as const;

export const sendingHours = jsonObject({
  profile: z.enum(PROFILES, `must be ${PROFILES.join(" or ")}`),
  windows: z
    .array(window, "must be an array of windows")
    .min(1, WINDOWS_RULE)
    .max(MOST_WINDOWS, WINDOWS_RULE)
    .exactOptional()
    .describe("Only for `custom`."),
  whenClosed: z.enum(WHEN_CLOSED, `must be ${WHEN_CLOSED.join(" or ")}`),
}).check(
  ruleOfFields<{ profile?: unknown; windows?: unknown }>(({ profile, windows }, add) => {
    if (profile === "custom" && windows === undefined) add("windows", "is required of custom");
    if (profile === "us-strict" && windows !== undefined) add("windows", "must be left out: us-strict has its own");
  }),
) satisfies z.ZodType<SendingHours>;
