// Keeps the count of a website's texts in the storage of its object, so that neither an eviction nor a deploy loses it.
import { COUNTED_MINUTES, DailyCount, isOver, type OverLimit, type Taken } from "../domain/messages/daily-limit.ts";

/** Keys of minutes sort by time, because the number of the minute has eight digits until 2160. */
const PREFIX = "texts:";

const keyOf = (minute: number) => `${PREFIX}${minute}`;

export class KeptTexts {
  readonly #kv: SyncKvStorage;
  /** Storage has the same, but for `#changed`. It is read once. */
  #read: DailyCount | undefined;
  /** Minutes whose count is still to be kept. */
  readonly #changed = new Set<number>();

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** Call `keep` before the texts are stored. */
  take(texts: number, limit: number, now: number): Taken | OverLimit {
    const taken = this.#count.take(texts, limit, now);
    if (!isOver(taken)) this.#changed.add(taken.minute);
    return taken;
  }

  giveBack(taken: Taken): void {
    this.#count.giveBack(taken);
    this.#changed.add(taken.minute);
  }

  usedAt(now: number): number {
    return this.#count.usedAt(now);
  }

  /** Writes one row for each minute that has changed, and with a new minute deletes those that no longer count. */
  keep(): void {
    for (const minute of this.#changed) {
      const texts = this.#count.of(minute);
      if (this.#kv.get(keyOf(minute)) === undefined) this.#deleteUntil(minute - COUNTED_MINUTES);
      if (texts === 0) this.#kv.delete(keyOf(minute));
      else this.#kv.put(keyOf(minute), texts);
    }
    this.#changed.clear();
  }

  #deleteUntil(minute: number): void {
    for (const [key] of [...this.#kv.list({ prefix: PREFIX, end: keyOf(minute + 1) })]) this.#kv.delete(key);
  }

  get #count(): DailyCount {
    this.#read ??= new DailyCount(
      Array.from(this.#kv.list<number>({ prefix: PREFIX }), ([key, texts]) => [
        Number(key.slice(PREFIX.length)),
        texts,
      ]),
    );
    return this.#read;
  }
}
