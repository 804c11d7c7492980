import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Overview, WebsiteList, WebsiteNow } from "../answers.ts";
import { countOf, formatCount, formatShare } from "../lib/numbers.ts";
import { notSentWords } from "../lib/outcomes.ts";
import { signedIn } from "../lib/session.ts";
import type { Look } from "../lib/status-words.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { replaceHash } from "../lib/use-route.ts";
import { ButtonLink } from "../parts/button.tsx";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Table, Two } from "../parts/section.tsx";
import { Note, Status } from "../parts/status.tsx";
import { NoWebsite } from "./first-day.tsx";
import { lookOfWebsite, QUIET } from "./overview-tables.tsx";
import { Senders } from "./websites-senders.tsx";

export function Websites(): JSX.Element {
  const { session, overview } = signedIn();
  const { data, failure, reload } = useAnswer<WebsiteList>("/operator/websites", 60);
  const only = data?.websites.length === 1 ? data.websites[0] : undefined;
  useEffect(() => {
    // An account manager with one brand begins at it.
    if (only && session.role === "viewer") replaceHash(`#/websites/${only.websiteId}`);
  }, [only, session.role]);
  if (!data) return <NoAnswer failure={failure} title="Websites" onRetry={reload} />;
  if (data.websites.length === 0) return <NoWebsite />;
  const create = session.role === "operator" && <ButtonLink href="#/websites/new">New website</ButtonLink>;
  return (
    <Page title="Websites" lead={leadOf(data, overview)} acts={create}>
      {data.unavailableDatabases?.length ? (
        <Note first={`Database ${data.unavailableDatabases.join(", ")} does not answer.`}>
          Its websites are missing here.
        </Note>
      ) : null}
      <List list={data} overview={overview} />
      <FromShell line="websites" />
      <Senders />
    </Page>
  );
}

function leadOf({ websites }: WebsiteList, overview: Overview | null): string {
  const texts = overview && `, ${countOf(overview.days.at(-1)?.accepted ?? 0, "text")} accepted today`;
  return `${countOf(websites.length, "brand")}${texts ?? ""}.`;
}

type Row = WebsiteList["websites"][number] & { now: WebsiteNow | undefined };

function List({ list, overview }: { list: WebsiteList; overview: Overview | null }): JSX.Element {
  const rows = list.websites.map((it) => ({
    ...it,
    now: overview?.websites.find(({ websiteId }) => websiteId === it.websiteId),
  }));
  return (
    <Table<Row>
      label="Websites"
      rows={rows}
      keyOf={({ websiteId }) => websiteId}
      columns={[
        [
          "Website",
          ({ websiteId, name, carrier, sender }) => (
            <Two
              first={
                <a class="row-link" href={`#/websites/${websiteId}`}>
                  {name}
                </a>
              }
              second={[carrier, sender].filter(Boolean).join(", ")}
            />
          ),
          "wide",
        ],
        [
          "Opt-out rate, 30 days",
          ({ now }) => (now ? formatShare(now.optedOut30Days, now.month.sent) : "–"),
          "number named",
        ],
        [
          "Texts today",
          ({ now }) => <Two first={formatCount(now?.today.accepted)} second={now && notSentWords(now.today)} />,
          "number named right",
        ],
        ["Undelivered today", ({ now }) => formatCount(now?.today.undelivered), "number named"],
        ["Now", (row) => <Status look={lookOf(row)} />, "wide"],
      ]}
    />
  );
}

function lookOf({ holds, now }: Row): Look {
  if (holds.length > 0) {
    const isWhole = holds.some((it) => !it.sendPurpose && !it.clientId);
    return { word: isWhole ? "Held" : "Held in part", shape: "held", tone: "plain" };
  }
  return now ? lookOfWebsite(now) : QUIET;
}
