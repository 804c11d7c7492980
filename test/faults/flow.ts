import { inject } from "vitest";
import { platform } from "../strict/platform.ts";
import { Comparer, type Comparison } from "./compare.ts";
import type { Binding, Fault } from "./injector.ts";
import { type Scene, Stage } from "./stage.ts";

/** Something that the service does, whose every call to a binding may fail. */
export interface Flow {
  name: string;
  /** What came before, without a fault. */
  prepare?: (scene: Scene) => Promise<unknown>;
  /** Meets the fault. */
  act: (scene: Scene) => Promise<unknown>;
  /** When all has come to rest, but for receipts that are missing: what must be so beside what holds for every flow. @returns what is not */
  judge?: (scene: Scene) => Promise<string[]>;
  /**
   * It goes on after a call has failed, so that the next may fail too, and its promise holds then as well. Without an
   * Idempotency-Key that of a send request does not: what may have been stored is taken back by a job, which cannot be
   * queued.
   */
  survivesAll?: boolean;
  /** A submission is part of it: its outcome may become unknown. */
  submits?: boolean;
  /** Much like another flow: the short form leaves it out. */
  onlyLong?: boolean;
}

const WHENS: Fault["when"][] = ["before", "after", "silent"];
const ALL: Fault["lasts"] = "on every binding";

export interface Result extends Comparison {
  name: string;
  /** What the flow calls when nothing fails. */
  calls: Binding[];
  runs: number;
}

/** Runs each flow once for each of its calls and each way to fail, brings the world to rest, and compares. */
export async function runWithEveryFault(flows: Flow[]): Promise<{ results: Result[]; strays: string[] }> {
  const stage = await Stage.create();
  const played: { flow: Flow; scenes: Scene[] }[] = [];
  for (const flow of flows) played.push({ flow, scenes: await playAll(stage, flow) });
  await stage.recover();
  for (const { flow, scenes } of played) {
    for (const scene of scenes) scene.faults.push(...((await flow.judge?.(scene)) ?? []));
  }
  await stage.end();
  const comparer = await Comparer.read(stage);
  const results: Result[] = [];
  for (const { flow, scenes } of played) {
    const calls = scenes[0]?.injector.calls ?? [];
    results.push({ name: flow.name, calls, runs: scenes.length, ...comparer.compare(scenes) });
  }
  const reports = await Promise.all((["brand", "careful"] as const).map((id) => comparer.reportFaults(id)));
  return { results, strays: [...(await comparer.strays()), ...reports.flat()] };
}

async function playAll(stage: Stage, flow: Flow): Promise<Scene[]> {
  const whole = await play(stage, flow);
  const scenes = [whole];
  for (const fault of faultsOf(flow, whole.injector.calls)) {
    const scene = await play(stage, flow, fault);
    scenes.push(scene);
    // Whoever was refused asks again before the queues deliver what the fault has left, or after: both happen.
    const isEither = scene.wasRefused && stage.queues.entries.length > 0;
    if (isEither) scenes.push(await play(stage, flow, fault, "after the queues"));
  }
  return scenes;
}

/**
 * Each call in each way; that all bindings fail together, and what the store's own repetition hides, in the long form.
 * A single silence is, once its time limit is over, much like a failure that took effect.
 */
function faultsOf({ survivesAll }: Flow, calls: Binding[]): Fault[] {
  const isLong = inject("faultSeeds") > 1;
  const lasts: Fault["lasts"][] = ["once", "on its binding", ...(survivesAll && isLong ? [ALL] : [])];
  const faults = calls.flatMap((binding, index) =>
    lasts.flatMap((it) => WHENS.map((when) => ({ binding, nth: index + 1, lasts: it, when }))),
  );
  const isHidden = ({ binding, lasts, when }: (typeof faults)[number]) =>
    lasts === "once" && (when === "silent" || (binding === "D1" && when === "before"));
  return faults.filter((fault) => isLong || !isHidden(fault)).map(({ nth, when, lasts }) => ({ nth, when, lasts }));
}

async function play(stage: Stage, flow: Flow, fault?: Fault, repeats?: Scene["repeats"]): Promise<Scene> {
  // There are hundreds, of one website, which may ask 300 times in a second.
  stage.world.advance(1);
  const scene = stage.scene(flow.name, fault, repeats);
  scene.mayBeUnknown = flow.submits ?? false;
  await flow.prepare?.(scene);
  platform.keyWrites.clear();
  await scene.act(async () => {
    await flow.act(scene);
  });
  scene.injector.mend();
  return scene;
}

/** One line for people to read. */
export function lineOf({ name, calls, runs, counts }: Result): string {
  const { accepted, submitted, final, unknown, callbacks, unposted, lost, twice } = counts;
  return `${name}: ${calls.length} calls (${calls.join(" ")}), ${runs} runs: ${accepted} accepted, ${submitted} submitted, ${final} final, ${unknown} unknown, ${callbacks} callbacks, ${unposted} claimed in vain, ${lost} lost, ${twice} twice`;
}
