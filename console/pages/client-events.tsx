import type { JSX } from "preact";
import type { ClientEvent, ClientEventPage, WebsiteWithClients } from "../answers.ts";
import { websitePath } from "../lib/addresses.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { commandOf } from "../lib/shell-command.ts";
import type { Look } from "../lib/status-words.ts";
import { isTaken } from "../lib/story.ts";
import { formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { useOlder } from "../lib/use-older.ts";
import { FromShell } from "../parts/empty.tsx";
import { PersonLink } from "../parts/masked.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { ListEnd, Table, Tabs, Two } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time, useNow } from "../parts/time.tsx";
import { LookFurther } from "./messages-further.tsx";
import { nameOfClient } from "./website-clients.tsx";

/** What has become of the callback. */
const TABS: [label: string, callback?: string][] = [
  ["All"],
  ["Taken", "taken"],
  ["Failed", "failed"],
  ["Waiting", "waiting"],
  ["Not posted", "none"],
];

interface Props {
  websiteId: string;
  clientId: string;
  route: Route;
}

/** What a client was told, or can read, and what its endpoint answered. */
export function ClientEvents({ websiteId, clientId, route: { path: here, query } }: Props): JSX.Element {
  const { type, callback } = query;
  const filter = { type, callback };
  const path = pathOf(`/operator/clients/${clientId}/events`, filter);
  const { data, failure, reload } = useAnswer<ClientEventPage>(path, 30);
  const website = useAnswer<WebsiteWithClients>(websitePath(websiteId), undefined, false).data;
  const client = website?.clients.find((it) => it.clientId === clientId);
  const title = `Events of ${client ? nameOfClient(client) : clientId.slice(0, 8)}`;
  if (!data) return <NoAnswer failure={failure} title={title} onRetry={reload} />;
  return (
    <Page title={title} crumbs={[{ label: website?.name ?? websiteId, href: `#/websites/${websiteId}?at=clients` }]}>
      <Tabs
        label="Callbacks"
        tabs={TABS.map(([label, of]) => ({
          label,
          href: toHash(here, { type, callback: of }),
          isCurrent: of === callback,
        }))}
      />
      <List key={path} first={data} path={path} line={commandOf("events", [clientId], filter)} />
    </Page>
  );
}

function List({ first, path, line }: { first: ClientEventPage; path: string; line: string }): JSX.Element {
  const older = useOlder(first, path, (page) => page.events);
  const now = useNow(30);
  const events = [...first.events, ...older.rows];
  const { lookedBackTo } = older.last;
  if (events.length === 0 && older.hasMore) return <LookFurther older={older} line={line} what="events" />;
  return (
    <>
      {events.length === 0 ? (
        <h2>No event is like this</h2>
      ) : (
        <Table
          label="Events, the newest first"
          rows={events}
          keyOf={({ eventId }) => eventId}
          columns={[
            ["When", ({ occurredAt }) => <Time at={occurredAt} as="seconds" />, "small"],
            ["Event", (event) => <What event={event} />],
            ["Person", ({ phone, personId }) => phone && <PersonLink phone={phone} personId={personId} />, "right"],
            ["Its endpoint", ({ callback }) => <Answer callback={callback} />, "wide"],
          ]}
        />
      )}
      <ListEnd older={older}>
        Newest first. {lookedBackTo ? `Back to ${formatTime(lookedBackTo, now)}.` : "These are all."}
      </ListEnd>
      <FromShell line={line} />
    </>
  );
}

const What = ({ event: { eventType, status, messageId, sendPurpose } }: { event: ClientEvent }) => {
  const word = eventType === "message.status" ? status : eventType;
  return <Two first={messageId ? <a href={`#/messages/${messageId}`}>{word}</a> : word} second={sendPurpose} />;
};

function Answer({ callback }: Pick<ClientEvent, "callback">): JSX.Element {
  const look = (word: string | number, shape: Look["shape"], tone: Look["tone"] = "plain") => (
    <Status look={{ word: String(word), shape, tone }} />
  );
  if (callback === null) return look("Not posted", "none");
  const { httpStatus, outcome, response } = callback;
  if (outcome === null) return look("Waiting", "waiting");
  return (
    <Two
      first={
        isTaken(callback) ? look(httpStatus ?? "", "delivered", "ok") : look(httpStatus ?? outcome, "failed", "bad")
      }
      second={<span class="one-line">{response}</span>}
    />
  );
}
