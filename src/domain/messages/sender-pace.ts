// Pure. The pace of a sender: how many segments go in a minute, spread evenly, and in 24 hours. Carriers and networks count segments, and a text
// with media as one.
import type * as z from "zod";
import { jsonObject, orNull, wholeNumber } from "../fields.ts";
import type { RollingCount, Window } from "./rolling-count.ts";

export const paceFields = jsonObject({
  messagesPerMinute: orNull(wholeNumber("segments", 1, 1_000_000)).describe(
    "The most segments in a minute, of all websites of the sender. They are spread over the minute. A text with media counts as one.",
  ),
  messagesPerDay: orNull(wholeNumber("segments", 1, 100_000_000)).describe(
    "The most segments in 24 hours, of all websites of the sender.",
  ),
});

/** null: no limit. */
export interface Pace {
  messagesPerMinute: number | null;
  messagesPerDay: number | null;
}

/** @param given undefined keeps a limit */
export const paceAfter = (present: Pace, given: z.output<typeof paceFields>): Pace => ({
  messagesPerMinute: given.messagesPerMinute === undefined ? present.messagesPerMinute : given.messagesPerMinute,
  messagesPerDay: given.messagesPerDay === undefined ? present.messagesPerDay : given.messagesPerDay,
});

/** A submission begins so long after its turn at the most: the clocks, the request and the timers of a run take their time. */
export const LATEST_MILLISECONDS = 750;

/** Longer than a minute by a step and by LATEST_MILLISECONDS: no minute has more submissions than the pace, whenever it begins. */
export const MINUTE: Window = { stepMilliseconds: 250, steps: 244 };

/** Longer than 24 hours by a step, and by one for a turn that is given before its time. */
export const DAY: Window = { stepMilliseconds: 60_000, steps: 24 * 60 + 2 };

const WINDOW_MILLISECONDS = MINUTE.stepMilliseconds * MINUTE.steps;

/** A run waits so long for the turn of a text. A queue cannot: its delays are whole seconds. */
const LONGEST_TURN_MILLISECONDS = 1000;

/** For the turn of a text that somebody waits for: it goes before the texts of campaigns that the queue brings meanwhile. */
export const LONGEST_URGENT_MILLISECONDS = 5000;

export interface Ask {
  segments: number;
  /** Somebody waits for it: it is transactional, or a reply. */
  isUrgent: boolean;
  /** It has been in the line. */
  hasWaited: boolean;
}

/** If no text has gone for so long, those of the line do not come: they are held or cancelled. What comes then is not behind them. */
export const IDLE_MILLISECONDS = 10_000;

/** The reason of a message that waits for its turn. The operator sees it, with the time until which it waits. */
export const PACED = "waits for the pace of its sender";

/** Not granted: the text asks again then, and goes then if the times of the others are right. */
export interface Turn {
  isGranted: boolean;
  milliseconds: number;
}

/** Times in milliseconds since 1970. */
export interface Line {
  /** No text goes before. */
  next: number;
  /** When a text goes that comes now: one that has waited or is urgent, and any other. */
  front: number;
  end: number;
  /** The pace by which they stand: by another one, nobody is in the line yet. */
  pace: Pace | null;
}

type Count = Pick<RollingCount, "add" | "roomAt" | "promise">;

export class SenderPace {
  readonly #minute: Count;
  readonly #day: Count;
  readonly line: Line;

  /** @param minute see MINUTE @param day see DAY */
  constructor(minute: Count, day: Count, line: Line = { next: 0, front: 0, end: 0, pace: null }) {
    this.#minute = minute;
    this.#day = day;
    this.line = line;
  }

  ask({ segments, isUrgent, hasWaited }: Ask, pace: Pace, now: number): Turn {
    const perMinute = pace.messagesPerMinute ?? Number.POSITIVE_INFINITY;
    const perDay = pace.messagesPerDay ?? Number.POSITIVE_INFINITY;
    // A text of more segments than the pace has goes alone.
    const inMinute = Math.min(segments, perMinute);
    const inDay = Math.min(segments, perDay);
    const spread = inMinute * (WINDOW_MILLISECONDS / perMinute);
    if (!isSame(this.line.pace, pace)) Object.assign(this.line, { next: now, front: now, end: now, pace });
    else if (now - this.line.next > IDLE_MILLISECONDS) Object.assign(this.line, { front: now, end: now });
    const earliest = Math.max(now, this.line.next);
    const turn = this.#minute.roomAt(inMinute, perMinute, earliest);
    if (this.#day.roomAt(inDay, perDay, turn) > turn) return wait(this.#day.promise(inDay), now);
    const isFirst = isUrgent || hasWaited;
    const longest = isUrgent ? LONGEST_URGENT_MILLISECONDS : LONGEST_TURN_MILLISECONDS;
    if (!(isFirst || this.line.end <= turn) || turn - now >= longest)
      return wait(this.#lineUp(turn, isFirst, spread), now);
    this.#minute.add(inMinute, turn);
    this.#day.add(inDay, turn);
    this.line.next = turn + spread;
    return { isGranted: true, milliseconds: turn - now };
  }

  #lineUp(turn: number, isFirst: boolean, spread: number): number {
    const { line } = this;
    const place = isFirst ? "front" : "end";
    const at = Math.max(turn, line.front, line[place]);
    line[place] = at + spread;
    return at;
  }
}

const isSame = (one: Pace | null, other: Pace) =>
  one?.messagesPerMinute === other.messagesPerMinute && one.messagesPerDay === other.messagesPerDay;

const wait = (at: number, now: number): Turn => ({ isGranted: false, milliseconds: at - now });
