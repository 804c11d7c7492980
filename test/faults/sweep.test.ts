import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { Comparer, type Comparison } from "./compare.ts";
import { judgeSwept, leaveBehind } from "./flows-sweep.ts";
import type { Fault } from "./injector.ts";
import { type Scene, Stage } from "./stage.ts";
import { printSummary } from "./summary.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a sweep whose every call fails in turn", () => {
  it("sets right what was left behind, if not this minute, then one of the next fifteen", async () => {
    const stage = await Stage.create();
    const whole = await play(stage);
    const found = [await compare(stage, whole)];
    const calls = whole.injector.calls;
    for (const fault of faultsOf(calls.length)) found.push(await compare(stage, await play(stage, fault)));
    printSummary(lineOf(calls, found));
    expect(found.flatMap(({ violations }) => violations).slice(0, 10)).toEqual([]);
  });
});

/** The short form takes every sixth call, and no failure before a call takes effect: the sweep has stopped there then. */
function faultsOf(calls: number): Fault[] {
  const isLong = inject("faultSeeds") > 1;
  const whens: Fault["when"][] = isLong ? ["before", "after"] : ["after"];
  const lasts: Fault["lasts"][] = isLong ? ["once", "on its binding", "on every binding"] : ["on its binding"];
  const nths = Array.from({ length: calls }, (_, index) => index + 1).filter((nth) => isLong || nth % 6 === 1);
  return nths.flatMap((nth) => whens.flatMap((when) => lasts.map((it) => ({ nth, when, lasts: it }))));
}

async function play(stage: Stage, fault?: Fault): Promise<Scene> {
  const scene = stage.scene("sweep", fault);
  await leaveBehind(scene);
  await scene.act(() => scene.world.sweep());
  scene.injector.mend();
  return scene;
}

/**
 * Fifteen minutes later; then the carrier reports what it has. What a fault makes the sweep forget once more waits twice as
 * long as a job may that makes up for a failed store.
 */
async function compare(stage: Stage, scene: Scene): Promise<Comparison> {
  for (let minute = 0; minute < 15; minute++) await stage.pass(61);
  const waiting = await stage.world.rows("SELECT message_id FROM messages WHERE status = 'SENDING'");
  if (waiting.length !== 2) scene.faults.push(`${waiting.length} messages are SENDING, in place of 2`);
  await scene.receipts(waiting.map(({ message_id }) => ({ messageId: String(message_id) })));
  await stage.runQueues();
  scene.faults.push(...(await judgeSwept(scene)));
  const comparer = await Comparer.read(stage);
  const comparison = comparer.compare([scene]);
  comparison.violations.push(...(await comparer.strays()));
  // The next scene is 30 days later, and purges the events of this one.
  stage.outside.posts.length = 0;
  return comparison;
}

function lineOf(calls: string[], found: Comparison[]): string {
  const sum = (name: keyof Comparison["counts"]) => found.reduce((total, { counts }) => total + counts[name], 0);
  const counts = (["accepted", "submitted", "final", "unknown", "callbacks", "lost", "twice"] as const).map(
    (name) => `${sum(name)} ${name}`,
  );
  return `sweep: ${calls.length} calls (${calls.join(" ")}), ${found.length} runs: ${counts.join(", ")}`;
}
