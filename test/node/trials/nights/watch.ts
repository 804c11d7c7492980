import { setTimeout as wait } from "node:timers/promises";
import type { ProblemDetail, ServiceState } from "../../../../src/domain/operations/problems.ts";
import { operate } from "../../harness/service.ts";

/** What the operator is shown at a moment. */
interface Look {
  /** performance.now() */
  at: number;
  problems: string[];
  details: ProblemDetail[];
}

const EVERY_MILLISECONDS = 1000;

/** Looks at the service's state, as a monitor does. */
export class Watch {
  readonly #look: () => Promise<Omit<Look, "at">>;
  readonly #looks: Look[] = [];
  #running: Promise<void> | undefined;
  #isOver = false;

  constructor(look: () => Promise<Omit<Look, "at">>) {
    this.#look = look;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const look = await this.#look();
      this.#looks.push({ at: performance.now(), ...look });
      await wait(EVERY_MILLISECONDS);
    }
  }

  /** What the problem was shown to concern, in all looks. */
  details(problem: string): ProblemDetail[] {
    return this.#looks.flatMap(({ details }) => details.filter((it) => it.problem === problem));
  }

  /** How many of the looks in this time showed one, from 0 to 1. */
  share(from: number, until: number): number {
    const looks = this.#looks.filter(({ at }) => at >= from && at < until);
    return looks.filter(({ problems }) => problems.length > 0).length / looks.length;
  }

  /** All that were shown in this time, such as `carrier-paused`. */
  problems(from: number, until = Number.POSITIVE_INFINITY): string[] {
    const looks = this.#looks.filter(({ at }) => at >= from && at < until);
    return [...new Set(looks.flatMap(({ problems }) => problems))];
  }

  /** @returns milliseconds since `from`; null: none of them was shown in time */
  async untilShown(names: string[], from: number, milliseconds: number): Promise<number | null> {
    for (;;) {
      const shown = this.#looks.find(({ at, problems }) => at >= from && problems.some((it) => names.includes(it)));
      if (shown) return shown.at - from;
      if (performance.now() - from > milliseconds) return null;
      await wait(EVERY_MILLISECONDS / 10);
    }
  }

  /**
   * @param quiet milliseconds without a problem after which it counts as over
   * @returns milliseconds from `from` to the last look with a problem; null: there are problems all the time
   */
  async untilNone(from: number, quiet: number, milliseconds: number): Promise<number | null> {
    for (;;) {
      const after = this.#looks.filter(({ at }) => at >= from);
      const last = after.findLast(({ problems }) => problems.length > 0)?.at ?? from;
      if (after.length > 0 && performance.now() - last >= quiet) return last - from;
      if (performance.now() - from > milliseconds + quiet) return null;
      await wait(EVERY_MILLISECONDS / 10);
    }
  }
}

interface HealthAnswer {
  checks: Record<string, { status: string }>;
}

/** What an operator sees, and a monitor that asks for `GET /health`. Without an answer, that is the problem. */
export async function lookAt(url: string): Promise<Omit<Look, "at">> {
  const readState = async () => (await operate(url, "GET", "/health")) as ServiceState;
  const readHealth = async () => (await (await fetch(`${url}/health`)).json()) as HealthAnswer;
  const [{ problems, details }, { checks }] = await Promise.all([
    readState().catch(() => ({ problems: ["no answer"], details: [] })),
    readHealth().catch((): HealthAnswer => ({ checks: {} })),
  ]);
  const failing = Object.entries(checks).filter(([, { status }]) => status !== "ok");
  return { problems: [...problems, ...failing.map(([name]) => `check: ${name}`)], details };
}
