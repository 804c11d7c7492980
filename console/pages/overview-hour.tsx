import type { JSX } from "preact";
import type { Overview, Problem } from "../answers.ts";
import { messagesHash } from "../lib/addresses.ts";
import { formatCount, formatShare, isUnusual, listOf, sumOf } from "../lib/numbers.ts";
import { wordsOf } from "../lib/problem-words.ts";
import { formatClock, formatShortSpan } from "../lib/times.ts";
import { ChartSection } from "../parts/chart.tsx";
import { usualShareOf } from "../parts/days-chart.tsx";
import { HourChart, type Mark } from "../parts/hour-chart.tsx";
import { ChartMark, Tiles } from "../parts/tiles.tsx";

/** The last hour: five numbers, each as the chart draws it, and the chart. */
export function Hour({ answer }: { answer: Overview }): JSX.Element {
  const { minutes, hour, needs, days, websites, problems } = answer;
  const accepted = sumOf(minutes, "accepted");
  const [delivered, undelivered, noReceipt] = [
    sumOf(minutes, "delivered"),
    sumOf(minutes, "undelivered"),
    sumOf(minutes, "noReceipt"),
  ];
  const usual = usualShareOf(days);
  const isMany = isUnusual(undelivered, delivered + undelivered, usual);
  const mark = markOf(problems);
  const first = minutes[0]?.at ?? "";
  const last = minutes.at(-1)?.at ?? "";
  const since = `after:${first.slice(0, 16)}Z`;
  const messages = (outcome: string) => messagesHash(`outcome:${outcome} ${since}`);
  const waitsFor = [...new Set(websites.flatMap((it) => it.waitsFor ?? []))];
  return (
    <ChartSection
      title="The last hour"
      of={`${formatClock(first)} to ${formatClock(last)}, by minute`}
      head={["Minute", "Accepted", "Sent", "Delivered", "Undelivered", "No receipt", "Waiting"]}
      rows={minutes.map((it) => [
        formatClock(it.at),
        it.accepted,
        it.sent,
        it.delivered,
        it.undelivered,
        it.noReceipt,
        it.waiting ?? "",
      ])}
      above={
        <Tiles
          tiles={[
            {
              label: "Accepted",
              mark: <ChartMark name="step" />,
              value: formatCount(accepted),
              judgment: "in an hour",
              href: messagesHash(since),
            },
            {
              label: "Delivered",
              mark: <ChartMark name="up" />,
              value: formatCount(delivered),
              judgment: `${formatShare(delivered, delivered + undelivered)} arrived`,
              href: messages("delivered"),
            },
            {
              label: "Undelivered",
              mark: <ChartMark name="down" />,
              value: formatCount(undelivered),
              judgment:
                undelivered === 0
                  ? "none"
                  : `${formatShare(undelivered, delivered + undelivered)}${isMany ? ", more than on most days" : ", as on most days"}`,
              tone: isMany ? "bad" : undefined,
              href: messages("undelivered"),
            },
            {
              label: "No receipt yet",
              mark: <ChartMark name="disc" />,
              value: formatCount(noReceipt),
              judgment:
                hour.oldestWithoutReceiptSeconds === null
                  ? "none"
                  : `oldest ${formatShortSpan(hour.oldestWithoutReceiptSeconds * 1000)}`,
              href: messages("no-receipt"),
            },
            {
              label: "Waiting",
              mark: <ChartMark name="hatch" />,
              value: formatCount(needs.overdue),
              judgment:
                needs.overdue === 0
                  ? needs.held
                    ? `${formatCount(needs.held)} are held`
                    : "none"
                  : needs.overdue === null
                    ? "not counted"
                    : waitsFor.length > 0
                      ? `${waitsFor.length === 1 ? "all " : ""}for ${listOf(waitsFor)}`
                      : "for their turn",
              tone: needs.overdue ? "wait" : undefined,
              href: "#/waiting",
            },
          ]}
        />
      }
    >
      <HourChart minutes={minutes} mark={mark} />
      {accepted === 0 && (
        <p class="dim small">
          No texts between {formatClock(first)} and {formatClock(last)}.
        </p>
      )}
    </ChartSection>
  );
}

/** The chart has a line for the newest of the problems that texts show. */
function markOf(problems: Problem[]): Mark | null {
  const marks = problems.flatMap((problem) => {
    const words = wordsOf(problem).short;
    return words && problem.since ? [{ at: problem.since, words }] : [];
  });
  return marks.sort((one, other) => one.at.localeCompare(other.at)).at(-1) ?? null;
}
