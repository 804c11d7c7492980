import { afterEach, describe, expect, inject, it, vi } from "vitest";
import type { Comparison } from "./compare.ts";
import type { Fault } from "./injector.ts";
import { Stage } from "./stage.ts";
import { printSummary } from "./summary.ts";
import { compare, play } from "./swept.ts";

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

/** A push takes every sixth call, and no failure before a call takes effect: the sweep has stopped there then. */
function faultsOf(calls: number): Fault[] {
  const isLong = inject("faultSeeds") > 1;
  const whens: Fault["when"][] = isLong ? ["before", "after"] : ["after"];
  const lasts: Fault["lasts"][] = isLong ? ["once", "on its binding", "on every binding"] : ["on its binding"];
  const nths = Array.from({ length: calls }, (_, index) => index + 1).filter((nth) => isLong || nth % 6 === 1);
  return nths.flatMap((nth) => whens.flatMap((when) => lasts.map((it) => ({ nth, when, lasts: it }))));
}

function lineOf(calls: string[], found: Comparison[]): string {
  const sum = (name: keyof Comparison["counts"]) => found.reduce((total, { counts }) => total + counts[name], 0);
  const counts = (["accepted", "submitted", "final", "unknown", "callbacks", "lost", "twice"] as const).map(
    (name) => `${sum(name)} ${name}`,
  );
  return `sweep: ${calls.length} calls (${calls.join(" ")}), ${found.length} runs: ${counts.join(", ")}`;
}
