// Pure. Limits the transactions with new messages that one isolate has under way, so that an overloaded store keeps room for
// the messages that are accepted already: each needs several more calls. Additive increase, multiplicative decrease.

/** After so long without a decrease there is no limit any more. */
const CALM_MILLISECONDS = 30_000;

/** Below this ratio of the longest to the shortest time, the times do not show how long the queue of the store is. */
const LEAST_SPREAD = 4;

export class IntakeLimit {
  /** None until the store refuses something. */
  #limit = Number.POSITIVE_INFINITY;
  #underWay = 0;
  /** A transaction that began before the last decrease says nothing about the present limit. */
  #decreasedAt = Number.NEGATIVE_INFINITY;
  /** How long transactions take: with no other call before them, and lately at most. */
  #shortest = Number.POSITIVE_INFINITY;
  #longest = 0;
  /** A transaction that takes longer had more than half of the longest possible queue before it. */
  #slow = Number.POSITIVE_INFINITY;

  /** @returns whether a transaction may begin; then `end` must follow */
  begin(): boolean {
    if (this.#underWay >= Math.floor(this.#limit)) return false;
    this.#underWay += 1;
    return true;
  }

  /**
   * Times in milliseconds since 1970.
   * @param outcome "refused": the queue of the store is full
   */
  end(beganAt: number, now: number, outcome: "done" | "refused" | "failed"): void {
    const took = now - beganAt;
    if (outcome === "done") this.#note(took);
    if (outcome === "refused" && this.#longest > this.#shortest * LEAST_SPREAD) {
      this.#slow = (this.#shortest + this.#longest) / 2;
    }
    if (outcome === "refused" || (outcome === "done" && took > this.#slow)) this.#decrease(beganAt, now);
    else if (outcome === "done") this.#increase(now);
    this.#underWay -= 1;
  }

  #note(took: number): void {
    this.#shortest = Math.min(this.#shortest, Math.max(1, took));
    this.#longest = Math.max(took, this.#longest * 0.95);
  }

  #decrease(beganAt: number, now: number): void {
    if (beganAt < this.#decreasedAt) return;
    this.#limit = Math.max(1, Math.min(this.#limit, this.#underWay) / 2);
    this.#decreasedAt = now;
  }

  #increase(now: number): void {
    this.#limit += 1 / this.#limit;
    if (now - this.#decreasedAt < CALM_MILLISECONDS) return;
    this.#limit = Number.POSITIVE_INFINITY;
    this.#slow = Number.POSITIVE_INFINITY;
  }
}
