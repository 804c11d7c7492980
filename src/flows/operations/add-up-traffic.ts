// The counts of all databases as one: by minute, by day, by website and by carrier.
import { DAY_MILLISECONDS, dayNumber, toDay } from "../../domain/day.ts";
import type { Figures } from "../../domain/messages/outcome-class.ts";
import {
  type CountRow,
  countOf,
  holdAll,
  type Known,
  type Traffic,
  toCountRows,
  trafficOf,
} from "../../domain/operations/traffic.ts";
import { minuteOf } from "../../store/operations/outcome-counts.ts";
import { type DatabaseTraffic, SHOWN_DAYS, type WebsiteCounts } from "../../store/operations/overview.ts";

const MINUTES = 60;

/** What is shown ends when everything was counted, or five minutes ago if the sweep is later. */
const LATEST_MILLISECONDS = 5 * 60_000;

/** A text that was accepted in this minute or in the one before may be on its way. */
const YOUNG_MINUTES = 2;

/** The minutes and days that are shown, since 1970. */
interface Shown {
  minutes: number[];
  days: number[];
}

/** The counts of one website, or of all. */
interface Counted {
  rows: CountRow[];
  known: Known;
}

/** Where no span is named, of the last hour. `month`: of the last 30 days. */
type WebsiteNow = Traffic & {
  websiteId: string;
  name: string;
  carrier: string;
  timeZone: string | null;
  today: Traffic;
  month: Traffic;
  overdue: number | null;
  optedOut30Days: number;
};

type Outcomes = Pick<Figures, "sent" | "noReceipt" | "delivered" | "undelivered">;

export interface AddedUp {
  /** When everything was counted that the counts have; null: nothing was yet. */
  asOf: number | null;
  minutes: (Traffic & { at: number })[];
  days: (Traffic & Record<"clicked" | "optedOut" | "joined" | "parted", number> & { day: string })[];
  /** Those that are shown. */
  websites: WebsiteNow[];
  carriers: (Outcomes & { carrier: string })[];
  /** The last 30 days. */
  month: Traffic;
  /** Waiting texts that are not held, but for those of the last minutes: see YOUNG_MINUTES; null: too many are pending to tell. */
  overdue: number | null;
}

/** @param chosen the websites that are shown */
export function addUp(all: DatabaseTraffic[], ofWebsites: WebsiteCounts[], chosen: string[], now: number): AddedUp {
  const asOf = all.some((one) => one.asOf === null) ? null : Math.min(...all.map((one) => one.asOf ?? now));
  const shown = shownUntil(asOf === null ? now : Math.max(asOf, now - LATEST_MILLISECONDS));
  const websites = chosen.flatMap((id) => countWebsite(id, all, ofWebsites));
  const service: Counted = {
    rows: [...all.flatMap(({ counts }) => counts), ...scheduledOf(all), ...websites.flatMap(({ held }) => held)],
    known: {
      scheduled: all.every(({ scheduled }) => scheduled !== null),
      held: isEachHeldShown(all, chosen) && websites.every(({ known }) => known.held),
    },
  };
  return {
    asOf,
    minutes: shown.minutes.map((at) => ({ at: at * 60_000, ...figuresOf(service, "minute", [at]) })),
    days: shown.days.map((at) => ({
      day: toDay(at * DAY_MILLISECONDS),
      ...figuresOf(service, "day", [at]),
      ...growthOf(service, at),
    })),
    websites: websites.map((one) => toWebsite(one, shown)).sort((a, b) => b.accepted - a.accepted),
    carriers: byCarrier(service, shown),
    month: figuresOf(service, "day", shown.days),
    overdue: overdueOf(service, shown),
  };
}

function shownUntil(time: number): Shown {
  const upTo = (last: number, length: number) => Array.from({ length }, (_, index) => last - length + 1 + index);
  return { minutes: upTo(minuteOf(time), MINUTES), days: upTo(dayNumber(time), SHOWN_DAYS) };
}

const scheduledOf = (all: DatabaseTraffic[]) =>
  toCountRows(
    "scheduled",
    all.flatMap(({ scheduled }) => scheduled ?? []),
  );

interface CountedWebsite extends Counted {
  website: WebsiteCounts["websites"][number];
  held: CountRow[];
}

/** None where no database has it that has answered. */
function countWebsite(websiteId: string, all: DatabaseTraffic[], ofWebsites: WebsiteCounts[]): CountedWebsite[] {
  const website = ofWebsites.flatMap(({ websites }) => websites).find((one) => one.websiteId === websiteId);
  if (!website) return [];
  const isOwn = ({ subject }: CountRow) => subject === websiteId;
  const rows = [...ofWebsites.flatMap(({ counts }) => counts), ...scheduledOf(all)].filter(isOwn);
  const inPart = all.flatMap(({ held }) => held ?? []);
  const held = website.isHeld ? holdAll(rows) : toCountRows("held", inPart).filter(isOwn);
  const known = {
    scheduled: all.every(({ scheduled }) => scheduled !== null),
    held: !website.isHeldInPart || all.every((one) => one.held !== null),
  };
  return [{ website, rows: [...rows, ...held], held, known }];
}

/** Whether each website with a hold is among the chosen ones, whose held messages are counted. */
const isEachHeldShown = (all: DatabaseTraffic[], chosen: string[]) =>
  all.every(({ candidates }) => candidates.every(({ rank, websiteId }) => rank > 0 || chosen.includes(websiteId)));

function rowsOf({ rows }: Counted, span: CountRow["span"], places: number[]): CountRow[] {
  const wanted = new Set(places);
  return rows.filter((row) => row.span === span && wanted.has(row.at));
}

const figuresOf = (counted: Counted, span: CountRow["span"], places: number[]): Traffic =>
  trafficOf(rowsOf(counted, span, places), counted.known);

function growthOf(counted: Counted, day: number) {
  const own = rowsOf(counted, "day", [day]);
  const [clicked, optedOut] = [countOf(own, "clicked"), countOf(own, "optedOut")];
  return { clicked, optedOut, joined: countOf(own, "joined"), parted: countOf(own, "parted") };
}

function toWebsite(counted: CountedWebsite, shown: Shown): WebsiteNow {
  const { websiteId, name, carrier, timeZone } = counted.website;
  return {
    ...{ websiteId, name, carrier, timeZone },
    ...figuresOf(counted, "minute", shown.minutes),
    today: figuresOf(counted, "day", shown.days.slice(-1)),
    month: figuresOf(counted, "day", shown.days),
    overdue: overdueOf(counted, shown),
    optedOut30Days: countOf(rowsOf(counted, "day", shown.days), "optedOut"),
  };
}

function overdueOf(counted: Counted, shown: Shown): number | null {
  const waits = ({ waiting, held }: Traffic) => (waiting === null || held === null ? null : waiting - held);
  const month = waits(figuresOf(counted, "day", shown.days));
  const young = waits(figuresOf(counted, "minute", shown.minutes.slice(-YOUNG_MINUTES)));
  return month === null || young === null ? null : Math.max(0, month - young);
}

/** What has no carrier yet counts for none. */
function byCarrier(service: Counted, shown: Shown): AddedUp["carriers"] {
  const rows = rowsOf(service, "minute", shown.minutes).filter(({ detail }) => detail !== "");
  return [...Map.groupBy(rows, ({ detail }) => detail)].map(([carrier, own]) => {
    const { sent, noReceipt, delivered, undelivered } = trafficOf(own, service.known);
    return { carrier, sent, noReceipt, delivered, undelivered };
  });
}
