// Pure. The faults of a file that is refused.

/** An answer lists so many. */
export const MOST_FAULTS = 100;

/** What is wrong with the rows of a file: the first faults, and how many there are. */
export class RowFaults<Fault> {
  readonly first: Fault[] = [];
  count = 0;

  add(fault: Fault): void {
    this.count += 1;
    if (this.count <= MOST_FAULTS) this.first.push(fault);
  }

  /** How many more an answer lists. */
  get room(): number {
    return Math.max(0, MOST_FAULTS - this.count);
  }

  /** What an answer says of the others; undefined: there are none. */
  get more(): string | undefined {
    const more = this.count - this.first.length;
    return more === 0 ? undefined : `has ${more} more rows with such faults`;
  }
}
