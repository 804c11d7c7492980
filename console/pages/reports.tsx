import type { JSX } from "preact";
import type { Report, WebsiteList } from "../answers.ts";
import { reportPath } from "../lib/addresses.ts";
import { countOf, formatCount, formatShare } from "../lib/numbers.ts";
import { arrivedWords } from "../lib/outcomes.ts";
import { CUSTOM, fileName, fillDays, type Range, rangeOptions, readRange } from "../lib/ranges.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { commandOf } from "../lib/shell-command.ts";
import { cityOf, formatClock, formatClockIn, formatDay } from "../lib/times.ts";
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
import { Groups } from "./report-groups.tsx";

/** What a report is by. A purpose is a campaign. */
const GROUPS = [
  ["website", "Website"],
  ["purpose", "Purpose"],
  ["sender", "Sender"],
] as const;

export type By = (typeof GROUPS)[number][0];

/** By website, purpose or sender, with rates and the change to the days before: what an account manager asks, and what is billed. */
export function Reports({ route }: { route: Route }): JSX.Element {
  const { website } = route.query;
  const now = Date.now();
  const { name, ...range } = readRange(route.query, now);
  const by = GROUPS.find(([value]) => value === route.query.by)?.[0] ?? (website ? "purpose" : "website");
  const base = reportPath(website);
  const { data, failure, reload } = useAnswer<Report>(pathOf(base, { by: "day", ...range }), 60);
  const websites = useAnswer<WebsiteList>("/operator/websites", undefined, false).data?.websites ?? [];
  if (!data) return <NoAnswer failure={failure} title="Reports" onRetry={reload} />;
  const { total } = data;
  const zone = websites.find(({ websiteId }) => websiteId === website)?.timeZone;
  const title = total.accepted === 0 ? "No text in these days" : arrivedWords(total);
  return (
    <Page
      title={title}
      lead={`${formatDay(data.from)}${data.from === data.to ? "" : ` to ${formatDay(data.to)}`}, by days of UTC, which begin at ${formatClock(data.from)} here${zone ? ` and at ${formatClockIn(zone, Date.parse(data.from))} in ${cityOf(zone)}` : ""}.`}
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
      <Choices websites={websites} website={website} {...{ name, range, by, now }} />
      <Numbers total={total} />
      {total.accepted > 0 && data.from < data.to && <ByDay report={data} />}
      <Section title={`By ${by}`} of="with the change from the period before">
        <Groups key={`${website} ${name} ${by}`} websiteId={website ?? null} by={by} range={range} />
      </Section>
      {total.accepted > 0 && <OutcomesSection counts={total} of="in these days" />}
      <FromShell
        line={commandOf("report", website ? [website] : [], { all: website ? undefined : true, by, ...range })}
      />
    </Page>
  );
}

interface ChoicesProps {
  websites: WebsiteList["websites"];
  website: string | undefined;
  /** The range, as the address has it. */
  name: string;
  range: Range;
  by: By;
  now: number;
}

function Choices({ websites, website, name, range, by, now }: ChoicesProps): JSX.Element {
  const isCustom = name === CUSTOM;
  const chosen = isCustom ? range : { range: name };
  const show = (next: Record<string, string | undefined>) =>
    go(toHash(["reports"], { website, by, ...chosen, ...next }));
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
          show(to === CUSTOM ? { range: undefined, ...range } : { range: to, from: undefined, to: undefined })
        }
      />
      {isCustom && (
        <>
          <DayField id="report-from" label="From" value={range.from} onChange={(from) => show({ from })} />
          <DayField id="report-to" label="To" value={range.to} onChange={(to) => show({ to })} />
        </>
      )}
      <Choice
        id="report-by"
        label="By"
        options={GROUPS.filter(([value]) => !website || value !== "website")}
        value={by}
        onChange={(to) => show({ by: to })}
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

const ByDay = ({ report }: { report: Report }) => (
  <DaysSection title="By day" delivered={report.total.delivered} days={fillDays(report.rows, report)} />
);
