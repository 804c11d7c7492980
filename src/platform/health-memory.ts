import { untilOther } from "./time-limit.ts";

/** The services that every request depends on. */
export type CheckName = "configuration" | "database" | "credentials" | "limiter";

export interface Check {
  status: "ok" | "failing";
  milliseconds: number;
}

/** With an invalid configuration there are no other checks: nothing can be reached. */
export type Health = Partial<Record<CheckName, Check>> & {
  configuration: Check;
  /** Where not all work. */
  failingDatabases?: FailingDatabase[];
};

export interface FailingDatabase {
  /** The binding. */
  database: string;
  status: "away" | "unmigrated";
}

/** How long a result is reused, and the timeout of one check. */
export const REMEMBERED_MILLISECONDS = 5000;
export const CHECK_TIMEOUT_MILLISECONDS = 2000;

const LOOK_AGAIN_MILLISECONDS = 50;

/** The latest result, one per isolate: a flood of health requests does not reach the stores. */
export class HealthMemory {
  #health: Health | undefined;
  #checkedAt = 0;
  /** Deadline of the running check: a check whose request was cut off never reports its end. */
  #checkingUntil = 0;

  /**
   * @param now milliseconds since 1970
   * @param check takes at most CHECK_TIMEOUT_MILLISECONDS
   * @returns a result of the last seconds, or the previous one while another request checks
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

  async #awaitOther(): Promise<Health | undefined> {
    await untilOther(() => this.#health !== undefined, LOOK_AGAIN_MILLISECONDS, CHECK_TIMEOUT_MILLISECONDS);
    return this.#health;
  }
}
