// Pure. Whether a marketing message may go at an instant, by the clock of its recipient, and when the hours open or close next.
import { findPlaces, type GivenPlace, type Place, placeCodeOf } from "../people/places.ts";
import { offsetAt } from "./local-clock.ts";
import { STATE_RULES, US_STRICT } from "./sending-rules.ts";
import {
  type Day,
  describeWindows,
  type Minutes,
  toMinutesOfWeek,
  WEEK_MINUTES,
  type Window,
} from "./weekly-windows.ts";

/** A setting of a website. `custom` has windows, `us-strict` has none. */
export interface SendingHours {
  profile: "us-strict" | "custom";
  windows?: { days: Day[]; from: string; until: string }[];
  whenClosed: "delay" | "refuse";
}

/** What holds a message. */
export interface Closed {
  /**
   * The next instant, in Unix milliseconds, at which every place is open. null: none within LOOK_AHEAD_DAYS, or nothing is known of
   * where the number is. Such a message is refused, whatever `whenClosed` says.
   */
  opensAt: number | null;
  /** All zones in which the recipient may be: IANA names. */
  zones: string[];
  /** All regions in which the recipient may be: ISO 3166-2 codes, or the country in the Caribbean. */
  states: string[];
  /** When the rule is open that is closed now: `Mon-Sat 09:00-20:00, Sun 12:00-20:00`. */
  window: string;
  /** The source of that rule. */
  source: string;
}

export interface Open {
  /** The first instant, in Unix milliseconds, at which a place is closed: until then a carrier may deliver. At most LOOK_AHEAD_DAYS ahead. */
  closesAt: number;
}

/** A window that a clock change skips opens a week later. Beyond that, hours that are never open together are not looked for. */
export const LOOK_AHEAD_DAYS = 15;

const MINUTE = 60_000;
/** 1 January 1970 was a Thursday. */
const EPOCH_MINUTE = 3 * 24 * 60;

interface Rule {
  minutes: Minutes;
  window: string;
  source: string;
}

/** A rule in a zone in which it counts. */
interface Clock {
  zone: string;
  rule: Rule;
}

type Answer = ({ isOpen: true } & Open) | ({ isOpen: false } & Closed);

/** The rules of one setting, and its answers by minute and place: a bulk request asks the same again and again. */
interface Reading {
  general: Rule;
  ofStates: ReadonlyMap<string, Rule>;
  answers: Map<string, Answer>;
}

/** More answers than these are made anew. */
const MAX_ANSWERS = 2000;

const toRule = (windows: readonly Window[], source: string): Rule => ({
  minutes: toMinutesOfWeek(windows),
  window: describeWindows(windows),
  source,
});

const strictRule = toRule(US_STRICT.windows, US_STRICT.source);
const stateRules = new Map(
  STATE_RULES.map(({ region, state, windows, source, known }) => [
    region,
    toRule(windows, `us-strict: ${state}, ${source} (${known})`),
  ]),
);

/** A number whose calling code tells no zone, such as one of a satellite telephone. */
const NOWHERE: Answer = {
  isOpen: false,
  opensAt: null,
  zones: [],
  states: [],
  window: "",
  source: "no time zone is known of this number, and the request gives none",
};

const readings = new WeakMap<SendingHours, Reading>();

function read(hours: SendingHours): Reading {
  const known = readings.get(hours);
  if (known) return known;
  const isStrict = hours.profile === "us-strict";
  const reading = {
    general: isStrict ? strictRule : toRule(hours.windows ?? [], "custom: the hours of this website"),
    ofStates: isStrict ? stateRules : new Map(),
    answers: new Map(),
  };
  readings.set(hours, reading);
  return reading;
}

/**
 * @param phone E.164
 * @param place what the client says of the recipient; what it leaves out, the number tells
 * @param at Unix milliseconds
 * @throws RangeError for a time zone that is none: see isTimeZone
 */
export function hoursAt(hours: SendingHours, phone: string, place: GivenPlace, at: number): Answer {
  const reading = read(hours);
  const minute = Math.floor(at / MINUTE);
  const code = placeCodeOf(phone);
  const key = `${minute} ${code} ${place.region ?? ""} ${place.timeZone ?? ""}`;
  const known = reading.answers.get(key);
  if (known) return known;
  if (reading.answers.size >= MAX_ANSWERS) reading.answers.clear();
  const answer = judge(reading, findPlaces(code, place), minute * MINUTE);
  reading.answers.set(key, answer);
  return answer;
}

function judge({ general, ofStates }: Reading, places: Place[], at: number): Answer {
  const limit = at + LOOK_AHEAD_DAYS * 24 * 60 * MINUTE;
  const clocks = toClocks(places, general, ofStates);
  if (clocks.length === 0) return NOWHERE;
  const closed = clocks.filter((clock) => nextMinute(clock, true, at, limit) > at);
  if (closed.length === 0)
    return { isOpen: true, closesAt: Math.min(...clocks.map((clock) => nextMinute(clock, false, at, limit))) };
  // A state says more than the rule of all.
  const { window, source } = closed.find(({ rule }) => rule !== general)?.rule ?? general;
  return {
    isOpen: false,
    opensAt: findOpening(clocks, at, limit),
    zones: [...new Set(places.flatMap(({ zones }) => zones))],
    states: [...new Set(places.flatMap(({ regions }) => regions))],
    window,
    source,
  };
}

/** Each rule once in each zone: fifty states have far fewer. */
function toClocks(places: Place[], general: Rule, ofStates: ReadonlyMap<string, Rule>): Clock[] {
  const clocks = new Map<Rule, Map<string, Clock>>();
  for (const { zones, regions } of places) {
    const rules = regions.length === 0 ? [general] : regions.map((region) => ofStates.get(region) ?? general);
    for (const rule of rules) {
      const ofRule = clocks.get(rule) ?? new Map<string, Clock>();
      for (const zone of zones) ofRule.set(zone, { zone, rule });
      clocks.set(rule, ofRule);
    }
  }
  return [...clocks.values()].flatMap((ofRule) => [...ofRule.values()]);
}

/** Goes from opening to opening, clock by clock, until all in turn are open at the same one. */
function findOpening(clocks: Clock[], at: number, limit: number): number | null {
  let time = at;
  for (let agreed = 0, index = 0; agreed < clocks.length; index = (index + 1) % clocks.length) {
    const next = nextMinute(clocks[index] as Clock, true, time, limit);
    if (next >= limit) return null;
    agreed = next === time ? agreed + 1 : 1;
    time = next;
  }
  return time;
}

/** @returns the first time from `from` on at which a clock is open, or closed; at most the limit */
function nextMinute({ zone, rule: { minutes } }: Clock, isOpen: boolean, from: number, limit: number): number {
  let time = from;
  while (time < limit) {
    const { offset, until } = offsetAt(zone, time);
    const minute = ((time + offset) / MINUTE + EPOCH_MINUTE) % WEEK_MINUTES;
    const window = minutes.find(([first, end]) => first <= minute && minute < end);
    if ((window !== undefined) === isOpen) return time;
    const next = window?.[1] ?? minutes.find(([first]) => first > minute)?.[0] ?? WEEK_MINUTES;
    // The clock changes before: what is open is looked at anew from there.
    time = Math.min(time + (next - minute) * MINUTE, until);
  }
  return limit;
}
