import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Waiting, WaitingGroup, WaitingRow } from "../answers.ts";
import { messagesHash } from "../lib/addresses.ts";
import { countOf, formatCount, listOf } from "../lib/numbers.ts";
import type { Route } from "../lib/router.ts";
import { cityOf, formatClock, formatSpan, formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton } from "../parts/button.tsx";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Head, Rows } from "../parts/section.tsx";
import { Note, Status } from "../parts/status.tsx";
import { Time, useNow } from "../parts/time.tsx";
import { type Asked, release, WaitingDialog } from "./waiting-dialogs.tsx";

const isUnwanted = ({ why }: WaitingRow) => why === "carrier" || why === "queue";
const countIn = (rows: WaitingRow[]) => rows.reduce((sum, row) => sum + row.count, 0);

/** Waiting is three things: against the will, held, and scheduled. Only the first is what the page is headed by. */
export function WaitingPage({ route }: { route: Route }): JSX.Element {
  const { website } = route.query;
  const path = `/operator/waiting${website ? `?website=${encodeURIComponent(website)}` : ""}`;
  const { data, failure, reload } = useAnswer<Waiting>(path, 15);
  const [asked, setAsked] = useState<Asked | null>(null);
  const now = useNow();
  if (!data) return <NoAnswer failure={failure} title="Waiting" onRetry={reload} />;

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
        <Rows class="phone waiting" label="What waits, by website, purpose and client">
          <Head
            columns={["Purpose and client", "Texts", "Why they wait", "Oldest, and until when", "What can be done"]}
            numbers={["Texts"]}
            unseen="What can be done"
          />
          {data.groups.map((group) => (
            <Group key={group.websiteId} group={group} now={now} onAsk={setAsked} reload={reload} />
          ))}
        </Rows>
      )}
      <FromShell
        line={`npm run operator -- ${rows.length > 0 ? `hold ${data.groups[0]?.websiteId ?? "brand"} --purpose winter-sale` : "health"}`}
      />
      {asked && <WaitingDialog asked={asked} onInstead={setAsked} onClose={() => setAsked(null)} reload={reload} />}
    </Page>
  );
}

function leadOf(rows: WaitingRow[], now: number): string {
  const held = rows.filter(({ why }) => why === "held");
  const scheduled = rows.filter(({ why }) => why === "scheduled");
  const holders = [...new Set(held.flatMap((row) => row.held?.by ?? []))];
  const opens = scheduled.flatMap(({ opensAt }) => opensAt ?? []).sort()[0];
  const parts = [
    ...(held.length > 0
      ? [`${formatCount(countIn(held))} are held${holders.length > 0 ? ` by ${listOf(holders)}` : ""}`]
      : []),
    ...(scheduled.length > 0
      ? [`${formatCount(countIn(scheduled))} are scheduled${opens ? ` for ${formatTime(opens, now)}` : ""}`]
      : []),
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
      {zone && ` In ${cityOf(zone)} it is ${formatClock(now, zone)} now.`}
    </Note>
  );
}

interface GroupProps {
  group: WaitingGroup;
  now: number;
  onAsk: (asked: Asked) => void;
  reload: () => void;
}

function Group({ group, now, onAsk, reload }: GroupProps): JSX.Element {
  const { websiteId, name, rows } = group;
  const others = rows.filter(({ why }) => why !== "held");
  return (
    <tbody>
      <tr class="group-row">
        <th colSpan={4} scope="rowgroup">
          <a href={`#/websites/${websiteId}`}>{name}</a>
          <span class="count">{formatCount(countIn(rows))}</span>
        </th>
        <td class="number">
          {others.length > 0 && (
            <ActButton
              kind="text"
              of={name}
              onPress={() => onAsk({ verb: "hold", group, row: null, count: countIn(others) })}
            >
              Hold all…
            </ActButton>
          )}
        </td>
      </tr>
      {rows.map((row) => (
        <Row
          key={`${row.sendPurpose} ${row.clientId} ${row.why}`}
          group={group}
          row={row}
          now={now}
          onAsk={onAsk}
          reload={reload}
        />
      ))}
    </tbody>
  );
}

const SOON = 3 * 3_600_000;

function Row({ group, row, now, onAsk, reload }: GroupProps & { row: WaitingRow }): JSX.Element {
  const { sendPurpose, clientName, kind, count, why, oldestAt, endsAt } = row;
  const dies = endsAt !== null && why === "held" && Date.parse(endsAt) - now < SOON;
  const list = messagesHash(`website:${group.websiteId} purpose:"${sendPurpose}" status:waiting`);
  return (
    <tr>
      <th scope="row">
        {sendPurpose}
        <span class="second">{[clientName ?? row.clientId.slice(0, 8), kind].filter(Boolean).join(", ")}</span>
      </th>
      <td class="number right">
        <a href={list}>{formatCount(count)}</a>
      </td>
      <td class="wide">
        <Why row={row} />
      </td>
      <td class="wide">
        {formatSpan(now - Date.parse(oldestAt))}
        {endsAt && (
          <span class={`second ${dies ? "bad" : ""}`}>
            {dies ? "ends at " : "oldest is tried until "}
            <Time at={endsAt} />
            {dies && ", held or not"}
          </span>
        )}
      </td>
      <td class="wide">
        <div class="row-acts">
          {why === "held" ? (
            <ActButton isSmall onPress={() => void release(group, row, reload)} of={sendPurpose}>
              Release
            </ActButton>
          ) : (
            <ActButton isSmall onPress={() => onAsk({ verb: "hold", group, row, count })} of={sendPurpose}>
              Hold…
            </ActButton>
          )}
          <ActButton isSmall kind="edge" onPress={() => onAsk({ verb: "cancel", group, row, count })} of={sendPurpose}>
            Cancel…
          </ActButton>
        </div>
      </td>
    </tr>
  );
}

function Why({ row }: { row: WaitingRow }): JSX.Element {
  const { why, carrier, cause, nextTryAt, held, opensAt } = row;
  if (why === "held") {
    return (
      <>
        <Status look={{ word: held?.by ? `Held by ${held.by}` : "Held", shape: "held", tone: "plain" }} />
        <span class="second">
          {held && <Time at={held.since} />}
          {held?.reason && `: “${held.reason}”`}
        </span>
      </>
    );
  }
  if (why === "scheduled") {
    return (
      <>
        <Status look={{ word: "Scheduled", shape: "scheduled", tone: "plain" }} />
        <span class="second">
          {opensAt && (
            <>
              opens <Time at={opensAt} />
            </>
          )}
        </span>
      </>
    );
  }
  return (
    <>
      <Status
        look={{
          word: cause ?? (why === "queue" ? "For their turn" : `${carrier ?? "The carrier"} does not take them`),
          shape: "waiting",
          tone: "wait",
        }}
      />
      <span class="second">
        {nextTryAt && (
          <>
            next try <Time at={nextTryAt} as="seconds" />
          </>
        )}
      </span>
    </>
  );
}
