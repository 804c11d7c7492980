import type { ComponentChildren, JSX } from "preact";
import type { Hold, ListedHold, WaitingGroup, WaitingRow } from "../answers.ts";
import { campaignHash, messagesHash } from "../lib/addresses.ts";
import { type NameOf, scopeWords } from "../lib/holds.ts";
import { formatCount, sumOf } from "../lib/numbers.ts";
import type { Shape, Tone } from "../lib/status-words.ts";
import { formatSpan } from "../lib/times.ts";
import { ActButton } from "../parts/button.tsx";
import { Cells, type Column, Head, Rows, Two } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import type { Meant } from "./hold-acts.tsx";

export type Asked = { verb: "cancel"; group: WaitingGroup; row: WaitingRow } | { verb: "release"; hold: ListedHold };

/** What a press does: a hold at once, all else after it was asked. */
export interface Acts {
  isHolding: boolean;
  ask: (asked: Asked) => void;
  hold: (meant: Meant) => Promise<void>;
}

export const meantBy = ({ websiteId }: WaitingGroup, { sendPurpose, clientId }: WaitingRow): Meant => ({
  ...{ websiteId, name: sendPurpose, sendPurpose, clientId },
});

interface Props {
  groups: WaitingGroup[];
  /** Those that no row names. */
  idle: ListedHold[];
  holds: ListedHold[];
  nameOf: NameOf;
  acts: Acts;
  now: number;
}

/** By website, purpose and client, and below them the holds for which none of these waits. */
export function WaitingTable({ groups, idle, holds, nameOf, acts, now }: Props): JSX.Element {
  const columns = columnsOf(now, holds, acts);
  return (
    <Rows label="What waits, by website, purpose and client">
      <Head columns={columns} />
      {groups.map((group) => (
        <tbody key={group.websiteId}>
          <GroupRow group={group} acts={acts} />
          {group.rows.map((row) => (
            <Cells
              key={`${row.sendPurpose} ${row.clientId} ${row.why} ${row.held?.holdId}`}
              row={{ ...row, group }}
              columns={columns}
            />
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

interface Grouped extends WaitingRow {
  group: WaitingGroup;
}

/** A count that may be too low says so. */
const countWords = (count: number, isCut: boolean) => `${isCut ? "at least " : ""}${formatCount(count)}`;

function GroupRow({ group, acts }: { group: WaitingGroup; acts: Acts }): JSX.Element {
  const { websiteId, name, rows, isCut } = group;
  const meant = { websiteId, name, sendPurpose: null, clientId: null };
  return (
    <tr class="group-row">
      <th colSpan={4} scope="rowgroup">
        <a href={`#/websites/${websiteId}`}>{name}</a>
        {rows.length > 0 && <span class="count">{countWords(sumOf(rows, "count"), isCut)}</span>}
      </th>
      <td class="number">
        {rows.some(({ why }) => why !== "held") && (
          <ActButton kind="text" of={name} isOff={acts.isHolding} onPress={() => void acts.hold(meant)}>
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
          <ActButton isSmall of={name} onPress={() => acts.ask({ verb: "release", hold })}>
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
  ["What can be done", ({ group, ...row }) => <RowActs {...{ group, row, holds, acts }} />, "wide acts"],
];

interface RowActsProps {
  group: WaitingGroup;
  row: WaitingRow;
  holds: ListedHold[];
  acts: Acts;
}

/** Texts that are going out are held before they are cancelled: only then their count stands still. */
function RowActs({ group, row, holds, acts }: RowActsProps): JSX.Element {
  const { why, sendPurpose, held, count } = row;
  const { websiteId } = group;
  const own = held && (holds.find(({ holdId }) => holdId === held.holdId) ?? { ...held, websiteId, texts: count });
  return (
    <div class="row-acts">
      {own ? (
        <ActButton isSmall of={sendPurpose} onPress={() => acts.ask({ verb: "release", hold: own })}>
          Release…
        </ActButton>
      ) : (
        <ActButton isSmall of={sendPurpose} isOff={acts.isHolding} onPress={() => void acts.hold(meantBy(group, row))}>
          Hold
        </ActButton>
      )}
      {why !== "queue" && (
        <ActButton isSmall kind="edge" of={sendPurpose} onPress={() => acts.ask({ verb: "cancel", group, row })}>
          Cancel…
        </ActButton>
      )}
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
