import type { JSX } from "preact";
import type { Overview, Problem } from "../answers.ts";
import { formatCount, formatShare, isUnusual, listOf } from "../lib/numbers.ts";
import { countsOf, HEADS, reportedOf, totalOf } from "../lib/outcomes.ts";
import { wordsOf } from "../lib/problem-words.ts";
import { formatClock, formatShortSpan } from "../lib/times.ts";
import { ChartSection } from "../parts/chart.tsx";
import { usualShareOf } from "../parts/days-chart.tsx";
import { HourChart, type Mark } from "../parts/hour-chart.tsx";
import { outcomeTiles } from "../parts/outcome-tiles.tsx";
import { type Tile, Tiles } from "../parts/tiles.tsx";

/** The last hour: its numbers, each as the chart draws it, and the chart. */
export function Hour({ answer }: { answer: Overview }): JSX.Element {
  const { minutes, hour, needs, days, websites, problems } = answer;
  const total = totalOf(minutes);
  const { undelivered } = total;
  const isMany = isUnusual(undelivered, reportedOf(total), usualShareOf(days));
  const mark = markOf(problems);
  const oldest = hour.oldestWithoutReceiptSeconds;
  const first = minutes[0]?.at ?? "";
  const last = minutes.at(-1)?.at ?? "";
  const since = `after:${first.slice(0, 16)}Z`;
  const waitsFor = [...new Set(websites.flatMap((it) => it.waitsFor ?? []))];
  return (
    <ChartSection
      title="The last hour"
      of={`${formatClock(first)} to ${formatClock(last)}, by minute`}
      head={["Minute", ...HEADS]}
      rows={minutes.map((it) => [formatClock(it.at), ...countsOf(it)])}
      above={
        <Tiles
          tiles={outcomeTiles(total, "in an hour", since, [
            false,
            undelivered > 0 && {
              judgment: `${formatShare(undelivered, reportedOf(total))}, ${isMany ? "more than" : "as"} on most days`,
              tone: isMany ? "bad" : undefined,
            },
            oldest !== null && { judgment: `oldest ${formatShortSpan(oldest * 1000)}` },
            { ...pendingNow(needs, waitsFor), href: "#/waiting" },
          ])}
        />
      }
    >
      <HourChart minutes={minutes} mark={mark} />
    </ChartSection>
  );
}

/** The texts that wait now, whenever they were accepted. */
function pendingNow({ overdue, held }: Overview["needs"], waitsFor: string[]): Pick<Tile, "judgment" | "tone"> {
  if (overdue === null) return { judgment: "not counted" };
  if (overdue > 0)
    return { judgment: `${formatCount(overdue)} in all, for ${listOf(waitsFor) || "their turn"}`, tone: "wait" };
  return { judgment: held ? `${formatCount(held)} are held` : "not gone yet" };
}

/** The chart has a line for the newest of the problems that texts show. */
function markOf(problems: Problem[]): Mark | null {
  const marks = problems.flatMap((problem) => {
    const words = wordsOf(problem).short;
    return words && problem.since ? [{ at: problem.since, words }] : [];
  });
  return marks.sort((one, other) => one.at.localeCompare(other.at)).at(-1) ?? null;
}
