import type { JSX } from "preact";
import type { SubscriberPage, WebsiteList } from "../answers.ts";
import { websitePath } from "../lib/addresses.ts";
import { sourceWords } from "../lib/audit-words.ts";
import { countOf } from "../lib/numbers.ts";
import { maskEmail } from "../lib/phones.ts";
import { type Route, toHash } from "../lib/router.ts";
import { commandOf } from "../lib/shell-command.ts";
import { OPTED_OUT, SUBSCRIBED } from "../lib/status-words.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { useOlder } from "../lib/use-older.ts";
import { go } from "../lib/use-route.ts";
import { Asking } from "../parts/confirm.tsx";
import { CommandLine } from "../parts/copy.tsx";
import { FromShell } from "../parts/empty.tsx";
import { Choice } from "../parts/field.tsx";
import { PersonLink } from "../parts/masked.tsx";
import { Loading, NoAnswer, Page } from "../parts/page.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { ListEnd, Table, Two } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { NewPerson } from "./new-person.tsx";

/** One person by number or address, and the people of a website. */
export function People({ route }: { route: Route }): JSX.Element {
  const { data, failure, reload } = useAnswer<WebsiteList>("/operator/websites", undefined, false);
  const website = data?.websites.find((it) => it.websiteId === route.query.website) ?? data?.websites[0];
  const path = website ? `${websitePath(website.websiteId)}/subscribers` : null;
  const people = useAnswer<SubscriberPage>(path, 60);
  if (!data) return <NoAnswer failure={failure} title="People" onRetry={reload} />;
  if (!people.data && people.failure)
    return <NoAnswer failure={people.failure} title="People" onRetry={people.reload} />;
  const total = people.data?.total ?? null;
  const title =
    website && total !== null ? `${countOf(total, "person is", "people are")} subscribed to ${website.name}` : "People";
  return (
    <Page
      title={title}
      lead="Each has a page: consent, and texts to and from them, over all websites."
      acts={
        website && (
          <Asking
            dialog={(onClose) => <NewPerson websiteId={website.websiteId} website={website.name} onClose={onClose} />}
          >
            Add a person…
          </Asking>
        )
      }
    >
      <SearchBox placeholder="+1 206 555 0142, or ada@example.com" />
      {website && (
        <div class="filter-row">
          <Choice
            id="people-website"
            label="Website"
            options={data.websites.map(({ websiteId, name }) => [websiteId, name])}
            value={website.websiteId}
            onChange={(to) => go(toHash(["people"], { website: to }))}
          />
        </div>
      )}
      {path && people.data && <List key={path} first={people.data} path={path} websiteId={website?.websiteId ?? ""} />}
      {path && !people.data && <Loading />}
      {!website && <p>No website yet.</p>}
      {website && <FromShell line={commandOf("subscribers", [website.websiteId])} />}
    </Page>
  );
}

interface ListProps {
  first: SubscriberPage;
  path: string;
  websiteId: string;
}

function List({ first, path, websiteId }: ListProps): JSX.Element {
  const older = useOlder(first, path, (page) => page.subscribers);
  const people = [...first.subscribers, ...older.rows];
  if (people.length === 0) {
    return (
      <>
        <p>Nobody yet. An import brings people.</p>
        <CommandLine line={commandOf("import-subscribers", [websiteId, "people.csv"])} />
      </>
    );
  }
  return (
    <>
      <Table
        label="People, by number"
        rows={people}
        keyOf={({ personId, phone }) => personId ?? phone}
        columns={[
          ["Person", ({ personId, phone }) => <PersonLink personId={personId} phone={phone} />],
          ["Address", ({ email }) => (email ? maskEmail(email) : "–"), "right"],
          ["Since", ({ since, source }) => <Two first={<Time at={since} />} second={sourceWords(source)} />],
          ["Now", ({ subscribed }) => <Status look={subscribed ? SUBSCRIBED : OPTED_OUT} />, "right"],
        ]}
      />
      <ListEnd older={older}>In the order of their numbers.</ListEnd>
    </>
  );
}
