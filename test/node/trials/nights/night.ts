import { setTimeout as wait } from "node:timers/promises";
import { waitFor } from "../../harness/processes.ts";
import type { Brand, Place, PlaceOptions } from "./place.ts";
import { countTexts } from "./texts.ts";
import { Traffic } from "./traffic.ts";

/** What came of a night. Times in milliseconds; null: not in time, undefined: not a matter of this night. */
export interface Played {
  noticed?: number | null | undefined;
  /** What `npm run operator -- health` exited with while there was a problem. */
  exitCode?: number | null | undefined;
  alerted?: number | null | undefined;
  cleared?: number | null | undefined;
  outcome: string;
  faults: string[];
}

export interface Night {
  name: string;
  /** How the place is made. */
  options?: Pick<PlaceOptions, "cron">;
  play(place: Place): Promise<Played>;
}

/** The longest times: the sweep runs each minute, and alerts are its own. A look each second may come two seconds late. */
const BOUNDS = { noticed: 120_000, alerted: 180_000, cleared: 62_000 } as const;

/** Without a problem, after which it counts as over. */
const QUIET_MILLISECONDS = 25_000;
const HEALTHY_MILLISECONDS = 15_000;
const SETTLE_MILLISECONDS = 150_000;

/** The share of the looks during a fault that must show a problem, because an operator looks once. */
const STEADY = 0.95;

/** More than a night sends. */
export const MOST_TEXTS = 1000;

export interface Fault {
  /** One of them must be shown. */
  problems: string[];
  begin(): Promise<void>;
  repair(): Promise<void>;
  /** How long it lasts at least. */
  milliseconds?: number;
  noticedWithin?: number;
  /** An alert is posted. */
  isTold?: boolean;
  hasHealthyNeighbor?: boolean;
}

/** A website sends a text each second: through health, a fault and its repair, until nothing waits any more. */
export async function playFault(place: Place, brand: Brand, fault: Fault): Promise<Played> {
  const { watch } = place;
  const traffic = new Traffic(brand.client, "night", brand.numbers, 1000);
  watch.start();
  const faults = await untilHealthy(place);
  const began = performance.now();
  await fault.begin();
  const [noticed, alerted] = await Promise.all([
    watch.untilShown(fault.problems, began, fault.noticedWithin ?? BOUNDS.noticed),
    fault.isTold === false ? undefined : untilTold(place, "problem.began", fault.problems, began),
    fault.hasHealthyNeighbor === false
      ? undefined
      : place.measureNeighbor("the fault").then((it) => faults.push(...it)),
  ]);
  const { code } = await place.operator("health");
  await wait(Math.max(0, (fault.milliseconds ?? 90_000) - (performance.now() - began)));
  const repaired = performance.now();
  const share = noticed === null ? 0 : watch.share(began + noticed, repaired);
  await fault.repair();
  const [cleared, told] = await Promise.all([
    watch.untilNone(repaired, QUIET_MILLISECONDS, 2 * BOUNDS.cleared),
    alerted === undefined ? undefined : untilTold(place, "problem.ended", fault.problems, repaired),
    place.measureNeighbor("the repair").then((it) => faults.push(...it)),
  ]);
  if (told === null) faults.push("no alert said that it is over");
  if ((await place.operator("health")).code !== 0) faults.push("health still ends with a problem");
  await traffic.stop();
  if (!(await place.settle(SETTLE_MILLISECONDS))) faults.push("texts or callbacks still wait");
  const texts = await countTexts(place, traffic, brand);
  const shown = watch.problems(began).filter((it) => it !== "no answer");
  faults.push(...texts.faults, ...missed({ noticed, alerted, cleared }, fault.noticedWithin));
  if (code !== 4) faults.push(`health ended with ${code}`);
  if (share < STEADY)
    faults.push(`after it was noticed, only ${Math.round(share * 100)} % of the looks showed a problem`);
  const outcome = `${texts.outcome}; shown: ${shown.join(", ") || "no answer"}`;
  return { noticed, exitCode: code, alerted, cleared, outcome, faults };
}

/** Ordinary traffic first: nothing may be wrong. */
async function untilHealthy({ watch }: Place): Promise<string[]> {
  const started = performance.now();
  await wait(HEALTHY_MILLISECONDS);
  return watch.problems(started).map((problem) => `${problem} before the fault`);
}

function untilTold(place: Place, type: string, problems: string[], from: number): Promise<number | null> {
  const isIt = (alert: { type: string; data: { problem: string } }) =>
    alert.type === type && problems.includes(alert.data.problem);
  return waitFor(type, () => place.heard(isIt), BOUNDS.alerted).then(
    () => performance.now() - from,
    () => null,
  );
}

/** What was not seen in time. */
export function missed(times: Pick<Played, "noticed" | "alerted" | "cleared">, noticedWithin?: number): string[] {
  const bounds = { ...BOUNDS, ...(noticedWithin === undefined ? {} : { noticed: noticedWithin }) };
  return (Object.keys(bounds) as (keyof typeof bounds)[]).flatMap((name) => {
    const time = times[name];
    if (time === undefined || (time !== null && time <= bounds[name])) return [];
    const what = time === null ? "never" : `after ${(time / 1000).toFixed(1)} s`;
    return [`${name} ${what}; it must be within ${bounds[name] / 1000} s`];
  });
}
