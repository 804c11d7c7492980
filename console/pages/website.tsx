import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Day, Overview, SubscriberPage, WebsiteWithClients } from "../answers.ts";
import { messagesHash, websitePath } from "../lib/addresses.ts";
import { formatCount, formatShare, listOf, sumOf } from "../lib/numbers.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { isOperator } from "../lib/session.ts";
import { cityOf, formatClockIn, formatDay, formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ButtonLink } from "../parts/button.tsx";
import { ChartSection } from "../parts/chart.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Section, Tabs } from "../parts/section.tsx";
import { SmallChart } from "../parts/small-chart.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { useNow } from "../parts/time.tsx";
import { Changes } from "./audit-list.tsx";
import { Campaigns } from "./website-campaigns.tsx";
import { Clients, nameOfClient } from "./website-clients.tsx";
import { NewWebsite, Settings } from "./website-settings.tsx";

const TABS = ["Today", "Campaigns", "Clients", "Settings", "Changes"] as const;

export function WebsitePage({ route }: { route: Route }): JSX.Element {
  const id = route.path[1] ?? "";
  return id === "new" ? <NewWebsite /> : <Known id={id} at={route.query.at ?? "today"} />;
}

function Known({ id, at }: { id: string; at: string }): JSX.Element {
  const path = websitePath(id);
  const { data, failure, reload } = useAnswer<WebsiteWithClients>(path, 60);
  const overview = useAnswer<Overview>(pathOf("/operator/overview", { website: id }), 30, false).data;
  const canChange = isOperator();
  const hasData = data !== null;
  useEffect(() => {
    if (hasData && at !== "today") document.getElementById(at)?.scrollIntoView();
  }, [at, hasData]);
  if (!data) return <NoAnswer failure={failure} title={`Website ${id}`} onRetry={reload} />;
  const tabs = TABS.filter((tab) => canChange || tab === "Today" || tab === "Campaigns");
  return (
    <Page
      title={data.name}
      crumbs={[{ label: "Websites", href: "#/websites" }, { label: data.websiteId }]}
      lead={<Lead website={data} overview={overview} />}
      acts={
        <>
          {canChange && <ButtonLink href={`#/import?website=${id}`}>Import people</ButtonLink>}
          {canChange && (
            <a class="button" href={`${path}/subscribers?format=csv`} download={`${id}-people.csv`}>
              Export people
            </a>
          )}
        </>
      }
    >
      <Tabs
        label="Parts of this page"
        tabs={tabs.map((label) => ({
          label,
          href: `#/websites/${id}?at=${label.toLowerCase()}`,
          isCurrent: label.toLowerCase() === at,
        }))}
      />
      <Today overview={overview} id={id} />
      <div class="two-one">
        <Section
          id="campaigns"
          title="Campaigns"
          of="30 days, with the change to the 30 before"
          act={<CsvOfReport id={id} />}
        >
          <Campaigns websiteId={id} />
        </Section>
        {overview && <OptOuts days={overview.days} />}
      </div>
      {canChange && (
        <>
          <Clients website={data} reload={reload} />
          <Settings key={data.updatedAt} website={data} reload={reload} />
          <Section
            id="changes"
            title="Changes"
            of="the last ones, and who made them"
            act={<a href={`#/audit?website=${id}`}>All</a>}
          >
            <Changes entries={data.changes} />
          </Section>
        </>
      )}
    </Page>
  );
}

const CsvOfReport = ({ id }: { id: string }) => (
  <a href={`${websitePath(id)}/report?by=purpose&format=csv`} download={`${id}-campaigns.csv`}>
    All, as CSV
  </a>
);

function Lead({ website, overview }: { website: WebsiteWithClients; overview: Overview | null }): JSX.Element {
  const now = useNow(30);
  const row = overview?.websites[0];
  const failing = website.clients.filter(({ posts }) => posts.failing);
  const whole = website.holds.find((it) => !it.sendPurpose && !it.clientId);
  return (
    <>
      {whole ? (
        <>
          All is held{whole.by ? ` by ${whole.by}` : ""}
          {whole.reason ? `: “${whole.reason}”` : ""}.{" "}
        </>
      ) : row && row.waiting > 0 ? (
        <>
          <a href={`#/waiting?website=${website.websiteId}`}>{formatCount(row.waiting)} texts wait</a>
          {row.waitsFor ? ` for ${row.waitsFor}` : ""}.{" "}
        </>
      ) : row && row.accepted > 0 ? (
        "Texts arrive. "
      ) : (
        "No text in the last hour. "
      )}
      {failing.length > 0 &&
        `The endpoint of ${listOf(failing.map(nameOfClient))} fails since ${formatTime(failing[0]?.posts.failing?.since ?? now, now)}. `}
      {website.timeZone && `In ${cityOf(website.timeZone)} it is ${formatClockIn(website.timeZone, now)}.`}
    </>
  );
}

function Today({ overview, id }: { overview: Overview | null; id: string }): JSX.Element {
  // How many are subscribed is counted with the first of them, once for a look at this page.
  const people = useAnswer<SubscriberPage>(`${websitePath(id)}/subscribers`, undefined, false).data;
  const row = overview?.websites[0];
  const day = overview?.days.at(-1);
  return (
    <Tiles
      tiles={[
        {
          label: "Subscribers",
          value: formatCount(people?.total),
          judgment: people?.total === null ? "more than are counted" : "now",
          href: toHash(["people"], { website: id }),
        },
        {
          label: "Texts today",
          value: formatCount(row?.textsToday),
          judgment: day?.sent ? `${formatShare(day.delivered, day.sent)} delivered` : "none sent",
          href: messagesHash(`website:${id} after:today`),
        },
        {
          label: "Opt-out rate, 30 days",
          value: row ? formatShare(row.optedOut30Days, row.sent30Days) : "–",
          judgment: row ? `${formatCount(row.optedOut30Days)} people` : "not known",
        },
        {
          label: "Not arrived today",
          value: formatCount(row?.failedToday),
          judgment: row ? `${formatShare(row.failedToday, row.textsToday)} of them` : "not known",
          href: messagesHash(`website:${id} after:today status:undelivered`),
        },
      ]}
    />
  );
}

function OptOuts({ days }: { days: Day[] }): JSX.Element {
  return (
    <ChartSection
      title="Opt-outs"
      of={`30 days, ${formatCount(sumOf(days, "optedOut"))}`}
      head={["Day", "Opted out"]}
      rows={days.map((it) => [formatDay(it.day), it.optedOut])}
    >
      <SmallChart
        label="Opt-outs, by day"
        days={days.map((it) => ({ day: it.day, up: it.optedOut }))}
        names={["Opted out"]}
        tone="none-fill"
      />
    </ChartSection>
  );
}
