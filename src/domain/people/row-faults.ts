// Pure. The faults of a file that is refused.

/** An answer lists so many. */
export const MOST_FAULTS = 100;

/** What is wrong with the rows of a file. */
export class RowFaults {
  readonly #messages: string[] = [];
  count = 0;

  add(message: string): void {
    this.count += 1;
    if (this.count <= MOST_FAULTS) this.#messages.push(message);
  }

  /** Adds a fault of the whole file, which is reported before the faults of its rows. */
  addFirst(message: string): void {
    this.count += 1;
    this.#messages.unshift(message);
  }

  /** How many more an answer lists. */
  get room(): number {
    return Math.max(0, MOST_FAULTS - this.count);
  }

  get messages(): string[] {
    const more = this.count - this.#messages.length;
    return more === 0 ? this.#messages : [...this.#messages, `has ${more} more rows with such faults`];
  }
}
