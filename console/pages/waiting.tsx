import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Waiting, WaitingGroup, WaitingRow } from "../answers.ts";
import { messagesHash } from "../lib/addresses.ts";
import { countOf, formatCount, listOf, sumOf } from "../lib/numbers.ts";
import { pathOf, type Route } from "../lib/router.ts";
import type { Shape, Tone } from "../lib/status-words.ts";
import { cityOf, formatClockIn, formatSpan, formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton } from "../parts/button.tsx";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Cells, type Column, Head, Rows, Two } from "../parts/section.tsx";
import { Note, Status } from "../parts/status.tsx";
import { Time, useNow } from "../parts/time.tsx";
import { type Asked, release, WaitingDialog } from "./waiting-dialogs.tsx";

const isUnwanted = ({ why }: WaitingRow) => why === "carrier" || why === "queue";
const countIn = (rows: WaitingRow[]) => sumOf(rows, "count");

/** Waiting is three things: against the will, held, and scheduled. Only the first is what the page is headed by. */
export function WaitingPage({ route }: { route: Route }): JSX.Element {
  const { website } = route.query;
  const path = pathOf("/operator/waiting", { website });
  const { data, failure, reload } = useAnswer<Waiting>(path, 15);
  const [asked, setAsked] = useState<Asked | null>(null);
  const now = useNow();
  if (!data) return <NoAnswer failure={failure} title="Waiting" onRetry={reload} />;

  const columns = columnsOf(now, setAsked, reload);
  const rows = data.groups.flatMap((group) => group.rows);
  const unwanted = rows.filter(isUnwanted);
  const carriers = [
    ...new Set(unwanted.flatMap(({ carrier, why }) => (why === "carrier" && carrier ? [carrier] : []))),
  ];
  const count = countIn(unwanted);
  const title =
    count > 0
      ? `${countOf(count, "text waits", "texts wait")}${carriers.length ? ` for ${listOf(carriers)}` : " for their turn"}`
      : rows.length > 0
        ? "Nothing waits against your will"
        : "Nothing waits";
  return (
    <Page title={title} lead={leadOf(rows, now)}>
      {count > 0 && carriers.length > 0 && <Cause groups={data.groups} now={now} carriers={carriers} />}
      {rows.length > 0 && (
        <Rows label="What waits, by website, purpose and client">
          <Head columns={columns} />
          {data.groups.map((group) => (
            <tbody key={group.websiteId}>
              <GroupRow group={group} onAsk={setAsked} />
              {group.rows.map((row) => (
                <Cells
                  key={`${row.sendPurpose} ${row.clientId} ${row.why}`}
                  row={{ ...row, group }}
                  columns={columns}
                />
              ))}
            </tbody>
          ))}
        </Rows>
      )}
      <FromShell
        line={`${rows.length > 0 ? `hold ${data.groups[0]?.websiteId ?? "brand"} --purpose winter-sale` : "health"}`}
      />
      {asked && <WaitingDialog asked={asked} onInstead={setAsked} onClose={() => setAsked(null)} reload={reload} />}
    </Page>
  );
}

function leadOf(rows: WaitingRow[], now: number): string {
  const those = (why: WaitingRow["why"], words: (some: WaitingRow[]) => string) => {
    const some = rows.filter((row) => row.why === why);
    return some.length > 0 ? [`${formatCount(countIn(some))} ${words(some)}`] : [];
  };
  const parts = [
    ...those("held", (held) => {
      const holders = [...new Set(held.flatMap((row) => row.held?.by ?? []))];
      return `are held${holders.length > 0 ? ` by ${listOf(holders)}` : ""}`;
    }),
    ...those("scheduled", (scheduled) => {
      const opens = scheduled.flatMap(({ opensAt }) => opensAt ?? []).sort()[0];
      return `are scheduled${opens ? ` for ${formatTime(opens, now)}` : ""}`;
    }),
    ...those("sending-hours", () => "wait for sending hours"),
  ];
  if (parts.length === 0)
    return `${rows.length > 0 ? "" : "Every text has gone to its carrier, or has ended. "}Nothing is held or scheduled.`;
  return `${rows.some(isUnwanted) ? "Besides, " : ""}${listOf(parts)}.`;
}

/** One note for the cause: whom it hurts, and that they go by themselves. */
function Cause({ groups, now, carriers }: { groups: WaitingGroup[]; now: number; carriers: string[] }): JSX.Element {
  const hurt = groups.filter(({ rows }) => rows.some(({ why }) => why === "carrier"));
  const oldest = hurt.flatMap(({ rows }) => rows.filter(isUnwanted).map(({ oldestAt }) => oldestAt)).sort()[0];
  const zone = hurt.find(({ timeZone }) => timeZone)?.timeZone;
  return (
    <Note
      tone="bad"
      first={`Texts of ${listOf(hurt.map(({ name }) => name))} wait${oldest ? ` since ${formatTime(oldest, now)}` : ""}.`}
    >
      When {listOf(carriers)} {carriers.length === 1 ? "accepts" : "accept"} texts again, all of these go by themselves.
      {zone && ` In ${cityOf(zone)} it is ${formatClockIn(zone, now)} now.`}
    </Note>
  );
}

interface Grouped extends WaitingRow {
  group: WaitingGroup;
}

type OnAsk = (asked: Asked) => void;

function GroupRow({ group, onAsk }: { group: WaitingGroup; onAsk: OnAsk }): JSX.Element {
  const { websiteId, name, rows } = group;
  const others = rows.filter(({ why }) => why !== "held");
  const hold = () => onAsk({ verb: "hold", group, row: null, count: countIn(others) });
  return (
    <tr class="group-row">
      <th colSpan={4} scope="rowgroup">
        <a href={`#/websites/${websiteId}`}>{name}</a>
        <span class="count">{formatCount(countIn(rows))}</span>
      </th>
      <td class="number">
        {others.length > 0 && (
          <ActButton kind="text" of={name} onPress={hold}>
            Hold all…
          </ActButton>
        )}
      </td>
    </tr>
  );
}

const SOON = 3 * 3_600_000;

const columnsOf = (now: number, onAsk: OnAsk, reload: () => void): Column<Grouped>[] => [
  [
    "Purpose and client",
    ({ sendPurpose, clientName, clientId, kind }) => (
      <Two first={sendPurpose} second={[clientName ?? clientId.slice(0, 8), kind].filter(Boolean).join(", ")} />
    ),
    "head",
  ],
  [
    "Texts",
    ({ group, sendPurpose, count }) => (
      <a href={messagesHash(`website:${group.websiteId} purpose:"${sendPurpose}" status:waiting`)}>
        {formatCount(count)}
      </a>
    ),
    "number right",
  ],
  ["Why they wait", (row) => <Why row={row} />, "wide"],
  [
    "Oldest, and until when",
    ({ why, oldestAt, endsAt }) => {
      const dies = endsAt !== null && why === "held" && Date.parse(endsAt) - now < SOON;
      return (
        <>
          {formatSpan(now - Date.parse(oldestAt))}
          {endsAt && (
            <span class={`second ${dies ? "bad" : ""}`}>
              {dies ? "ends at " : "until "}
              <Time at={endsAt} />
              {dies && ", held or not"}
            </span>
          )}
        </>
      );
    },
    "wide",
  ],
  [
    "What can be done",
    ({ group, ...row }) => {
      const { why, sendPurpose, count } = row;
      const ask = (verb: Asked["verb"]) => onAsk({ verb, group, row, count });
      return (
        <div class="row-acts">
          {why === "held" ? (
            <ActButton isSmall onPress={() => void release(group, row, reload)} of={sendPurpose}>
              Release
            </ActButton>
          ) : (
            <ActButton isSmall onPress={() => ask("hold")} of={sendPurpose}>
              Hold…
            </ActButton>
          )}
          <ActButton isSmall kind="edge" onPress={() => ask("cancel")} of={sendPurpose}>
            Cancel…
          </ActButton>
        </div>
      );
    },
    "wide acts",
  ],
];

function Why({ row: { why, carrier, cause, nextTryAt, held, opensAt } }: { row: WaitingRow }): JSX.Element {
  const line = (word: string, shape: Shape, tone: Tone, second: ComponentChildren) => (
    <Two first={<Status look={{ word, shape, tone }} />} second={second} />
  );
  if (why === "held") {
    const since = (
      <>
        {held && <Time at={held.since} />}
        {held?.reason && `: “${held.reason}”`}
      </>
    );
    return line(held?.by ? `Held by ${held.by}` : "Held", "held", "plain", since);
  }
  const until = (words: string, at: string | null | undefined, as: "time" | "seconds" = "time") =>
    at && (
      <>
        {words} <Time at={at} as={as} />
      </>
    );
  if (opensAt)
    return line(why === "scheduled" ? "Scheduled" : "Sending hours", "scheduled", "plain", until("opens", opensAt));
  const waitsFor = why === "queue" ? "For their turn" : `${carrier ?? "The carrier"} does not take them`;
  return line(cause ?? waitsFor, "waiting", "wait", until("next try", nextTryAt, "seconds"));
}
