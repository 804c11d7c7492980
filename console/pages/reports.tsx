import type { JSX } from "preact";
import type { Report, WebsiteList } from "../answers.ts";
import { reportPath } from "../lib/addresses.ts";
import { formatCount, formatShare } from "../lib/numbers.ts";
import { dayBefore } from "../lib/rates.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { formatDay } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { go } from "../lib/use-route.ts";
import { DaysSection } from "../parts/days-section.tsx";
import { FromShell } from "../parts/empty.tsx";
import { Choice } from "../parts/field.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Section } from "../parts/section.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { Campaigns } from "./website-campaigns.tsx";

const SPANS = [7, 30, 90];

/** By purpose, with rates and the change to the days before: what an account manager asks. */
export function Reports({ route }: { route: Route }): JSX.Element {
  const { website } = route.query;
  const days = SPANS.find((span) => String(span) === route.query.days) ?? 30;
  const base = reportPath(website);
  const span = { from: dayBefore(Date.now(), days - 1), to: dayBefore(Date.now(), 0) };
  const { data, failure, reload } = useAnswer<Report>(pathOf(base, { by: "day", ...span }), 60);
  const websites = useAnswer<WebsiteList>("/operator/websites", undefined, false).data?.websites ?? [];
  if (!data) return <NoAnswer failure={failure} title="Reports" onRetry={reload} />;
  const { total } = data;
  const title =
    total.accepted === 0
      ? "No text in these days"
      : `${formatShare(total.delivered, total.delivered + total.undelivered)} of texts arrived`;
  const csv = (by: string) => pathOf(base, { by, format: "csv", ...span });
  return (
    <Page
      title={title}
      lead={`${formatDay(data.from)} to ${formatDay(data.to)}, days of UTC.`}
      acts={
        <a class="button" href={csv("purpose")} download="report.csv">
          Export as CSV
        </a>
      }
    >
      <Choices websites={websites} website={website} days={days} />
      <Numbers total={total} />
      {total.accepted > 0 && <ByDay report={data} />}
      <Section title="By purpose" of={`with the change to the ${days} days before`}>
        <Campaigns key={`${website} ${days}`} websiteId={website ?? null} days={days} />
      </Section>
      <FromShell line={`report${website ? ` ${website}` : ""} --by purpose`} />
    </Page>
  );
}

function Choices({
  websites,
  website,
  days,
}: {
  websites: WebsiteList["websites"];
  website: string | undefined;
  days: number;
}): JSX.Element {
  const show = (next: { website?: string | undefined; days?: string }) =>
    go(toHash(["reports"], { website, days: String(days), ...next }));
  return (
    <div class="filter-row">
      <Choice
        id="report-website"
        label="Website"
        options={[["", "All"], ...websites.map(({ websiteId, name }) => [websiteId, name] as const)]}
        value={website ?? ""}
        onChange={(to) => show({ website: to })}
      />
      <Choice
        id="report-days"
        label="Days"
        options={SPANS.map((span) => [String(span), `the last ${span}`])}
        value={String(days)}
        onChange={(to) => show({ days: to })}
      />
    </div>
  );
}

function Numbers({ total }: { total: Report["total"] }): JSX.Element {
  return (
    <Tiles
      tiles={[
        {
          label: "Accepted",
          value: formatCount(total.accepted),
          judgment: `${formatCount(total.sent)} went to a carrier`,
        },
        {
          label: "Delivered",
          value: formatCount(total.delivered),
          judgment: `${formatShare(total.delivered, total.delivered + total.undelivered)} arrived`,
        },
        {
          label: "Undelivered",
          value: formatCount(total.undelivered),
          judgment: formatShare(total.undelivered, total.delivered + total.undelivered),
        },
        {
          label: "Clicked",
          value: formatCount(total.clicked),
          judgment: `${formatShare(total.clicked ?? 0, total.sent)}, without ${formatCount(total.robotClicks)} of robots`,
        },
        {
          label: "Opted out",
          value: formatCount(total.optedOut),
          judgment: formatShare(total.optedOut ?? 0, total.sent),
        },
      ]}
    />
  );
}

function ByDay({ report }: { report: Report }): JSX.Element {
  const days = report.rows
    .map((row) => ({
      ...row,
      day: row.day ?? "",
      clicked: row.clicked ?? 0,
      optedOut: row.optedOut ?? 0,
    }))
    .sort((one, other) => one.day.localeCompare(other.day));
  return <DaysSection title="By day" delivered={report.total.delivered} days={days} />;
}
