import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { HoldList, ListedHold, Waiting, WaitingGroup, WaitingRow } from "../answers.ts";
import { namesIn, unnamed, WHILE_HELD } from "../lib/holds.ts";
import { countOf, listOf, sumOf } from "../lib/numbers.ts";
import { pathOf, type Route } from "../lib/router.ts";
import { commandOf } from "../lib/shell-command.ts";
import { cityOf, formatClockIn, formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton } from "../parts/button.tsx";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { type Picked, PickedBar, usePicked } from "../parts/picking.tsx";
import { Note } from "../parts/status.tsx";
import { useNow } from "../parts/time.tsx";
import { hold, type Meant, ReleaseDialog } from "./hold-acts.tsx";
import { CancelDialog, CountedCancel } from "./waiting-dialogs.tsx";
import { type Acts, type Asked, type Grouped, holdOf, keyOf, meantBy, WaitingTable } from "./waiting-table.tsx";

const isUnwanted = ({ why }: WaitingRow) => why === "carrier" || why === "queue";
const countIn = (rows: WaitingRow[]) => sumOf(rows, "count");

/** Waiting is three things: against the will, held, and scheduled. Only the first is what the page is headed by. */
export function WaitingPage({ route }: { route: Route }): JSX.Element {
  const { website } = route.query;
  const waiting = useAnswer<Waiting>(pathOf("/operator/waiting", { website }), 15);
  const listed = useAnswer<HoldList>(pathOf("/operator/holds", { website }), 15, false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isHolding, setHolding] = useState(false);
  const now = useNow();
  const { data } = waiting;
  if (!data) return <NoAnswer failure={waiting.failure} title="Waiting" onRetry={waiting.reload} />;

  const holds = listed.data?.holds ?? [];
  const idle = unnamed(holds, data.groups);
  const groups = withHeld(data.groups, idle);
  const reload = () => {
    waiting.reload();
    listed.reload();
  };
  const acts: Acts = {
    isHolding,
    ask: setAsked,
    hold: async (meant: Meant[]) => {
      setHolding(true);
      await hold(meant, reload);
      setHolding(false);
    },
  };
  const rows = data.groups.flatMap((group) => group.rows.map((row) => ({ ...row, group })));
  const picked = usePicked(rows, keyOf);
  const carriers = [...new Set(rows.flatMap(({ carrier, why }) => (why === "carrier" && carrier ? [carrier] : [])))];
  const isStuck = rows.some(isUnwanted) && carriers.length > 0;
  return (
    <Page title={titleOf(data, carriers)} lead={leadOf(rows, idle, now)}>
      {isStuck && <Cause groups={data.groups} now={now} carriers={carriers} />}
      {groups.length > 0 && (
        <WaitingTable {...{ groups, idle, holds, acts, picked, now }} nameOf={namesIn(data.groups)} />
      )}
      <PickedActs {...{ picked, holds, acts }} />
      <FromShell line={commandOf("waiting", [], { website })} />
      {asked && (
        <Dialogs
          {...{ asked, holds, groups, acts, reload }}
          onClose={() => setAsked((present) => (present === asked ? null : present))}
        />
      )}
    </Page>
  );
}

/** The groups, and one for each website of which only holds are left. */
function withHeld(groups: WaitingGroup[], idle: ListedHold[]): WaitingGroup[] {
  const shown = new Set(groups.map(({ websiteId }) => websiteId));
  const missing = new Set(idle.map(({ websiteId }) => websiteId).filter((id) => !shown.has(id)));
  return [
    ...groups,
    ...Array.from(missing, (id) => ({ websiteId: id, name: id, timeZone: null, isCut: false, rows: [] })),
  ];
}

function titleOf({ groups, isCut }: Waiting, carriers: string[]): string {
  const rows = groups.flatMap((group) => group.rows);
  const count = countIn(rows.filter(isUnwanted));
  if (count === 0) return rows.length > 0 ? "Every text that may go has gone" : "Nothing waits";
  const least = isCut ? "At least " : "";
  return `${least}${countOf(count, "text waits", "texts wait")}${carriers.length ? ` for ${listOf(carriers)}` : " for their turn"}`;
}

interface DialogsProps {
  asked: Asked;
  holds: ListedHold[];
  groups: WaitingGroup[];
  acts: Acts;
  reload: () => void;
  onClose: () => void;
}

function Dialogs({ asked, holds, groups, acts, reload, onClose }: DialogsProps): JSX.Element {
  const nameOf = namesIn(groups);
  if (asked.verb === "release") {
    const websiteOf = (id: string) => groups.find(({ websiteId }) => websiteId === id)?.name ?? id;
    return (
      <ReleaseDialog
        key={asked.holds[0]?.holdId}
        {...{ asked: asked.holds, holds, websiteOf, nameOf, reload, onClose }}
      />
    );
  }
  const { rows } = asked;
  const [row] = rows;
  const meant = meantBy(rows);
  const holdInstead = () => {
    onClose();
    void acts.hold(meant);
  };
  const offerRelease = () => {
    const own = rows.length === 1 && row && holds.find(({ holdId }) => holdId === row.held?.holdId);
    if (own && own.texts <= row.count) acts.ask({ verb: "release", holds: [{ ...own, texts: 0 }] });
    reload();
  };
  const about = {
    ...{ meant, website: listOf([...new Set(rows.map(({ group }) => group.name))]) },
    client: row && rows.length === 1 ? (row.clientName ?? row.clientId.slice(0, 8)) : null,
    isHeld: rows.every(({ why }) => why === "held"),
  };
  const then = { onHold: holdInstead, onCancelled: offerRelease, onClose };
  return row && rows.length === 1 && !row.group.isCut ? (
    <CancelDialog {...about} {...then} counts={[row.count]} />
  ) : (
    <CountedCancel {...about} {...then} />
  );
}

interface PickedProps {
  picked: Picked<Grouped>;
  holds: ListedHold[];
  acts: Acts;
}

/** What can be done with each of the rows that are picked. */
function PickedActs({ picked, holds, acts }: PickedProps): JSX.Element {
  const { rows } = picked;
  const own = [...new Map(rows.flatMap((row) => holdOf(row, holds)).map((it) => [it.holdId, it])).values()];
  return (
    <PickedBar picked={picked} words={`${countOf(countIn(rows), "text")} of ${countOf(rows.length, "row")}`}>
      {rows.some(({ held }) => !held) && (
        <ActButton isOff={acts.isHolding} onPress={() => void acts.hold(meantBy(rows.filter(({ held }) => !held)))}>
          Hold these
        </ActButton>
      )}
      {own.length > 0 && (
        <ActButton onPress={() => acts.ask({ verb: "release", holds: own })}>Release these…</ActButton>
      )}
      {rows.every(({ why }) => why !== "queue") && (
        <ActButton kind="edge" onPress={() => acts.ask({ verb: "cancel", rows })}>
          Cancel these…
        </ActButton>
      )}
    </PickedBar>
  );
}

function leadOf(rows: WaitingRow[], idle: ListedHold[], now: number): string {
  const those = (why: WaitingRow["why"], one: string, many: string, besides?: (some: WaitingRow[]) => string) => {
    const some = rows.filter((row) => row.why === why);
    return some.length > 0 ? [countOf(countIn(some), one, many) + (besides?.(some) ?? "")] : [];
  };
  const parts = [
    ...those("held", "is held", "are held", (held) => {
      const holders = [...new Set(held.flatMap((row) => row.held?.by ?? []))];
      return holders.length > 0 ? ` by ${listOf(holders)}` : "";
    }),
    ...those("scheduled", "is scheduled", "are scheduled", (scheduled) => {
      const opens = scheduled.flatMap(({ opensAt }) => opensAt ?? []).sort()[0];
      return opens ? ` for ${formatTime(opens, now)}` : "";
    }),
    ...those("sending-hours", "waits for sending hours", "wait for sending hours"),
    ...those("pace", "waits for the pace of its sender", "wait for the pace of their sender"),
  ];
  const empty = idle.filter(({ texts }) => texts === 0).length;
  const sentences = [
    parts.length > 0 && `${rows.some(isUnwanted) ? "Besides, " : ""}${listOf(parts)}.`,
    rows.some(({ why }) => why === "held") && WHILE_HELD,
    empty > 0 && `${countOf(empty, "hold")} without texts ${empty === 1 ? "keeps" : "keep"} those that come later.`,
  ].filter(Boolean);
  if (sentences.length > 0) return sentences.join(" ");
  return `${rows.length > 0 ? "" : "All have gone, or have ended. "}Nothing is held or scheduled.`;
}

/** One note for the cause: whom it hurts, and that they go by themselves. */
function Cause({ groups, now, carriers }: { groups: WaitingGroup[]; now: number; carriers: string[] }): JSX.Element {
  const hurt = groups.filter(({ rows }) => rows.some(({ why }) => why === "carrier"));
  const oldest = hurt.flatMap(({ rows }) => rows.filter(isUnwanted).map(({ oldestAt }) => oldestAt)).sort()[0];
  const zone = hurt.find(({ timeZone }) => timeZone)?.timeZone;
  return (
    <Note
      first={`Texts of ${listOf(hurt.map(({ name }) => name))} wait${oldest ? ` since ${formatTime(oldest, now)}` : ""}.`}
    >
      When {listOf(carriers)} {carriers.length === 1 ? "accepts" : "accept"} texts again, all of these go by themselves.
      {zone && ` In ${cityOf(zone)} it is ${formatClockIn(zone, now)} now.`}
    </Note>
  );
}
