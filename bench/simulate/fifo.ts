// Pure. What came first is taken first.

/** Array.splice moves all that stays, at each call: of a long backlog that is most of the work. */
export class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  take(most: number): T[] {
    const taken = this.#items.slice(this.#head, this.#head + most);
    this.#head += taken.length;
    if (this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return taken;
  }
}
