import type { JSX } from "preact";
import type { Report, WebsiteList } from "../answers.ts";
import { reportPath } from "../lib/addresses.ts";
import { capitalized } from "../lib/numbers.ts";
import { arrivedWords } from "../lib/outcomes.ts";
import { fileName, fillDays } from "../lib/ranges.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { commandOf } from "../lib/shell-command.ts";
import { cityOf, formatDay } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { go } from "../lib/use-route.ts";
import { DaysFields, readDays } from "../parts/days.tsx";
import { DaysSection } from "../parts/days-section.tsx";
import { FromShell } from "../parts/empty.tsx";
import { Choice } from "../parts/field.tsx";
import { countedTiles } from "../parts/outcome-tiles.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Section } from "../parts/section.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { OutcomesSection } from "./outcomes.tsx";
import { BYS, Groups } from "./report-groups.tsx";

/** By website, purpose, sender or country, with rates and the change to the days before: what an account manager asks, and what is billed. */
export function Reports({ route }: { route: Route }): JSX.Element {
  const { website } = route.query;
  const chosen = readDays(route);
  const { range, now } = chosen;
  const by = BYS.find((value) => value === route.query.by) ?? (website ? "purpose" : "website");
  const base = reportPath(website);
  const { data, failure, reload } = useAnswer<Report>(pathOf(base, { by: "day", ...range }), 60);
  const websites = useAnswer<WebsiteList>("/operator/websites", undefined, false).data?.websites ?? [];
  if (!data) return <NoAnswer failure={failure} title="Reports" onRetry={reload} />;
  const { total } = data;
  const show = (next: Record<string, string | undefined>) => go(toHash(["reports"], { ...route.query, ...next }));
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
      <div class="filter-row">
        <Choice
          id="report-website"
          label="Website"
          options={[["", "All"], ...websites.map(({ websiteId, name: of }) => [websiteId, of] as const)]}
          value={website ?? ""}
          onChange={(to) => show({ website: to, by: undefined })}
        />
        <DaysFields {...{ route, chosen }} theirs={websites.find(({ websiteId }) => websiteId === website)?.timeZone} />
        <Choice
          id="report-by"
          label="By"
          options={BYS.filter((value) => !website || value !== "website").map((value) => [value, capitalized(value)])}
          value={by}
          onChange={(to) => show({ by: to })}
        />
      </div>
      <Tiles tiles={countedTiles(total)} />
      {total.accepted > 0 && data.from < data.to && <ByDay report={data} today={now} />}
      <Section title={`By ${by}`} of="with the change from the period before">
        <Groups websiteId={website ?? null} by={by} range={range} />
      </Section>
      {total.accepted > 0 && <OutcomesSection counts={total} of="in these days" />}
      <FromShell
        line={commandOf("report", website ? [website] : [], {
          all: !website,
          by,
          from: range.from,
          to: range.to,
          "time-zone": range.timeZone,
        })}
      />
    </Page>
  );
}

const ByDay = ({ report, today }: { report: Report; today: number }) => (
  <DaysSection title="By day" delivered={report.total.delivered} days={fillDays(report.rows, report)} today={today} />
);
