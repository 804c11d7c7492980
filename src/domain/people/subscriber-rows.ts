// Pure. Holds the rows of an import, of which there may be millions: 8 bytes for a row, and its address with 4 more.
import { Sorter } from "./number-list/sort-order.ts";
import { RepeatFilter } from "./repeat-filter.ts";

/** A number's subscription as it is to be. */
export interface SubscriptionChange {
  /** As digits. */
  phone: number;
  subscribed: boolean;
  /** Lower case; null keeps the number's address. */
  email: string | null;
}

const PAGE_BITS = 12;
const PAGE_ROWS = 2 ** PAGE_BITS;

/** Rows that are sorted together. A request to subscribe has fewer: only an import may need several ranges. */
const RANGE_ROWS = 65_536;
/** Ranges are cut by a sample, and are not exactly as large. */
const USUAL_RANGE_ROWS = RANGE_ROWS * 1.25;
/** One of so many rows tells how the numbers are spread. */
const SAMPLED_ROWS = 64;

interface Page {
  /** Of each row twice the digits, and 1 for a subscriber: a double holds that exactly. */
  values: Float64Array;
  /** All addresses, and where that of each row ends; undefined where no row has one. */
  addresses: { text: string; ends: Uint32Array } | undefined;
}

export class SubscriberRows {
  #count = 0;
  readonly #pages: Page[] = [];
  /** Those of the last page, while it fills. */
  #emails: (string | null)[] = [];

  add({ phone, email, subscribed }: SubscriptionChange): void {
    const index = this.#count++ % PAGE_ROWS;
    if (index === 0) this.#openPage();
    (this.#pages.at(-1) as Page).values[index] = phone * 2 + (subscribed ? 1 : 0);
    this.#emails.push(email);
  }

  /**
   * Each number once: opted out where any of its rows says so, and with the address of its last row. If there are more than
   * 65,536 rows, the numbers ascend: then the store writes its pages one after the other, and not each of them again and again.
   * But rows that share an address keep their order in any case: the later is subscribed later.
   */
  *distinct(): Generator<SubscriptionChange, void> {
    this.#closePage();
    const range = new Range(Math.min(this.#count, USUAL_RANGE_ROWS));
    if (this.#count <= RANGE_ROWS) {
      for (const key of this.#findBetween(0, Number.POSITIVE_INFINITY, range).sort()) yield this.#read(key);
      return;
    }
    const shared = this.#findShared();
    const inOrder: number[] = [];
    const starts = this.#findStarts();
    for (const [index, start] of starts.entries()) {
      for (const key of this.#findBetween(start, starts[index + 1] ?? Number.POSITIVE_INFINITY, range)) {
        const change = this.#read(key);
        if (change.email !== null && shared.has(change.email)) inOrder.push(key);
        else yield change;
      }
    }
    for (const key of Uint32Array.from(inOrder).sort()) yield this.#read(key);
  }

  /** @returns the keys of each number with a value in the range, by number; valid until the next call */
  #findBetween(start: number, end: number, range: Range): Uint32Array {
    range.clear();
    let row = 0;
    for (const { values } of this.#pages) {
      const count = Math.min(PAGE_ROWS, this.#count - row);
      for (let index = 0; index < count; index++, row++) {
        const value = values[index] as number;
        if (value >= start && value < end) range.add(row, value);
      }
    }
    return range.distinct();
  }

  /** Where ranges of about as many rows begin. Both values of a number are in one. */
  #findStarts(): number[] {
    const sample = new Float64Array(Math.floor(this.#count / SAMPLED_ROWS));
    for (let place = 0; place < sample.length; place++) sample[place] = phoneOf(this.#value(place * SAMPLED_ROWS)) * 2;
    sample.sort();
    return [0, ...new Set(sample.filter((_, place) => place % (RANGE_ROWS / SAMPLED_ROWS) === 0))];
  }

  /** The addresses that more than one row has. */
  #findShared(): RepeatFilter {
    const shared = new RepeatFilter();
    for (const { addresses } of this.#pages) {
      addresses?.ends.forEach((_, index) => {
        const email = addressAt(addresses, index);
        if (email !== "") shared.add(email);
      });
    }
    return shared;
  }

  #openPage(): void {
    this.#closePage();
    this.#pages.push({ values: new Float64Array(PAGE_ROWS), addresses: undefined });
  }

  #closePage(): void {
    const page = this.#pages.at(-1);
    if (page && this.#emails.some((email) => email !== null)) page.addresses = joinAddresses(this.#emails);
    this.#emails = [];
  }

  /** @param key see Range */
  #read(key: number): SubscriptionChange {
    const row = key >>> 1;
    const { addresses } = this.#pages[row >>> PAGE_BITS] as Page;
    const email = addresses ? addressAt(addresses, row % PAGE_ROWS) : "";
    return { phone: phoneOf(this.#value(row)), subscribed: key % 2 === 1, email: email === "" ? null : email };
  }

  #value(row: number): number {
    return this.#pages[row >>> PAGE_BITS]?.values[row % PAGE_ROWS] as number;
  }
}

function phoneOf(value: number): number {
  return Math.floor(value / 2);
}

function addressAt({ text, ends }: NonNullable<Page["addresses"]>, index: number): string {
  return text.slice(index === 0 ? 0 : ends[index - 1], ends[index]);
}

function joinAddresses(emails: (string | null)[]): Page["addresses"] {
  const ends = new Uint32Array(emails.length);
  let end = 0;
  for (const [index, email] of emails.entries()) {
    end += email?.length ?? 0;
    ends[index] = end;
  }
  // Decoded, the text takes one byte for each of its ASCII characters, and does not depend on the pieces of the file.
  return { text: new TextDecoder().decode(new TextEncoder().encode(emails.join(""))), ends };
}

/**
 * Rows of a range of numbers. It finds the key of each number: twice its last row, and 1 for a subscriber. The memory is used
 * again for the next range: an engine frees buffers late.
 */
class Range {
  #rows: Uint32Array<ArrayBuffer>;
  #values: Float64Array<ArrayBuffer>;
  #sorter: Sorter;
  #count = 0;

  constructor(room: number) {
    this.#rows = new Uint32Array(room);
    this.#values = new Float64Array(room);
    this.#sorter = new Sorter(room);
  }

  clear(): void {
    this.#count = 0;
  }

  add(row: number, value: number): void {
    if (this.#count === this.#rows.length) this.#grow();
    this.#rows[this.#count] = row;
    this.#values[this.#count++] = value;
  }

  /** Sorted by value, the rows of a number are neighbors, and its opt-outs come first. */
  distinct(): Uint32Array {
    const values = this.#values.subarray(0, this.#count);
    const order = this.#sorter.sort(values);
    let found = 0;
    for (let place = 0; place < order.length; ) {
      const first = values[order[place] as number] as number;
      let last = 0;
      do last = Math.max(last, this.#rows[order[place++] as number] as number);
      while (place < order.length && phoneOf(values[order[place] as number] as number) === phoneOf(first));
      order[found++] = last * 2 + (first % 2);
    }
    return order.subarray(0, found);
  }

  #grow(): void {
    const [rows, values] = [this.#rows, this.#values];
    this.#rows = new Uint32Array(rows.length * 2);
    this.#rows.set(rows);
    this.#values = new Float64Array(rows.length * 2);
    this.#values.set(values);
    this.#sorter = new Sorter(rows.length * 2);
  }
}
