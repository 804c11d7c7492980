import type { ComponentChildren, JSX } from "preact";
import type { Hold, ListedHold, WaitingGroup, WaitingRow } from "../answers.ts";
import { campaignHash, messagesHash } from "../lib/addresses.ts";
import { type NameOf, scopeWords } from "../lib/holds.ts";
import { formatCount, sumOf } from "../lib/numbers.ts";
import { isOperator } from "../lib/session.ts";
import type { Shape, Tone } from "../lib/status-words.ts";
import { formatSpan } from "../lib/times.ts";
import { ActButton } from "../parts/button.tsx";
import { type Picked, pickColumn } from "../parts/picking.tsx";
import { Cells, type Column, Head, Rows, Two } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import type { Meant } from "./hold-acts.tsx";

export type Asked = { verb: "cancel"; rows: Grouped[] } | { verb: "release"; holds: ListedHold[] };

/** What a press does: a hold at once, all else after it was asked. */
export interface Acts {
  isHolding: boolean;
  ask: (asked: Asked) => void;
  hold: (meant: Meant[]) => Promise<void>;
}

export interface Grouped extends WaitingRow {
  group: WaitingGroup;
}

export const keyOf = ({ group, sendPurpose, clientId, why, held }: Grouped): string =>
  [group.websiteId, sendPurpose, clientId, why, held?.holdId].join(" ");

/** Each purpose of a client once, for whatever its texts wait. */
export function meantBy(rows: Grouped[]): Meant[] {
  const meant = rows.map(({ group: { websiteId }, sendPurpose, clientId }) => ({
    ...{ websiteId, name: sendPurpose, sendPurpose, clientId },
  }));
  return [...new Map(meant.map((it) => [JSON.stringify(it), it])).values()];
}

/** The hold that keeps a row. */
export const holdOf = ({ held, group: { websiteId }, count }: Grouped, holds: ListedHold[]): ListedHold[] =>
  held ? [holds.find(({ holdId }) => holdId === held.holdId) ?? { ...held, websiteId, texts: count }] : [];

interface Props {
  groups: WaitingGroup[];
  /** Those that no row names. */
  idle: ListedHold[];
  holds: ListedHold[];
  nameOf: NameOf;
  acts: Acts;
  picked: Picked;
  now: number;
}

/** By website, purpose and client, and below them the holds for which none of these waits. */
export function WaitingTable({ groups, idle, holds, nameOf, acts, picked, now }: Props): JSX.Element {
  const columns = [...pickColumn(picked, keyOf, (row) => row.sendPurpose), ...columnsOf(now, holds, acts)];
  return (
    <Rows label="What waits, by website, purpose and client">
      <Head columns={columns} />
      {groups.map((group) => (
        <tbody key={group.websiteId}>
          <GroupRow group={group} acts={acts} />
          {group.rows.map((row) => (
            <Cells key={keyOf({ ...row, group })} row={{ ...row, group }} columns={columns} />
          ))}
          {idle
            .filter(({ websiteId }) => websiteId === group.websiteId)
            .map((hold) => (
              <IdleHold key={hold.holdId} {...{ hold, group, nameOf, acts }} />
            ))}
        </tbody>
      ))}
    </Rows>
  );
}

/** A count that may be too low says so. */
const countWords = (count: number, isCut: boolean) => `${isCut ? "at least " : ""}${formatCount(count)}`;

function GroupRow({ group, acts }: { group: WaitingGroup; acts: Acts }): JSX.Element {
  const { websiteId, name, rows, isCut } = group;
  const meant = { websiteId, name, sendPurpose: null, clientId: null };
  return (
    <tr class="group-row">
      <th colSpan={isOperator() ? 5 : 4} scope="rowgroup">
        <a href={`#/websites/${websiteId}`}>{name}</a>
        {rows.length > 0 && <span class="count">{countWords(sumOf(rows, "count"), isCut)}</span>}
      </th>
      <td class="number">
        {rows.some(({ why }) => why !== "held") && (
          <ActButton kind="text" of={name} isOff={acts.isHolding} onPress={() => void acts.hold([meant])}>
            Hold all
          </ActButton>
        )}
      </td>
    </tr>
  );
}

interface IdleProps {
  hold: ListedHold;
  group: WaitingGroup;
  nameOf: NameOf;
  acts: Acts;
}

/** A hold that no text of the list waits for: it keeps those that come later, unless somebody ends it. */
function IdleHold({ hold, group, nameOf, acts }: IdleProps): JSX.Element {
  const name = scopeWords(hold, group.name, nameOf);
  return (
    <tr>
      {isOperator() && <td class="pick" />}
      <th scope="row" class="head" data-label="Purpose and client">
        {name}
      </th>
      <td class="number right" data-label="Texts">
        {hold.texts > 0 ? countWords(hold.texts, hold.atLeast === true) : "none"}
      </td>
      <td class="wide" data-label="Why they wait">
        <HeldWords hold={hold} />
      </td>
      <td class="wide" data-label="Oldest, and until when">
        {hold.texts > 0 ? "Another hold covers them, too" : "No text waits"}
      </td>
      <td class="wide acts" data-label="What can be done">
        <div class="row-acts">
          <ActButton isSmall of={name} onPress={() => acts.ask({ verb: "release", holds: [hold] })}>
            Release…
          </ActButton>
        </div>
      </td>
    </tr>
  );
}

const SOON = 3 * 3_600_000;

const columnsOf = (now: number, holds: ListedHold[], acts: Acts): Column<Grouped>[] => [
  [
    "Purpose and client",
    ({ group, sendPurpose, clientName, clientId, kind }) => (
      <Two
        first={clientId ? <a href={campaignHash(group.websiteId, sendPurpose)}>{sendPurpose}</a> : sendPurpose}
        second={[clientName ?? clientId.slice(0, 8), kind].filter(Boolean).join(", ")}
      />
    ),
    "head",
  ],
  [
    "Texts",
    ({ group, sendPurpose, count }) => (
      <a href={messagesHash(`website:${group.websiteId} purpose:"${sendPurpose}" status:waiting`)}>
        {countWords(count, group.isCut)}
      </a>
    ),
    "number right",
  ],
  ["Why they wait", (row) => <Why row={row} />, "wide"],
  [
    "Oldest, and until when",
    ({ why, oldestAt, endsAt }) => {
      const isHeld = why === "held";
      const isSoon = isHeld && endsAt !== null && Date.parse(endsAt) - now < SOON;
      return (
        <>
          {formatSpan(now - Date.parse(oldestAt))}
          {endsAt && (
            <span class={`second ${isSoon ? "bad" : ""}`}>
              {isHeld ? "ends at " : "until "}
              <Time at={endsAt} />
              {isHeld && ", held or not"}
            </span>
          )}
        </>
      );
    },
    "wide",
  ],
  ["What can be done", (row) => <RowActs {...{ row, holds, acts }} />, "wide acts"],
];

interface RowActsProps {
  row: Grouped;
  holds: ListedHold[];
  acts: Acts;
}

/** Texts that are going out are held before they are cancelled: only then their count stands still. No button moves under the pointer. */
function RowActs({ row, holds, acts }: RowActsProps): JSX.Element {
  const { why, sendPurpose } = row;
  const own = holdOf(row, holds);
  return (
    <div class="row-acts">
      {own.length > 0 ? (
        <ActButton isSmall of={sendPurpose} onPress={() => acts.ask({ verb: "release", holds: own })}>
          Release…
        </ActButton>
      ) : (
        <ActButton isSmall of={sendPurpose} isOff={acts.isHolding} onPress={() => void acts.hold(meantBy([row]))}>
          Hold
        </ActButton>
      )}
      <ActButton
        isSmall
        kind="edge"
        of={sendPurpose}
        isOff={why === "queue"}
        onPress={() => acts.ask({ verb: "cancel", rows: [row] })}
      >
        Cancel…
      </ActButton>
    </div>
  );
}

function Why({ row: { why, carrier, cause, nextTryAt, held, opensAt } }: { row: WaitingRow }): JSX.Element {
  const line = (word: string, shape: Shape, tone: Tone, second: ComponentChildren) => (
    <Two first={<Status look={{ word, shape, tone }} />} second={second} />
  );
  if (held) return <HeldWords hold={held} />;
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

/** Who holds them, since when and why. */
export function HeldWords({ hold: { by, since, reason } }: { hold: Hold }): JSX.Element {
  const second = (
    <>
      since <Time at={since} />
      {reason && `: “${reason}”`}
    </>
  );
  return <Two first={<Status look={{ word: `Held by ${by}`, shape: "held", tone: "plain" }} />} second={second} />;
}
