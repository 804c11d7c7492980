// What an operator looks at first: accepted and delivered texts, pending texts that should have gone, and the problems. A look reads
// at most 4,000 rows of each database, and writes nothing.
import type { Deps } from "../../deps.ts";
import { DAY_MILLISECONDS, dayNumber, toDay } from "../../domain/day.ts";
import { isStoreUnavailable } from "../../domain/failure.ts";
import type { ProblemDetail, ServiceState } from "../../domain/operations/problems.ts";
import { hourBefore } from "../../store/operations/outcome-counts.ts";
import {
  type Candidate,
  type DatabaseTraffic,
  type DayTraffic,
  type MinuteTraffic,
  MOST_WEBSITES,
  readTraffic,
  readWebsites,
  SHOWN_DAYS,
  type Traffic,
  type WebsiteTraffic,
} from "../../store/operations/overview.ts";
import { readNames } from "../../store/operations/problem-names.ts";
import { readHistory, type ToldProblem } from "../../store/operations/told-problems.ts";
import { askEach, type Missing } from "../databases/ask-each.ts";
import { inFirst } from "../databases/places.ts";
import { FEW_ROWS, readServiceState } from "./read-service-state.ts";

const HISTORY_DAYS = 7;
const MOST_PROBLEMS = 50;
const MINUTES = 60;

export interface Figures {
  accepted: number;
  /** Taken by a carrier. */
  submitted: number;
  delivered: number;
  /** Refused by the carrier, given up, or lost on the way. */
  undelivered: number;
  noReceipt: number;
  waiting: number;
}

/** `waiting`: what is held or scheduled is left out; null: too many are pending to count those. */
export type WebsiteNow = Omit<Figures, "waiting"> &
  Pick<WebsiteTraffic, "websiteId" | "timeZone" | "acceptedToday" | "failedToday" | "sent30Days" | "optedOut30Days"> & {
    name: string;
    carrier: string;
    waiting: number | null;
  };

export interface Overview {
  state: ServiceState;
  minutes: (Figures & { at: number })[];
  days: (Figures & Pick<DayTraffic, "clicked" | "optedOut" | "joined" | "parted"> & { day: string })[];
  websites: WebsiteNow[];
  carriers: (Figures & { carrier: string })[];
  isCut: boolean;
  /** Accepted over a minute ago, neither held nor scheduled. null: it is not known how many of them are. */
  waiting: number | null;
  past: ToldProblem[];
  names: ProblemNames;
  missing: Missing;
}

/** The names of what the problems concern, by id. */
export interface ProblemNames {
  websites: ReadonlyMap<string, { name: string; timeZone: string | null }>;
  clients: ReadonlyMap<string, string | null>;
}

/** @param websiteId null: all of them @param origin see readServiceState */
export async function readOverview(
  deps: Deps,
  websiteId: string | null,
  origin: string,
  requestId: string,
): Promise<Overview> {
  const now = deps.now();
  const young = hourBefore(now) + MINUTES - 1;
  const [state, traffic, history] = await Promise.all([
    readServiceState(deps, origin, requestId, FEW_ROWS),
    askEach(deps, ({ db }) => readTraffic(db, websiteId, now)),
    readPast(deps, now),
  ]);
  const minutes = traffic.answers.flatMap((answer) => answer.minutes);
  const days = traffic.answers.flatMap((answer) => answer.days);
  const ids = websiteId === null ? choose(traffic.answers.flatMap((answer) => answer.candidates)) : [websiteId];
  const chosen = ids.slice(0, MOST_WEBSITES);
  const counted = await askEach(deps, ({ db }) => readWebsites(db, chosen, now));
  const named = await nameProblems(deps, [...state.details, ...history.past.map(({ detail }) => detail)]);
  const websites = chosen.flatMap((id) => sumUp(counted.answers.flat().filter((own) => own.websiteId === id)));
  const isEachCounted = isEachHeldOf(traffic.answers, chosen) && websites.every(({ held }) => held !== null);
  const held = websites.reduce((sum, website) => sum + (website.held ?? 0), 0);
  const scheduled = sumUnlessCut(traffic.answers.map((answer) => answer.scheduled));
  return {
    state,
    minutes: byMinute(minutes, now),
    days: byDay(days, now),
    websites: websites.sort((a, b) => b.accepted - a.accepted),
    carriers: byCarrier(minutes),
    isCut: ids.length > chosen.length,
    waiting:
      isEachCounted && scheduled !== null
        ? Math.max(0, pendingOf(days) - pendingOf(minutes.filter(({ at }) => at >= young)) - held - scheduled)
        : null,
    past: history.past,
    names: named.names,
    missing: together(traffic.missing, counted.missing, named.missing, history.missing),
  };
}

async function nameProblems(deps: Deps, details: Partial<ProblemDetail>[]) {
  const websiteIds = [...new Set(details.flatMap(({ websiteId }) => websiteId ?? []))];
  const clientIds = [...new Set(details.flatMap(({ clientId }) => clientId ?? []))];
  const none: ProblemNames = { websites: new Map(), clients: new Map() };
  if (websiteIds.length + clientIds.length === 0) return { names: none, missing: {} };
  const { answers, missing } = await askEach(deps, ({ db }) => readNames(db, websiteIds, clientIds));
  const names: ProblemNames = {
    websites: new Map(answers.flatMap((answer) => answer.websites)),
    clients: new Map(answers.flatMap((answer) => answer.clients)),
  };
  return { names, missing };
}

/** The other databases are shown while the first, which has the history, is away. */
async function readPast(deps: Deps, now: number): Promise<{ past: ToldProblem[]; missing: Missing }> {
  const { db, database } = inFirst(deps);
  try {
    return { past: await readHistory(db, now - HISTORY_DAYS * DAY_MILLISECONDS, MOST_PROBLEMS), missing: {} };
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
    return { past: [], missing: { unavailableDatabases: [database] } };
  }
}

function together(...all: Missing[]): Missing {
  const unavailableDatabases = [...new Set(all.flatMap((one) => one.unavailableDatabases ?? []))];
  return unavailableDatabases.length > 0 ? { unavailableDatabases } : {};
}

/** The ids of websites: those of which something is held, then the busiest of today and of yesterday over all databases. */
function choose(candidates: Candidate[]): string[] {
  const ranked = Map.groupBy(candidates, ({ rank }) => rank);
  const ids = [0, 1, 2, 3].flatMap((rank) => {
    const accepted = new Map<string, number>();
    for (const one of ranked.get(rank) ?? [])
      accepted.set(one.websiteId, (accepted.get(one.websiteId) ?? 0) + one.accepted);
    return [...accepted].sort(([, a], [, b]) => b - a).map(([id]) => id);
  });
  return [...new Set(ids)];
}

/** Whether each website with a hold is among the chosen ones, whose held messages are counted. */
const isEachHeldOf = (answers: DatabaseTraffic[], chosen: string[]) =>
  answers.every(({ candidates }) => candidates.every(({ rank, websiteId }) => rank > 0 || chosen.includes(websiteId)));

/** The counts of one website in all databases. None where no database has it that has answered. */
function sumUp(counted: WebsiteTraffic[]): (WebsiteNow & { held: number | null })[] {
  const here = counted.find(({ name }) => name !== null);
  if (!here) return [];
  const { websiteId, name, carrier, timeZone, isHeld } = here;
  const total = (read: (one: WebsiteTraffic) => number) => counted.reduce((sum, one) => sum + read(one), 0);
  const scheduled = sumUnlessCut(counted.map((one) => one.scheduled));
  const pending = Math.max(
    0,
    total((one) => one.pending - one.young - (one.scheduled ?? 0)),
  );
  const held = isHeld ? pending : here.held && Math.min(pending, here.held);
  const figures = { ...figuresOf(counted), waiting: held === null || scheduled === null ? null : pending - held };
  return [
    {
      ...{ websiteId, name: name ?? "", carrier: carrier ?? "", timeZone, ...figures, held },
      acceptedToday: total((one) => one.acceptedToday),
      failedToday: total((one) => one.failedToday),
      sent30Days: total((one) => one.sent30Days),
      optedOut30Days: total((one) => one.optedOut30Days),
    },
  ];
}

/** null: one of them is. */
const sumUnlessCut = (counts: (number | null)[]): number | null =>
  counts.reduce<number | null>((sum, count) => (sum === null || count === null ? null : sum + count), 0);

const sumOf = (some: Traffic[], read: (one: Traffic) => number) => some.reduce((sum, one) => sum + read(one), 0);

const pendingOf = (some: Traffic[]) => sumOf(some, ({ pending }) => pending);

function figuresOf(some: Traffic[]): Figures {
  return {
    accepted: sumOf(some, ({ accepted }) => accepted),
    submitted: sumOf(some, ({ sending, delivered, undelivered }) => sending + delivered + undelivered),
    delivered: sumOf(some, ({ delivered }) => delivered),
    undelivered: sumOf(some, ({ undelivered, failed }) => undelivered + failed),
    noReceipt: sumOf(some, ({ sending }) => sending),
    waiting: Math.max(0, pendingOf(some)),
  };
}

function byMinute(rows: MinuteTraffic[], now: number): Overview["minutes"] {
  const byTime = Map.groupBy(rows, ({ at }) => at);
  return Array.from({ length: MINUTES }, (_, index) => {
    const at = hourBefore(now) + 1 + index;
    return { at: at * 60_000, ...figuresOf(byTime.get(at) ?? []) };
  });
}

function byDay(rows: DayTraffic[], now: number): Overview["days"] {
  const byTime = Map.groupBy(rows, ({ at }) => at);
  return Array.from({ length: SHOWN_DAYS }, (_, index) => {
    const at = dayNumber(now) - SHOWN_DAYS + 1 + index;
    const own = byTime.get(at) ?? [];
    const total = (read: (it: DayTraffic) => number) => own.reduce((sum, it) => sum + read(it), 0);
    return {
      day: toDay(at * DAY_MILLISECONDS),
      ...figuresOf(own),
      clicked: total(({ clicked }) => clicked),
      optedOut: total(({ optedOut }) => optedOut),
      joined: total(({ joined }) => joined),
      parted: total(({ parted }) => parted),
    };
  });
}

/** What has no carrier yet counts for none. */
function byCarrier(rows: MinuteTraffic[]): Overview["carriers"] {
  const carriers = Map.groupBy(
    rows.filter(({ carrier }) => carrier !== ""),
    ({ carrier }) => carrier,
  );
  return Array.from(carriers, ([carrier, own]) => ({ carrier, ...figuresOf(own), waiting: 0 }));
}
