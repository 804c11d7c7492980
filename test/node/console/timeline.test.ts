import { type ComponentChildren, Fragment, isValidElement, type VNode } from "preact";
import { describe, expect, it } from "vitest";
import { type Step, Timeline } from "../../../console/parts/timeline.tsx";

const NOW = new Date(2026, 10, 25, 23, 30).getTime();
const HOUR = 3_600_000;
const step = (hours: number): Step => ({
  ...{ key: `${hours} h`, at: NOW + hours * HOUR, icon: "none", what: "", isFuture: hours > 0 },
});

/** The headings of days, the line of now, and the keys of the steps, as they stand. */
function linesOf(node: ComponentChildren): string[] {
  if (Array.isArray(node)) return node.flatMap(linesOf);
  if (!isValidElement(node)) return typeof node === "string" ? [node.trim()] : [];
  const { type, props, key } = node as VNode<{ children?: ComponentChildren; step?: Step }>;
  if (props.step) return [props.step.key];
  return typeof type === "string" || type === Fragment ? linesOf(props.children) : key ? [String(key)] : [];
}

const shown = (...hours: number[]) =>
  linesOf(Timeline({ label: "", precision: "seconds", now: NOW, steps: hours.map(step) })).filter(Boolean);

describe("a timeline", () => {
  it.each([
    ["today and tomorrow", [-1, 1], ["Today, Wednesday 25 November", "-1 h", "Now,", "Thursday 26 November", "1 h"]],
    ["today alone", [-2, -1, 0.25], ["Today, Wednesday 25 November", "-2 h", "-1 h", "Now,", "0.25 h"]],
    [
      "yesterday and tomorrow",
      [-24, 24],
      ["Tuesday 24 November", "-24 h", "Today, Wednesday 25 November", "Now,", "Thursday 26 November", "24 h"],
    ],
    ["what will be alone", [1, 2], ["Today, Wednesday 25 November", "Now,", "Thursday 26 November", "1 h", "2 h"]],
    ["what was alone", [-24, -1], ["Tuesday 24 November", "-24 h", "Today, Wednesday 25 November", "-1 h"]],
  ])("has the line of now under the day of today: %s", (_, hours, lines) => {
    expect(shown(...hours)).toEqual(lines);
  });
});
