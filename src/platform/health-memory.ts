/** The services that every request depends on. */
export const CHECKS = ["configuration", "database", "credentials", "limiter"] as const;

export type CheckName = (typeof CHECKS)[number];

export interface Check {
  status: "ok" | "failing";
  milliseconds: number;
}

/** Of a wrong configuration there is no other check: nothing can be reached with it. */
export type Health = Partial<Record<CheckName, Check>> & { configuration: Check };

/** How long a result is given out again, and how long one check may take. */
export const REMEMBERED_MILLISECONDS = 5000;
export const CHECK_TIMEOUT_MILLISECONDS = 2000;

const LOOK_AGAIN_MILLISECONDS = 50;

/** The latest health, one an isolate: a flood of questions does not reach the stores. */
export class HealthMemory {
  #health: Health | undefined;
  #checkedAt = 0;
  /** Until when a check may be under way: one whose request was cut off never says that it has ended. */
  #checkingUntil = 0;

  /**
   * @param now milliseconds since 1970
   * @param check takes at most CHECK_TIMEOUT_MILLISECONDS
   * @returns what was found within the last seconds; while another request looks, what was found before
   */
  async read(now: () => number, check: () => Promise<Health>): Promise<Health> {
    const isChecking = now() < this.#checkingUntil;
    if (this.#health && (isChecking || now() - this.#checkedAt < REMEMBERED_MILLISECONDS)) return this.#health;
    return (isChecking && (await this.#awaitOther())) || this.#check(now, check);
  }

  async #check(now: () => number, check: () => Promise<Health>): Promise<Health> {
    this.#checkingUntil = now() + CHECK_TIMEOUT_MILLISECONDS;
    this.#health = await check();
    this.#checkedAt = now();
    this.#checkingUntil = 0;
    return this.#health;
  }

  /** Looks again and again: one request's promise is not to be awaited by another, whose end may come first. */
  async #awaitOther(): Promise<Health | undefined> {
    for (let waited = 0; !this.#health && waited < CHECK_TIMEOUT_MILLISECONDS; waited += LOOK_AGAIN_MILLISECONDS) {
      await scheduler.wait(LOOK_AGAIN_MILLISECONDS);
    }
    return this.#health;
  }
}
