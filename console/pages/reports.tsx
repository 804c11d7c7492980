import type { JSX } from "preact";
import type { Report, WebsiteList } from "../answers.ts";
import { reportPath } from "../lib/addresses.ts";
import { capitalized, countOf, formatCount, formatShare } from "../lib/numbers.ts";
import { arrivedWords } from "../lib/outcomes.ts";
import { CUSTOM, fileName, fillDays, type Range, rangeOptions, readRange } from "../lib/ranges.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { commandOf } from "../lib/shell-command.ts";
import { cityOf, formatDay, todayIn } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { go } from "../lib/use-route.ts";
import { DaysSection } from "../parts/days-section.tsx";
import { FromShell } from "../parts/empty.tsx";
import { Choice, DayField } from "../parts/field.tsx";
import { outcomeTiles } from "../parts/outcome-tiles.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Section } from "../parts/section.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { OutcomesSection } from "./outcomes.tsx";
import { BYS, type By, Groups } from "./report-groups.tsx";

const UTC = "UTC";

/** By website, purpose, sender or country, with rates and the change to the days before: what an account manager asks, and what is billed. */
export function Reports({ route }: { route: Route }): JSX.Element {
  const { website, timeZone = UTC } = route.query;
  const now = todayIn(timeZone);
  const { name, ...days } = readRange(route.query, now);
  const range = { ...days, timeZone };
  const by = BYS.find((value) => value === route.query.by) ?? (website ? "purpose" : "website");
  const base = reportPath(website);
  const { data, failure, reload } = useAnswer<Report>(pathOf(base, { by: "day", ...range }), 60);
  const websites = useAnswer<WebsiteList>("/operator/websites", undefined, false).data?.websites ?? [];
  if (!data) return <NoAnswer failure={failure} title="Reports" onRetry={reload} />;
  const { total } = data;
  const title = total.accepted === 0 ? "No text in these days" : arrivedWords(total);
  return (
    <Page
      title={title}
      lead={`${formatDay(data.from)}${data.from === data.to ? "" : ` to ${formatDay(data.to)}`}, by days of ${cityOf(data.timeZone)}.`}
      acts={
        <a
          class="button"
          href={pathOf(base, { by, format: "csv", ...range })}
          download={fileName(website, range, by, now)}
        >
          Export as CSV
        </a>
      }
    >
      <Choices query={route.query} {...{ websites, name, range, by, now }} />
      <Numbers total={total} />
      {total.accepted > 0 && data.from < data.to && <ByDay report={data} today={now} />}
      <Section title={`By ${by}`} of="with the change from the period before">
        <Groups websiteId={website ?? null} by={by} range={range} />
      </Section>
      {total.accepted > 0 && <OutcomesSection counts={total} of="in these days" />}
      <FromShell
        line={commandOf("report", website ? [website] : [], { all: !website, by, ...days, "time-zone": timeZone })}
      />
    </Page>
  );
}

interface ChoicesProps {
  websites: WebsiteList["websites"];
  query: Route["query"];
  name: string;
  range: Required<Range>;
  by: By;
  now: number;
}

function Choices({ websites, query, name, range: { timeZone, ...days }, by, now }: ChoicesProps): JSX.Element {
  const { website } = query;
  const show = (next: Record<string, string | undefined>) => go(toHash(["reports"], { ...query, ...next }));
  const theirs = websites.find(({ websiteId }) => websiteId === website)?.timeZone;
  const yours = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = new Set([UTC, theirs ?? UTC, yours, timeZone]);
  return (
    <div class="filter-row">
      <Choice
        id="report-website"
        label="Website"
        options={[["", "All"], ...websites.map(({ websiteId, name: of }) => [websiteId, of] as const)]}
        value={website ?? ""}
        onChange={(to) => show({ website: to, by: undefined })}
      />
      <Choice
        id="report-days"
        label="Days"
        options={rangeOptions(now)}
        value={name}
        onChange={(to) =>
          show(to === CUSTOM ? { range: undefined, ...days } : { range: to, from: undefined, to: undefined })
        }
      />
      {name === CUSTOM && (
        <>
          <DayField id="report-from" label="From" value={days.from} onChange={(from) => show({ from })} />
          <DayField id="report-to" label="To" value={days.to} onChange={(to) => show({ to })} />
        </>
      )}
      <Choice
        id="report-by"
        label="By"
        options={BYS.filter((value) => !website || value !== "website").map((value) => [value, capitalized(value)])}
        value={by}
        onChange={(to) => show({ by: to })}
      />
      <Choice
        id="report-zone"
        label="Time zone"
        options={[...zones].map((zone) => [zone, cityOf(zone)])}
        value={timeZone}
        onChange={(to) => show({ timeZone: to })}
      />
    </div>
  );
}

function Numbers({ total }: { total: Report["total"] }): JSX.Element {
  return (
    <Tiles
      tiles={[
        ...outcomeTiles(total, {
          label: "Accepted",
          judgment: `${formatCount(total.sent)} went to a carrier, in ${countOf(total.segments, "segment")}`,
        }),
        {
          label: "Clicked",
          value: formatCount(total.clicked),
          judgment: `${formatShare(total.clicked, total.sent)}, without ${formatCount(total.robotClicks)} of robots`,
        },
        {
          label: "Opted out",
          value: formatCount(total.optedOut),
          judgment: formatShare(total.optedOut, total.sent),
        },
      ]}
    />
  );
}

const ByDay = ({ report, today }: { report: Report; today: number }) => (
  <DaysSection title="By day" delivered={report.total.delivered} days={fillDays(report.rows, report)} today={today} />
);
