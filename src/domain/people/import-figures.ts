// Pure. What a request of an import has done to its numbers, each counted once, in however many parts it came.
import type { SubscriptionChange } from "./subscriber-rows.ts";
import { otherFormOf } from "./two-form-numbers.ts";

/** What an import does to a number that it stores. */
export const DONE = [
  "newSubscribed",
  "newOptedOut",
  "becameSubscribed",
  "becameOptedOut",
  "newAddress",
  "unchanged",
] as const;
type Done = (typeof DONE)[number];

/** `byPerson`, `byOthers`: the number stays unsubscribed, because of its owner (who has opted out, or was erased), or of anybody else. */
export type Outcome = Done | "byPerson" | "byOthers";

/** What a part has changed. As digits. */
export type Changed = Record<Exclude<Done, "unchanged">, number[]>;

/** What a part has done. As digits. */
export interface PartOutcome extends Changed {
  refused: { phone: number; byPerson: boolean }[];
}

/** So many numbers are named: an import may refuse all of its numbers. */
export const MOST_NAMED = 1000;

/** How many numbers each was done to. */
export interface ImportFigures extends Record<Done, number> {
  /** How many are not subscribed, although they were to be, and the first of them, as digits. */
  refused: { count: number; byPerson: number[]; byOthers: number[] };
}

/** The count of numbers of which something is stored. */
export const sumOf = (done: Record<Done, number>): number => DONE.reduce((sum, outcome) => sum + done[outcome], 0);

export class FigureCounter {
  readonly #outcomes = new Map<number, Outcome>();
  readonly #optedOut = new Set<number>();

  /**
   * The changes with the opt-outs of the parts before, in either form of a number. What is stored says the same of an import, but a dry run
   * stores nothing.
   * @param changes distinct numbers
   */
  withOptOuts(changes: SubscriptionChange[]): SubscriptionChange[] {
    for (const { phone, subscribed } of changes) {
      if (!subscribed) this.#optedOut.add(phone).add(otherFormOf(phone) ?? phone);
    }
    return changes.map((change) =>
      change.subscribed && this.#optedOut.has(change.phone) ? { ...change, subscribed: false } : change,
    );
  }

  /** @param changes of the part */
  add(changes: SubscriptionChange[], { refused, ...changed }: PartOutcome): void {
    const found = new Map<number, Outcome>();
    for (const outcome of DONE)
      if (outcome !== "unchanged") for (const phone of changed[outcome]) found.set(phone, outcome);
    for (const { phone, byPerson } of refused) found.set(phone, byPerson ? "byPerson" : "byOthers");
    for (const { phone, subscribed } of changes) {
      const outcome = found.get(phone) ?? "unchanged";
      this.#outcomes.set(phone, joinOutcomes(this.#outcomes.get(phone), outcome, subscribed));
    }
  }

  /** undefined: no part has had it. */
  outcomeOf(phone: number): Outcome | undefined {
    return this.#outcomes.get(phone);
  }

  figures(): ImportFigures {
    const counts = Object.fromEntries(DONE.map((outcome) => [outcome, 0])) as Record<Done, number>;
    const refused: ImportFigures["refused"] = { count: 0, byPerson: [], byOthers: [] };
    for (const [phone, outcome] of this.#outcomes) {
      if (outcome === "byPerson" || outcome === "byOthers") {
        refused.count += 1;
        if (refused[outcome].length < MOST_NAMED) refused[outcome].push(phone);
      } else counts[outcome] += 1;
    }
    return { ...counts, refused };
  }
}

const isRefused = (outcome: Outcome | undefined) => outcome === "byPerson" || outcome === "byOthers";

/**
 * What two parts have done to a number together.
 * @param before what the first has done; undefined: no part has had the number
 * @param subscribed whether the second was to subscribe the number: within an import an opt-out wins, so a subscription only repeats
 */
export function joinOutcomes(before: Outcome | undefined, outcome: Outcome, subscribed: boolean): Outcome {
  if (before === undefined || before === "unchanged" || isRefused(before) || isRefused(outcome)) return outcome;
  if (!subscribed && before === "newSubscribed") return "newOptedOut";
  // It was opted out before the import, too.
  if (!subscribed && before === "becameSubscribed") return "unchanged";
  return before === "newAddress" && outcome !== "unchanged" ? outcome : before;
}
