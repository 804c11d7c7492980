// Pure. What happens when, in the order of time: a binary heap.

const FIRST_ROOM = 1024;

/** Of events at the same time, the one that was planned first comes first: a run follows from its seed alone. */
export class Events {
  #now = 0;
  #size = 0;
  #planned = 0;
  #times = new Float64Array(FIRST_ROOM);
  #orders = new Uint32Array(FIRST_ROOM);
  readonly #actions: (() => void)[] = [];

  /** Milliseconds since the run began. */
  get now(): number {
    return this.#now;
  }

  at(time: number, action: () => void): void {
    if (!(time >= this.#now)) throw new Error(`an event at ${time}, after ${this.#now}`);
    if (this.#size === this.#times.length) this.#grow();
    const order = this.#planned++;
    let hole = this.#size++;
    for (let parent = (hole - 1) >> 1; hole > 0 && (this.#times[parent] as number) > time; parent = (hole - 1) >> 1) {
      this.#move(parent, hole);
      hole = parent;
    }
    this.#put(hole, time, order, action);
  }

  after(milliseconds: number, action: () => void): void {
    this.at(this.#now + milliseconds, action);
  }

  runUntil(end: number): void {
    while (this.#size > 0 && (this.#times[0] as number) <= end) {
      this.#now = this.#times[0] as number;
      const action = this.#actions[0] as () => void;
      this.#removeFirst();
      action();
    }
    this.#now = end;
  }

  /** The last sinks from the top to where it belongs. */
  #removeFirst(): void {
    const last = --this.#size;
    const time = this.#times[last] as number;
    const order = this.#orders[last] as number;
    const action = this.#actions.pop() as () => void;
    if (last === 0) return;
    let hole = 0;
    for (let child = 1; child < last; child = 2 * hole + 1) {
      if (child + 1 < last && this.#isBefore(child + 1, child)) child++;
      const childTime = this.#times[child] as number;
      if (time < childTime || (time === childTime && order < (this.#orders[child] as number))) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#put(hole, time, order, action);
  }

  #isBefore(one: number, other: number): boolean {
    const [first, second] = [this.#times[one] as number, this.#times[other] as number];
    return first < second || (first === second && (this.#orders[one] as number) < (this.#orders[other] as number));
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#times[from] as number, this.#orders[from] as number, this.#actions[from] as () => void);
  }

  #put(index: number, time: number, order: number, action: () => void): void {
    this.#times[index] = time;
    this.#orders[index] = order;
    this.#actions[index] = action;
  }

  #grow(): void {
    const [times, orders] = [this.#times, this.#orders];
    this.#times = new Float64Array(2 * times.length);
    this.#orders = new Uint32Array(2 * orders.length);
    this.#times.set(times);
    this.#orders.set(orders);
  }
}
