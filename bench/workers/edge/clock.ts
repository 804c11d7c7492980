// The clock of the model. All that runs beside it tells the time by it too, so a service that is slowed down does not see it.

import type { TimerCounts } from "./counts.ts";

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: number;
  wait(milliseconds: number): Promise<void>;
}

const realNow = Date.now.bind(Date);
const realWait = scheduler.wait.bind(scheduler);

let aheadMilliseconds = 0;
let timers: TimerCounts = { waits: 0, lateMilliseconds: 0 };

/** What was counted since the last time; the counts begin anew. */
export function takeTimerCounts(): TimerCounts {
  const counts = timers;
  timers = { waits: 0, lateMilliseconds: 0 };
  return counts;
}

/** @param slow how many real milliseconds one of the model takes @param epoch where both clocks stand at the same time */
export function makeClock({ slow, epoch }: { slow: number; epoch: number }): Clock {
  return {
    get now() {
      return epoch + (realNow() - epoch) / slow + aheadMilliseconds;
    },
    // A timer is never early, and only counts whole milliseconds.
    wait: async (milliseconds) => {
      const real = Math.round(milliseconds * slow);
      if (real <= 0) return;
      const started = realNow();
      await realWait(real);
      timers.waits++;
      timers.lateMilliseconds += (realNow() - started - real) / slow;
    },
  };
}

/** Moves every clock on, at once. */
export function goAhead(milliseconds: number): void {
  aheadMilliseconds += milliseconds;
}

/**
 * The statement with the time of the model in place of the database's own, which goes on at its usual pace: the fence of a transaction compares
 * the two (src/store/fence.ts). The text stays the same from one call to the next, because the database keeps what it has compiled.
 */
export function onModelClock(text: string, { slow, epoch }: { slow: number; epoch: number }): string {
  const from = epoch / 1000;
  const time = `(${from} + (unixepoch('subsec') - ${from}) / ${slow} + ${aheadMilliseconds / 1000})`;
  return text.replaceAll("unixepoch('subsec')", time);
}

/** Gives the clock and the timers of this isolate the pace of the model. To be called once, before anything uses them. */
export function setPace(clock: Clock, slow: number): void {
  const { Date: RealDate, setTimeout: realTimeout, setInterval: realInterval } = globalThis;
  const timeoutSignal = AbortSignal.timeout.bind(AbortSignal);
  globalThis.Date = class extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [clock.now] : given) as [number]));
    }

    static override now(): number {
      return Math.floor(clock.now);
    }
  } as DateConstructor;
  globalThis.setTimeout = ((run: () => void, milliseconds = 0, ...given: []) =>
    realTimeout(run, milliseconds * slow, ...given)) as typeof setTimeout;
  globalThis.setInterval = ((run: () => void, milliseconds = 0, ...given: []) =>
    realInterval(run, milliseconds * slow, ...given)) as typeof setInterval;
  scheduler.wait = (milliseconds, options) => realWait(milliseconds * slow, options);
  AbortSignal.timeout = (milliseconds) => timeoutSignal(milliseconds * slow);
}
