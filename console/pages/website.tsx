import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Client, DayWithGrowth, Overview, SubscriberPage, WebsiteWithClients } from "../answers.ts";
import { reportPath, websitePath } from "../lib/addresses.ts";
import { formatCount, formatShare, listOf, sumOf } from "../lib/numbers.ts";
import { totalOf } from "../lib/outcomes.ts";
import { CUSTOM, fileName, type Range, rangeOptions, readRange } from "../lib/ranges.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { isOperator } from "../lib/session.ts";
import { cityOf, formatClockIn, formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { go } from "../lib/use-route.ts";
import { ButtonLink } from "../parts/button.tsx";
import { Choice } from "../parts/field.tsx";
import { outcomeTiles } from "../parts/outcome-tiles.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Section, Tabs } from "../parts/section.tsx";
import { SmallSection } from "../parts/small-chart.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { useNow } from "../parts/time.tsx";
import { Changes } from "./audit-list.tsx";
import { CampaignPage } from "./campaign.tsx";
import { ClientEvents } from "./client-events.tsx";
import { isArriving } from "./overview-tables.tsx";
import { Groups } from "./report-groups.tsx";
import { Clients, nameOfClient } from "./website-clients.tsx";
import { useHolds } from "./website-holds.tsx";
import { NewWebsite, Settings } from "./website-settings.tsx";

const TABS = ["Today", "Campaigns", "Clients", "Settings", "Changes"] as const;

export function WebsitePage({ route }: { route: Route }): JSX.Element {
  const id = route.path[1] ?? "";
  if (route.path[2] === "campaigns") return <CampaignPage websiteId={id} sendPurpose={route.path[3] ?? ""} />;
  if (route.path[2] === "clients") return <ClientEvents websiteId={id} clientId={route.path[3] ?? ""} route={route} />;
  return id === "new" ? <NewWebsite /> : <Known id={id} query={route.query} />;
}

function Known({ id, query }: { id: string; query: Route["query"] }): JSX.Element {
  const { at = "today" } = query;
  const { name: days, ...range } = readRange(query, Date.now());
  const path = websitePath(id);
  const { data, failure, reload } = useAnswer<WebsiteWithClients>(path, 60);
  const overview = useAnswer<Overview>(pathOf("/operator/overview", { website: id }), 30, false).data;
  const holding = useHolds({
    ...{ websiteId: id, name: data?.name ?? id, sendPurpose: null, reload },
    nameOf: namesOf(data?.clients ?? []),
  });
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
          {holding.lever}
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
      {holding.list}
      <Today overview={overview} website={data} />
      <div class="two-one">
        <Section
          id="campaigns"
          title="Campaigns"
          of="with the change from the period before"
          act={<CsvOfReport {...{ id, range }} />}
        >
          <div class="filter-row">
            <Choice
              id="campaign-days"
              label="Days"
              options={rangeOptions(Date.now()).filter(([value]) => value !== CUSTOM)}
              value={days}
              onChange={(to) => go(toHash(["websites", id], { at: query.at, range: to }))}
            />
          </div>
          <Groups key={days} websiteId={id} by="purpose" range={range} />
        </Section>
        {overview && <Days days={overview.days} refused={data.refusedRequests} />}
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

const namesOf = (clients: Client[]) => (id: string) => {
  const client = clients.find(({ clientId }) => clientId === id);
  return client ? nameOfClient(client) : id.slice(0, 8);
};

const CsvOfReport = ({ id, range }: { id: string; range: Range }) => {
  const path = pathOf(reportPath(id), { by: "purpose", format: "csv", ...range });
  return (
    <a href={path} download={fileName(id, range, "purpose", Date.now())}>
      All, as CSV
    </a>
  );
};

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
      ) : website.holds.length > 0 ? (
        "It is held in part. "
      ) : row?.overdue ? (
        <>
          <a href={`#/waiting?website=${website.websiteId}`}>{formatCount(row.overdue)} texts wait</a>
          {row.waitsFor ? ` for ${row.waitsFor}` : ""}.{" "}
        </>
      ) : row && row.accepted > 0 ? (
        `Texts ${isArriving(row) ? "" : "do not "}arrive. `
      ) : (
        "No text in the last hour. "
      )}
      {failing.length > 0 &&
        `The endpoint of ${listOf(failing.map(nameOfClient))} fails since ${formatTime(failing[0]?.posts.failing?.since ?? now, now)}. `}
      {website.timeZone && `In ${cityOf(website.timeZone)} it is ${formatClockIn(website.timeZone, now)}.`}
    </>
  );
}

function Today({ overview, website }: { overview: Overview | null; website: WebsiteWithClients }): JSX.Element {
  const { websiteId: id, dailyLimit, dailyLimitUsed, refusedRequests } = website;
  // How many are subscribed is counted with the first of them, once for a look at this page.
  const people = useAnswer<SubscriberPage>(`${websitePath(id)}/subscribers`, undefined, false).data;
  const row = overview?.websites[0];
  const day = overview?.days.at(-1);
  const refused = refusedRequests.filter((it) => it.day === day?.day);
  return (
    <Tiles
      tiles={[
        ...outcomeTiles(
          row?.today ?? totalOf([]),
          {
            label: "Texts today",
            judgment:
              dailyLimit && dailyLimitUsed !== null
                ? `${formatShare(dailyLimitUsed, dailyLimit)} of the daily limit`
                : "since midnight of UTC",
          },
          `website:${id} after:${day ? `${day.day}T00:00Z` : "today"}`,
        ),
        {
          label: "Subscribers",
          value: formatCount(people?.total),
          judgment: people?.total === null ? "more than are counted" : "now",
          href: toHash(["people"], { website: id }),
        },
        {
          label: "Opt-out rate, 30 days",
          value: row ? formatShare(row.optedOut30Days, row.month.sent) : "–",
          judgment: `${formatCount(row?.optedOut30Days)} people`,
        },
        {
          label: "Requests refused today",
          value: formatCount(sumOf(refused, "requests")),
          judgment: refused.map(({ code, requests }) => `${code}: ${formatCount(requests)}`).join(", ") || "no request",
        },
      ]}
    />
  );
}

interface DaysProps {
  days: DayWithGrowth[];
  refused: WebsiteWithClients["refusedRequests"];
}

function Days({ days, refused }: DaysProps): JSX.Element {
  return (
    <div class="stack">
      <SmallSection
        title="Joined and left"
        of="30 days"
        series={days.map((it) => ({ at: it.day, up: it.joined, down: it.parted }))}
        names={["Joined", "Left"]}
      />
      {refused.length > 0 && (
        <SmallSection
          title="Refused requests"
          of={`at least ${formatCount(sumOf(refused, "requests"))}`}
          series={days.map(({ day }) => ({
            at: day,
            up: sumOf(
              refused.filter((it) => it.day === day),
              "requests",
            ),
          }))}
          names={["Refused"]}
          tone="none-fill"
        />
      )}
    </div>
  );
}
