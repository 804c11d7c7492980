// What holds a message whose sending hours are closed: computed from the hours of today, as nothing of it is stored but when they open.
import type * as z from "zod";
import { hoursAt, type SendingHours } from "../../domain/messages/sending-hours.ts";
import { toTime } from "../../http/time.ts";
import type { heldHoursSchema } from "../answers/messages.ts";

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
