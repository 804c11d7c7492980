// Keeps a count in the storage of an object, so that neither an eviction nor a deploy loses it.
import { RollingCount, type Window } from "../domain/messages/rolling-count.ts";

export class KeptCount implements Pick<RollingCount, "add" | "giveBack" | "usedAt" | "roomAt" | "promise"> {
  readonly #kv: SyncKvStorage;
  readonly #name: string;
  readonly #window: Window;
  /** Storage has the same, but for `#changed`. It is read once. */
  #read: RollingCount | undefined;
  /** Steps whose count is still to be kept. */
  readonly #changed = new Set<number>();

  /** @param name of the count in the storage */
  constructor(kv: SyncKvStorage, name: string, window: Window) {
    this.#kv = kv;
    this.#name = name;
    this.#window = window;
  }

  /** Call `keep` before what is counted has an effect. */
  add(count: number, now: number): number {
    const step = this.#count.add(count, now);
    this.#changed.add(step);
    return step;
  }

  giveBack(step: number, count: number): void {
    this.#count.giveBack(step, count);
    this.#changed.add(step);
  }

  usedAt(now: number): number {
    return this.#count.usedAt(now);
  }

  roomAt(count: number, limit: number, now: number): number {
    return this.#count.roomAt(count, limit, now);
  }

  promise(count: number): number {
    return this.#count.promise(count);
  }

  /** Writes one row for each step that has changed, and with a new step deletes those that no longer count. */
  keep(): void {
    for (const step of this.#changed) {
      const key = this.#keyOf(step);
      const count = this.#count.of(step);
      if (this.#kv.get(key) === undefined) this.#deleteUntil(step - this.#window.steps);
      if (count === 0) this.#kv.delete(key);
      else this.#kv.put(key, count);
    }
    this.#changed.clear();
  }

  #deleteUntil(step: number): void {
    const old = this.#kv.list({ prefix: `${this.#name}:`, end: this.#keyOf(step + 1) });
    for (const [key] of [...old]) this.#kv.delete(key);
  }

  /** Keys sort by time. */
  #keyOf(step: number): string {
    return `${this.#name}:${String(step).padStart(12, "0")}`;
  }

  get #count(): RollingCount {
    const prefix = `${this.#name}:`;
    const kept = () => Array.from(this.#kv.list<number>({ prefix }), toStep);
    const toStep = ([key, count]: [string, number]): [number, number] => [Number(key.slice(prefix.length)), count];
    this.#read ??= new RollingCount(this.#window, kept());
    return this.#read;
  }
}
