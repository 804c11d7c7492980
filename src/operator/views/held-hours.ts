// What holds a message whose sending hours are closed: computed from the hours of today, as nothing of it is stored but when they open.
import * as z from "zod";
import { hoursAt, type SendingHours } from "../../domain/messages/sending-hours.ts";
import { toTime } from "../../http/time.ts";

export const heldHoursSchema = z.object({
  opensAt: z.iso.datetime().describe("When they open. The message goes within the 15 minutes after it."),
  zones: z.array(z.string()).describe("The time zones in which the person may be."),
  states: z.array(z.string()).describe("The states or regions in which the person may be, as ISO 3166-2 has them."),
  window: z.string().describe("When the narrowest rule is open, by the clock of the person."),
  source: z.string().describe("The source of that rule."),
});

export interface HeldByHours {
  /** The hours of the website, as they are now; null: it has none. */
  hours: SendingHours | null;
  /** E.164 */
  phone: string | null;
  timeZone: string | null;
  region: string | null;
  /** Milliseconds since 1970; null: no hours hold it. */
  opensAt: number | null;
}

const UNKNOWN = { zones: [], states: [], window: "", source: "the website had other hours when they held it" };

/** undefined: no hours hold it. */
export function heldHoursView(held: HeldByHours): z.output<typeof heldHoursSchema> | undefined {
  const { hours, phone, opensAt } = held;
  if (opensAt === null) return undefined;
  // They were closed until the minute in which they open.
  const before = hours && phone !== null ? hoursAt(hours, phone, held, opensAt - 1) : undefined;
  if (before === undefined || before.isOpen || before.opensAt !== opensAt)
    return { opensAt: toTime(opensAt), ...UNKNOWN };
  const { zones, states, window, source } = before;
  return { opensAt: toTime(opensAt), zones, states, window, source };
}
