import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Overview, WebsiteWithClients } from "../answers.ts";
import { messagesHash, websitePath } from "../lib/addresses.ts";
import { formatChange, formatCount, formatShare, listOf, sumOf } from "../lib/numbers.ts";
import { growthOf } from "../lib/rates.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { isOperator } from "../lib/session.ts";
import { cityOf, formatClock, formatClockIn, formatDay } from "../lib/times.ts";
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
import { Clients } from "./website-clients.tsx";
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
        <Growth overview={overview} />
      </div>
      {canChange && (
        <>
          <Clients website={data} endpoints={overview?.website?.endpoints ?? []} reload={reload} />
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
  const failing = overview?.website?.endpoints.filter((it) => it.failing) ?? [];
  const nameOf = (clientId: string) =>
    website.clients.find((it) => it.clientId === clientId)?.name ?? clientId.slice(0, 8);
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
        `The endpoint of ${listOf(failing.map(({ clientId }) => nameOf(clientId)))} fails since ${formatClock(failing[0]?.failing?.since ?? now)}. `}
      {website.timeZone && `In ${cityOf(website.timeZone)} it is ${formatClockIn(website.timeZone, now)}.`}
    </>
  );
}

function Today({ overview, id }: { overview: Overview | null; id: string }): JSX.Element {
  const row = overview?.websites[0];
  const day = overview?.days.at(-1);
  const errors = overview?.website?.errors ?? [];
  const total = sumOf(errors, "count");
  const week = growthOf(row);
  return (
    <Tiles
      tiles={[
        {
          label: "Subscribers",
          value: formatCount(row?.subscribers),
          judgment: week === null ? "not known" : `${formatChange(week, 0)} this week`,
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
          label: "Errors to clients today",
          href: `#/websites/${id}?at=clients`,
          value: formatCount(overview ? total : null),
          judgment: errors.length > 0 ? errors.map(({ code, count }) => `${count} × ${code}`).join(", ") : "none",
        },
      ]}
    />
  );
}

function Growth({ overview }: { overview: Overview | null }): JSX.Element {
  const growth = overview?.website?.growth ?? [];
  const net = sumOf(growth, "joined") - sumOf(growth, "left");
  return (
    <ChartSection
      title="Joined and left"
      of={`30 days, ${formatChange(net, 0)}`}
      head={["Day", "Joined", "Left"]}
      rows={growth.map((it) => [formatDay(it.day), it.joined, it.left])}
    >
      {growth.length > 0 ? (
        <SmallChart
          label="People who joined and left, by day"
          days={growth.map((it) => ({ day: it.day, up: it.joined, down: it.left }))}
          names={["Joined", "Left"]}
        />
      ) : (
        <p class="dim">Nobody has joined yet. An import brings people.</p>
      )}
    </ChartSection>
  );
}
