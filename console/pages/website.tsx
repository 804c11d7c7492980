import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Client, DayWithGrowth, Overview, SubscriberPage, WebsiteWithClients } from "../answers.ts";
import { reportPath, websitePath } from "../lib/addresses.ts";
import { formatCount, formatShare, listOf, sumOf } from "../lib/numbers.ts";
import { rangeOptions } from "../lib/ranges.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { isOperator } from "../lib/session.ts";
import { cityOf, formatClockIn, formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { go } from "../lib/use-route.ts";
import { ButtonLink } from "../parts/button.tsx";
import { Counting, DaysFields, readDays, useReport } from "../parts/days.tsx";
import { Choice } from "../parts/field.tsx";
import { countedTiles } from "../parts/outcome-tiles.tsx";
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
  if (route.path[2] === "campaigns") return <CampaignPage route={route} />;
  if (route.path[2] === "clients") return <ClientEvents websiteId={id} clientId={route.path[3] ?? ""} route={route} />;
  return id === "new" ? <NewWebsite /> : <Known id={id} route={route} />;
}

function Known({ id, route }: { id: string; route: Route }): JSX.Element {
  const { at = "today", campaigns, timeZone } = route.query;
  const { name, now, range } = readDays({ query: { range: campaigns, timeZone } });
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
      <Numbers {...{ overview, route }} website={data} />
      <div class="two-one">
        <Section
          id="campaigns"
          title="Campaigns"
          of="with the change from the period before"
          act={<a href={toHash(["reports"], { website: id, range: campaigns, timeZone })}>Report and CSV</a>}
        >
          <div class="filter-row">
            <Choice
              id="campaigns-of"
              label="Campaigns of"
              options={rangeOptions(now).slice(0, -1)}
              value={name}
              onChange={(to) => go(toHash(route.path, { ...route.query, campaigns: to }))}
            />
          </div>
          <Groups websiteId={id} by="purpose" range={range} />
        </Section>
        {overview && <Days days={overview.days} refused={data.refusedRequests} />}
      </div>
      {canChange && (
        <>
          <Clients website={data} reload={reload} />
          <Settings key={data.updatedAt} website={data} reload={reload} />
          <Section id="changes" title="Changes" act={<a href={`#/audit?website=${id}`}>All</a>}>
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
      {website.dailyLimit &&
        website.dailyLimitUsed !== null &&
        `${formatShare(website.dailyLimitUsed, website.dailyLimit)} of the daily limit is used. `}
      {website.timeZone && `In ${cityOf(website.timeZone)} it is ${formatClockIn(website.timeZone, now)}.`}
    </>
  );
}

interface NumbersProps {
  overview: Overview | null;
  website: WebsiteWithClients;
  route: Route;
}

/** Today of UTC, which the overview has, or the days that are chosen. */
function Numbers({ overview, website, route }: NumbersProps): JSX.Element {
  const { websiteId: id, timeZone, refusedRequests } = website;
  // How many are subscribed is counted with the first of them, once for a look at this page.
  const people = useAnswer<SubscriberPage>(`${websitePath(id)}/subscribers`, undefined, false).data;
  const chosen = readDays(route, "today");
  const { data, failure } = useReport(reportPath(id), chosen);
  const today = overview?.days.at(-1);
  const counted = chosen.isUsual ? today : data?.total;
  const refused = refusedRequests.filter((it) => it.day === today?.day);
  return (
    <>
      <div class="filter-row">
        <DaysFields {...{ route, chosen }} theirs={timeZone} />
      </div>
      {counted ? (
        <Tiles
          tiles={[
            ...countedTiles(counted, chosen.isUsual ? `website:${id} after:${today?.day}T00:00Z` : undefined),
            {
              label: "Subscribers",
              value: formatCount(people?.total),
              judgment: people?.total === null ? "not counted" : "now",
              href: toHash(["people"], { website: id }),
            },
            {
              label: "Requests refused today",
              value: formatCount(sumOf(refused, "requests")),
              judgment: refused.map(({ code, requests }) => `${code}: ${formatCount(requests)}`).join(", ") || "none",
            },
          ]}
        />
      ) : (
        <Counting failure={failure} />
      )}
    </>
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
