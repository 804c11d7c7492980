import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { FoundMessages, Status as StatusCode } from "../answers.ts";
import { formatCount } from "../lib/numbers.ts";
import { isMessageId, personIn } from "../lib/phones.ts";
import type { Route } from "../lib/router.ts";
import { pathOf, toHash } from "../lib/router.ts";
import { findPerson, maskedNumberOf } from "../lib/search.ts";
import { FILTERS, OUTCOMES, parseSearch, type Search, textFaults, toTime, writeSearch } from "../lib/search-words.ts";
import { isOperator } from "../lib/session.ts";
import { commandOf } from "../lib/shell-command.ts";
import { formatTime } from "../lib/times.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { useOlder } from "../lib/use-older.ts";
import { go } from "../lib/use-route.ts";
import { Button, FailureLine } from "../parts/button.tsx";
import { FromShell } from "../parts/empty.tsx";
import { Loading, NoAnswer, Page } from "../parts/page.tsx";
import { ListEnd, Tabs } from "../parts/section.tsx";
import { useNow } from "../parts/time.tsx";
import { FilterBar } from "./messages-filter.tsx";
import { LookFurther } from "./messages-further.tsx";
import { PickedTexts } from "./messages-picked.tsx";
import { MessageRows, usePickedTexts } from "./messages-rows.tsx";

/** Under the field; each is a status of the API, by its word here. */
const TABS: [word: string, status: StatusCode | null][] = [
  ["All", null],
  ["Delivered", "DELIVERED"],
  ["Waiting", "PENDING_TO_SEND"],
  ["Undelivered", "FAILED_TO_DELIVERY"],
  ["Not sent", "FAILED_TO_SEND"],
  ["Sending", "SENDING"],
  ["Not subscribed", "NOT_SUBSCRIBED"],
];

/** `undelivered`, `not-sent` or FAILED_TO_SEND: the status of the API that somebody means. */
function statusOf(word: string): string {
  const plain = word.toLowerCase().replaceAll(/[-_ ]/g, " ");
  return TABS.find(([name]) => name.toLowerCase() === plain)?.[1] ?? word.toUpperCase();
}

/** What the call is asked for: its options in the shell have the same names. */
function queryOf({ filters, text }: Search, person: string | undefined) {
  const time = (word: string | undefined) => (word ? toTime(word, new Date())?.toISOString() : undefined);
  return {
    person,
    website: filters.website,
    purpose: filters.purpose ?? text,
    status: filters.status && statusOf(filters.status),
    outcome: filters.outcome && OUTCOMES[filters.outcome],
    reason: filters.reason?.toUpperCase().replaceAll("-", "_"),
    client: filters.client,
    from: time(filters.after),
    until: time(filters.before),
  };
}

export function Messages({ route }: { route: Route }): JSX.Element {
  const { q = "", person } = route.query;
  const search = parseSearch(q);
  const [refused, setRefused] = useState<string[]>([]);
  const wrong = [...refused, ...search.wrong, ...textFaults(search)];
  const query = queryOf(search, person);
  const path = wrong.length > 0 ? null : pathOf("/operator/messages", query);
  const line = commandOf("messages", [], query);
  const isFiltered = Object.values(query).some(Boolean);
  // Those of a person are asked for once: each look is in the audit log.
  const { data, failure, reload } = useAnswer<FoundMessages>(path, person ? undefined : 30);
  const submitting = useAct();

  useEffect(() => setRefused([]), [q, person]);

  const hashOf = (filters: Search["filters"], text = search.text, who = person) =>
    toHash(["messages"], { q: writeSearch({ filters: { ...search.filters, ...filters }, text }), person: who });

  /** What is typed: a number becomes a person, an id opens its story, all else are filters. */
  const submit = (typed: string) =>
    submitting.run(async () => {
      const next = parseSearch(typed);
      setRefused([]);
      if (isMessageId(next.text)) return go(toHash(["messages", next.text.toLowerCase()]));
      const filters = { ...search.filters, ...next.filters };
      const found = personIn(next.text);
      const faults = [...next.wrong, ...(found ? [] : textFaults({ filters, text: next.text }))];
      if (faults.length > 0) return setRefused(faults);
      go(found ? hashOf(filters, "", (await findPerson(found)).personId) : hashOf(filters, next.text));
    });

  const chips = FILTERS.flatMap((name) => {
    const value = search.filters[name];
    return value ? [{ name: name as string, value, drop: () => go(hashOf({ [name]: undefined })) }] : [];
  });
  if (person) chips.push({ name: "to", value: maskedNumberOf(person), drop: () => go(hashOf({}, search.text, "")) });

  // While another search is answered, the field stays: somebody writes in it.
  if (!data && failure && failure.status !== 400)
    return <NoAnswer failure={failure} title="Messages" onRetry={reload} />;
  const current = search.filters.status ? statusOf(search.filters.status) : null;
  return (
    <Page
      title="Messages"
      acts={
        path &&
        isOperator() && (
          <a class="button" href={pathOf(path, { format: "csv" })} download="">
            Export as CSV
          </a>
        )
      }
    >
      <FilterBar chips={chips} text={search.text} onSubmit={(typed) => void submit(typed)} />
      {wrong.length > 0 && <p class="failure-line">{wrong.join(" ")}</p>}
      {submitting.failure?.status === 404 ? (
        <p class="failure-line">Nobody has this number or address here.</p>
      ) : (
        <FailureLine failure={submitting.failure ?? (failure?.status === 400 ? failure : null)} />
      )}
      <Tabs
        label="Statuses"
        tabs={TABS.map(([label, status]) => ({
          label,
          href: hashOf({ status: status ? label.toLowerCase().replaceAll(" ", "-") : undefined }),
          isCurrent: status === current,
        }))}
      />
      {path &&
        (data ? (
          <List key={path} first={data} {...{ path, isFiltered, line }} text={search.text} onDone={reload} />
        ) : (
          !failure && <Loading />
        ))}
    </Page>
  );
}

interface ListProps extends NoneProps {
  first: FoundMessages;
  path: string;
  /** After a change of its texts. */
  onDone: () => void;
}

/** The first page is looked at again while it is at the top of the window; older ones are added below. */
function List({ first, path, text, isFiltered, line, onDone }: ListProps): JSX.Element {
  const [shown, setShown] = useState(first);
  const older = useOlder(shown, path, (page) => page.messages);
  const now = useNow(30);
  const known = new Set(shown.messages.map(({ messageId }) => messageId));
  const fresh = first.messages.filter(({ messageId }) => !known.has(messageId)).length;
  const isAtTop = older.rows.length === 0;

  useEffect(() => {
    if (scrollY <= 200 && isAtTop) setShown(first);
  }, [first, isAtTop]);

  const takeFresh = () => {
    setShown(first);
    older.clear();
    scrollTo(0, 0);
  };
  const messages = [...shown.messages, ...older.rows];
  const picked = usePickedTexts(messages);
  if (messages.length === 0 && older.hasMore) return <LookFurther older={older} line={line} what="texts" />;
  if (messages.length === 0) return <NoMessages text={text} isFiltered={isFiltered} line={line} />;
  const { lookedBackTo } = older.last;
  return (
    <>
      {fresh > 0 && (
        <p>
          <Button isSmall onPress={takeFresh}>
            {fresh} new
          </Button>
        </p>
      )}
      <MessageRows {...{ messages, now, picked }} />
      <PickedTexts picked={picked} onDone={onDone} />
      <ListEnd older={older}>
        Newest first.{" "}
        {older.hasMore
          ? `These ${formatCount(messages.length)}${lookedBackTo ? `, back to ${formatTime(lookedBackTo, now)}` : ""}.`
          : "These are all."}
      </ListEnd>
      <FromShell line={line} around={["", "", isOperator() ? " With --csv, all of them as a file." : ""]} />
    </>
  );
}

interface NoneProps {
  text: string;
  isFiltered: boolean;
  line: string;
}

const NoMessages = ({ text, isFiltered, line }: NoneProps) => (
  <>
    <h2>{isFiltered ? "No text is like this" : "No text yet"}</h2>
    {text && (
      <p>
        “{text}” is taken for a purpose. For a website, write <code>website:{text}</code>.
      </p>
    )}
    <p class="lead">
      {isFiltered && (
        <>
          Take a filter away, or look <a href="#/messages">at all of them</a>.{" "}
        </>
      )}
      Texts are kept for as many days as RETENTION_DAYS says.
    </p>
    <FromShell line={line} />
  </>
);
