import { DAY } from "../src/domain/messages/daily-limit.ts";
import { KeptCount } from "../src/platform/kept-count.ts";

/** The storage of an object, in memory: keys in their order. */
export class MemoryStorage implements SyncKvStorage {
  readonly values = new Map<string, unknown>();
  /** Rows that were written, deletions included. */
  written = 0;

  get<T>(key: string): T | undefined {
    return this.values.get(key) as T | undefined;
  }

  list<T>({ prefix = "", end }: SyncKvListOptions = {}): Iterable<[string, T]> {
    const keys = [...this.values.keys()].filter((key) => key.startsWith(prefix) && (end === undefined || key < end));
    return keys.sort().map((key) => [key, this.values.get(key) as T]);
  }

  put<T>(key: string, value: T): void {
    this.written += 1;
    this.values.set(key, value);
  }

  delete(key: string): boolean {
    this.written += 1;
    return this.values.delete(key);
  }
}

export const memoryTexts = (storage = new MemoryStorage()): KeptCount => new KeptCount(storage, "texts", DAY);
