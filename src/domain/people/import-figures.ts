// Pure. What a request of an import has done to its numbers, each counted once, in however many parts it came.
import type { SubscriptionChange } from "./subscriber-rows.ts";

/** `byPerson`, `byOthers`: the number stays unsubscribed, because of its owner (who has opted out, or was erased), or of anybody else. */
export type Outcome = "added" | "changed" | "unchanged" | "byPerson" | "byOthers";

/** What a part has done. As digits. */
export interface PartOutcome {
  added: number[];
  changed: number[];
  refused: { phone: number; byPerson: boolean }[];
}

/** So many numbers are named: an import may refuse all of its numbers. */
export const MOST_NAMED = 1000;

export interface ImportFigures {
  /** New, changed and unchanged numbers. */
  count: number;
  /** Numbers never seen before. */
  added: number;
  /** Known numbers whose state or address is another than before. */
  changed: number;
  /** How many are not subscribed, although they were to be, and the first of them, as digits. */
  refused: { count: number; byPerson: number[]; byOthers: number[] };
}

export class FigureCounter {
  readonly #outcomes = new Map<number, Outcome>();
  readonly #optedOut = new Set<number>();

  /**
   * The changes with the opt-outs of the parts before. What is stored says the same of an import, but a dry run stores nothing.
   * @param changes distinct numbers
   */
  withOptOuts(changes: SubscriptionChange[]): SubscriptionChange[] {
    for (const { phone, subscribed } of changes) if (!subscribed) this.#optedOut.add(phone);
    return changes.map((change) =>
      change.subscribed && this.#optedOut.has(change.phone) ? { ...change, subscribed: false } : change,
    );
  }

  /** @param changes of the part. A number that an earlier part has added or changed counts as that */
  add(changes: SubscriptionChange[], { added, changed, refused }: PartOutcome): void {
    const found = new Map<number, Outcome>();
    for (const phone of changed) found.set(phone, "changed");
    for (const phone of added) found.set(phone, "added");
    for (const { phone, byPerson } of refused) found.set(phone, byPerson ? "byPerson" : "byOthers");
    for (const { phone } of changes) {
      const before = this.#outcomes.get(phone);
      const outcome = found.get(phone) ?? "unchanged";
      const isDone = before === "added" || before === "changed";
      if (!isDone || outcome === "byPerson" || outcome === "byOthers") this.#outcomes.set(phone, outcome);
    }
  }

  /** undefined: no part has had it. */
  outcomeOf(phone: number): Outcome | undefined {
    return this.#outcomes.get(phone);
  }

  figures(): ImportFigures {
    const byOutcome: Record<Outcome, number> = { added: 0, changed: 0, unchanged: 0, byPerson: 0, byOthers: 0 };
    const named: Record<"byPerson" | "byOthers", number[]> = { byPerson: [], byOthers: [] };
    for (const [phone, outcome] of this.#outcomes) {
      byOutcome[outcome] += 1;
      if ((outcome === "byPerson" || outcome === "byOthers") && named[outcome].length < MOST_NAMED)
        named[outcome].push(phone);
    }
    const { added, changed, unchanged, byPerson, byOthers } = byOutcome;
    return { count: added + changed + unchanged, added, changed, refused: { count: byPerson + byOthers, ...named } };
  }
}
