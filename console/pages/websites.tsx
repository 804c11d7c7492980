import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Overview, WebsiteList } from "../answers.ts";
import { countOf, formatChange, formatCount, formatShare } from "../lib/numbers.ts";
import { growthOf } from "../lib/rates.ts";
import { useSigned } from "../lib/session.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { replaceHash } from "../lib/use-route.ts";
import { ButtonLink } from "../parts/button.tsx";
import { EmptySteps, FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Head, Rows } from "../parts/section.tsx";
import { Note, Status } from "../parts/status.tsx";

export function Websites(): JSX.Element {
  const { session, overview } = useSigned();
  const { data, failure, reload } = useAnswer<WebsiteList>("/operator/websites", 60);
  const only = data?.websites.length === 1 ? data.websites[0] : undefined;
  useEffect(() => {
    // An account manager with one brand begins at it.
    if (only && session.role === "viewer") replaceHash(`#/websites/${only.websiteId}`);
  }, [only, session.role]);
  if (!data) return <NoAnswer failure={failure} title="Websites" onRetry={reload} />;
  const create = session.role === "operator" && (
    <ButtonLink href="#/websites/new" kind={data.websites.length === 0 ? "dark" : "plain"}>
      New website
    </ButtonLink>
  );
  if (data.websites.length === 0) {
    return (
      <Page
        title="No website yet"
        lead="A website is one brand: its people, its sender, its limits. Nothing of it is another’s."
      >
        <EmptySteps
          steps={[
            {
              title: "Make one",
              meaning: "With the sandbox as its carrier, nothing leaves the service.",
              line: 'npm run operator -- put-website harbor-coffee --name "Harbor Coffee" --carrier sandbox',
              act: create,
            },
            {
              title: "Make a client for it",
              meaning: "The platform that sends. You get an id and a secret, shown once.",
              line: "npm run operator -- create-client harbor-coffee --name braze",
            },
          ]}
        />
      </Page>
    );
  }
  return (
    <Page title="Websites" lead={leadOf(data, overview)} acts={create}>
      {data.unavailableDatabases?.length ? (
        <Note tone="bad" first={`Database ${data.unavailableDatabases.join(", ")} does not answer.`}>
          Its websites are missing here.
        </Note>
      ) : null}
      <List list={data} overview={overview} />
      <FromShell line="npm run operator -- websites" />
    </Page>
  );
}

function leadOf({ websites }: WebsiteList, overview: Overview | null): string {
  if (!overview) return countOf(websites.length, "brand");
  const known = overview.websites.flatMap(({ subscribers }) => subscribers ?? []);
  const people = known.reduce((sum, count) => sum + count, 0);
  const texts = `${countOf(overview.days.at(-1)?.accepted ?? 0, "text was", "texts were")} accepted today.`;
  return known.length === 0
    ? texts
    : `${countOf(people, "person is subscribed", "people are subscribed")}, and ${texts}`;
}

function List({ list, overview }: { list: WebsiteList; overview: Overview | null }): JSX.Element {
  return (
    <Rows class="phone" label="Websites">
      <Head
        columns={["Website", "Subscribers", "Opt-out rate, 30 days", "Texts today", "Errors today", "Now"]}
        numbers={["Subscribers", "Opt-out rate, 30 days", "Texts today", "Errors today"]}
      />
      <tbody>
        {list.websites.map(({ websiteId, name, carrier, sender, holds }) => {
          const now = overview?.websites.find((it) => it.websiteId === websiteId);
          const growth = growthOf(now);
          return (
            <tr key={websiteId}>
              <td class="wide">
                <a class="row-link" href={`#/websites/${websiteId}`}>
                  {name}
                </a>
                <span class="second">
                  {carrier}
                  {sender && `, ${sender}`}
                </span>
              </td>
              <td class="number" data-label="Subscribers">
                {formatCount(now?.subscribers)}
                {growth !== null && <span class="second">{formatChange(growth, 0)} this week</span>}
              </td>
              <td class="number right" data-label="Opt-outs">
                {now ? formatShare(now.optedOut30Days, now.sent30Days) : "–"}
              </td>
              <td class="number" data-label="Texts today">
                {formatCount(now?.textsToday)}
              </td>
              <td class="number right" data-label="Errors today">
                {formatCount(now?.errorsToday)}
              </td>
              <td class="wide">
                {holds.length > 0 ? (
                  <Status
                    look={{
                      word: holds.some((it) => !it.sendPurpose && !it.clientId) ? "Held" : "Held in part",
                      shape: "held",
                      tone: "plain",
                    }}
                  />
                ) : now && now.waiting > 0 ? (
                  <Status look={{ word: `${formatCount(now.waiting)} wait`, shape: "waiting", tone: "wait" }} />
                ) : (
                  <Status
                    look={
                      now?.accepted
                        ? { word: "Arriving", shape: "delivered", tone: "ok" }
                        : { word: "Quiet", shape: "none", tone: "plain" }
                    }
                  />
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </Rows>
  );
}
