// Sending hours by hand: what Florida, Kentucky or Newfoundland allow is written here again, and each minute is looked at alone.
import { AREA_CODES } from "../../../src/domain/people/area-codes.ts";
import { CALLING_CODES } from "../../../src/domain/people/calling-codes.ts";

type Span = [from: string, until: string];
/** By day; a day that is left out is closed. */
type Week = Partial<Record<string, Span>>;

interface OracleWindow {
  days: string[];
  from: string;
  until: string;
}

const week = (weekday: Span, saturday?: Span, sunday?: Span): Week => ({
  Mon: weekday,
  Tue: weekday,
  Wed: weekday,
  Thu: weekday,
  Fri: weekday,
  ...(saturday && { Sat: saturday }),
  ...(sunday && { Sun: sunday }),
});

const DAY: Span = ["09:00", "20:00"];
const ELSEWHERE = week(DAY, DAY, ["12:00", "20:00"]);
const NO_SUNDAY = week(DAY, DAY);

const STATES: Record<string, Week> = {
  AL: NO_SUNDAY,
  KY: week(["10:00", "20:00"], ["10:00", "20:00"], ["12:00", "20:00"]),
  LA: NO_SUNDAY,
  MS: NO_SUNDAY,
  RI: week(["09:00", "18:00"], ["10:00", "17:00"]),
  SD: week(DAY),
  UT: NO_SUNDAY,
};

const EASTERN = "America/New_York";
const CENTRAL = "America/Chicago";
const MOUNTAIN = "America/Denver";
const PACIFIC = "America/Los_Angeles";

/** Where the numbers of a beginning may be: zones, each with the state if it is one of the seven. */
export type Candidates = [zone: string, state?: string][];

/** Every clock of the United States, Canada and the Caribbean, and every state that is narrower. */
const ANYWHERE: Candidates = [
  ["America/St_Johns"],
  ["America/Halifax"],
  ["America/Puerto_Rico"],
  ["America/Grand_Turk"],
  ["Atlantic/Bermuda"],
  [EASTERN],
  ["America/Jamaica"],
  ["America/Panama"],
  [CENTRAL],
  ["America/Regina"],
  [MOUNTAIN],
  ["America/Edmonton"],
  ["America/Phoenix"],
  ["America/Whitehorse"],
  [PACIFIC],
  ["America/Vancouver"],
  ["America/Anchorage"],
  ["America/Adak"],
  ["Pacific/Honolulu"],
  [CENTRAL, "AL"],
  [EASTERN, "KY"],
  [CENTRAL, "KY"],
  [CENTRAL, "LA"],
  [CENTRAL, "MS"],
  [EASTERN, "RI"],
  [CENTRAL, "SD"],
  [MOUNTAIN, "SD"],
  [MOUNTAIN, "UT"],
];

/** By the beginning of a number. */
export const CANDIDATES: Record<string, Candidates> = {
  "+1212": [[EASTERN]],
  "+1312": [[CENTRAL]],
  "+1303": [[MOUNTAIN]],
  "+1415": [[PACIFIC]],
  "+1602": [["America/Phoenix"]],
  "+1928": [["America/Phoenix"], [MOUNTAIN]],
  "+1317": [["America/Indiana/Indianapolis"]],
  "+1812": [["America/Indiana/Indianapolis"], [CENTRAL]],
  "+1930": [["America/Indiana/Indianapolis"], [CENTRAL]],
  "+1305": [[EASTERN]],
  "+1850": [[EASTERN], [CENTRAL]],
  "+1448": [[EASTERN], [CENTRAL]],
  "+1689": [[EASTERN]],
  "+1458": [[PACIFIC], ["America/Boise"]],
  "+1808": [["Pacific/Honolulu"]],
  "+1205": [[CENTRAL, "AL"]],
  "+1502": [[EASTERN, "KY"]],
  "+1364": [
    [EASTERN, "KY"],
    [CENTRAL, "KY"],
  ],
  "+1504": [[CENTRAL, "LA"]],
  "+1601": [[CENTRAL, "MS"]],
  "+1401": [[EASTERN, "RI"]],
  "+1605": [
    [CENTRAL, "SD"],
    [MOUNTAIN, "SD"],
  ],
  "+1801": [[MOUNTAIN, "UT"]],
  "+1709": [["America/St_Johns"], ["America/Goose_Bay"]],
  "+1306": [["America/Regina"], ["America/Edmonton"], ["America/Winnipeg"]],
  "+1876": [["America/Jamaica"]],
  "+1868": [["America/Port_of_Spain"]],
  "+1787": [["America/Puerto_Rico"]],
  "+1441": [["Atlantic/Bermuda"]],
  "+1671": [["Pacific/Guam"]],
  "+1800": ANYWHERE,
  "+1888": ANYWHERE,
  "+1999": ANYWHERE,
  "+44": [["Europe/London"]],
  "+61": [
    ["Australia/Sydney"],
    ["Australia/Brisbane"],
    ["Australia/Adelaide"],
    ["Australia/Darwin"],
    ["Australia/Perth"],
    ["Australia/Eucla"],
    ["Australia/Lord_Howe"],
    ["Indian/Christmas"],
    ["Indian/Cocos"],
  ],
  "+212": [["Africa/Casablanca"]],
};

/** What the tables say of a number, row by row; a number that they do not have may be anywhere. */
export function candidatesByTables(phone: string): Candidates {
  const has = (codes: string, code: string) => codes.split(" ").includes(code);
  if (!phone.startsWith("+1"))
    return CALLING_CODES.filter(([, codes]) => [2, 3, 4].some((end) => has(codes, phone.slice(1, end))))
      .flatMap(([zones]) => zones.split(" "))
      .map((zone) => [zone]);
  const rows = AREA_CODES.filter(([, , codes]) => has(codes, phone.slice(2, 5)));
  if (rows.length === 0) return ANYWHERE;
  return rows.flatMap(([regions, zones]) => {
    const [state = ""] = regions.startsWith("US-") ? [regions.slice(3)] : [];
    return zones.split(" ").map((zone): Candidates[number] => (state in STATES ? [zone, state] : [zone]));
  });
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The clock on a wall in a zone: `Sun`, `09:30`. */
function wallClock(timeZone: string, at: number): [day: string, time: string] {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  clocks.set(timeZone, clock);
  const [day = "", time = ""] = clock.format(at).split(/,? /);
  return [day, time];
}

const BEFORE: Record<string, string> = {
  Mon: "sun",
  Tue: "mon",
  Wed: "tue",
  Thu: "wed",
  Fri: "thu",
  Sat: "fri",
  Sun: "sat",
};

function isInWindow({ days, from, until }: OracleWindow, day: string, time: string): boolean {
  const today = days.includes(day.toLowerCase());
  if (from < until) return today && from <= time && time < until;
  return (
    (from !== until && today && from <= time) || (from > until && days.includes(BEFORE[day] as string) && time < until)
  );
}

/** @param windows null: us-strict. @param candidates see CANDIDATES */
export function isOpenByHand(windows: OracleWindow[] | null, candidates: Candidates, at: number): boolean {
  return candidates.every(([zone, state]) => {
    const [day, time] = wallClock(zone, at);
    if (windows) return windows.some((window) => isInWindow(window, day, time));
    const span = (STATES[state ?? ""] ?? ELSEWHERE)[day];
    return span !== undefined && span[0] <= time && time < span[1];
  });
}
