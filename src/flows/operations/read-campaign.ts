import type { Deps } from "../../deps.ts";
import type { Website } from "../../domain/clients/website.ts";
import { DAY_MILLISECONDS, toDay } from "../../domain/day.ts";
import { covers, type Hold } from "../../domain/messages/hold.ts";
import type { Pace } from "../../domain/messages/sender-pace.ts";
import { endOf, paceOf } from "../../domain/operations/campaign.ts";
import { type CountRow, countOf, type Traffic, trafficOf } from "../../domain/operations/traffic.ts";
import { readCampaign as readCounts } from "../../store/operations/campaigns.ts";
import { minuteOf } from "../../store/operations/outcome-counts.ts";

type Counts = Traffic & Record<"clicked" | "optedOut", number>;

/** Times in milliseconds since 1970. */
export interface Campaign extends Counts {
  asOf: number | null;
  /** The holds that cover texts of it. */
  holds: Hold[];
  /** How many texts a carrier took in each minute, the latest last. */
  minutes: { at: number; gone: number }[];
  perMinute: number | null;
  senderPace: Pace;
  /** When the last text goes that waits and is not held. */
  endsAt: number | null;
  /** Those with texts. */
  days: (Counts & { day: string })[];
}

const MINUTES = 60;

/** @param deps of the database of the website */
export async function readCampaign({ db, now }: Deps, website: Website, sendPurpose: string): Promise<Campaign> {
  const at = now();
  const { asOf, counts, gone, pending, senderPace } = await readCounts(db, website, sendPurpose, at);
  const isKnown = pending !== null;
  const rows = [...counts, ...(pending ?? [])];
  const total = toCounts(rows, isKnown);
  const until = asOf ?? at;
  const perMinute = paceOf(gone, minuteOf(until));
  const holds = website.holds.filter((it) => covers({ ...it, clientId: null }, { sendPurpose, clientId: null }));
  const ready = holds.some(({ clientId }) => clientId === null) ? 0 : readyOf(total);
  return {
    ...{ asOf, ...total, perMinute, senderPace, endsAt: endOf(ready, perMinute, senderPace, until) },
    holds,
    minutes: Array.from({ length: MINUTES }, (_, index) => {
      const minute = minuteOf(until) - MINUTES + 1 + index;
      return { at: minute * 60_000, gone: gone.find((it) => it.minute === minute)?.count ?? 0 };
    }),
    days: byDay(rows, isKnown),
  };
}

/** Texts that may go now. The waiting ones were counted up to a minute before the held ones. */
const readyOf = ({ waiting, held }: Counts) => (waiting === null || held === null ? null : waiting - held);

const toCounts = (rows: CountRow[], isKnown: boolean): Counts => ({
  ...trafficOf(rows, { scheduled: isKnown, held: isKnown }),
  ...{ clicked: countOf(rows, "clicked"), optedOut: countOf(rows, "optedOut") },
});

function byDay(rows: CountRow[], isKnown: boolean): Campaign["days"] {
  const days = [...Map.groupBy(rows, ({ at }) => at)].sort(([a], [b]) => a - b);
  return days
    .map(([at, own]) => ({ day: toDay(at * DAY_MILLISECONDS), ...toCounts(own, isKnown) }))
    .filter(({ accepted }) => accepted > 0);
}
