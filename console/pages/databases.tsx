import type { ComponentChildren, JSX } from "preact";
import type { DatabaseList, Move } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { countOf, formatBytes, formatCount, percentOf } from "../lib/numbers.ts";
import type { Look } from "../lib/status-words.ts";
import { formatDate } from "../lib/times.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton, FailureLine } from "../parts/button.tsx";
import { Asking } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Progress } from "../parts/progress.tsx";
import { Section, Table, Two } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { tellDone } from "../parts/toast.tsx";
import { BeginMove } from "./begin-move.tsx";

type Database = DatabaseList["databases"][number];

const LOOKS: Record<Database["status"], Look> = {
  ok: { word: "Working", shape: "delivered", tone: "ok" },
  away: { word: "No answer", shape: "failed", tone: "bad" },
  unmigrated: { word: "Lacks a migration", shape: "problem", tone: "bad" },
  unbound: { word: "Not bound", shape: "problem", tone: "bad" },
};

export function Databases(): JSX.Element {
  const { data, failure, reload } = useAnswer<DatabaseList>("/operator/databases", 30);
  const moves = useAnswer<{ moves: Move[] }>("/operator/moves", 10, false);
  if (!data) return <NoAnswer failure={failure} title="Databases" onRetry={reload} />;
  const { databases } = data;
  return (
    <Page
      title={titleOf(databases)}
      lead="D1 limits a database to 10 GB."
      acts={
        databases.length > 1 && (
          <Asking
            dialog={(close) => (
              <BeginMove databases={databases.map(({ database }) => database)} onClose={close} reload={moves.reload} />
            )}
          >
            Move a website…
          </Asking>
        )
      }
    >
      <Table
        label="Databases"
        rows={databases}
        keyOf={({ database }) => database}
        columns={[
          [
            "Database",
            ({ database, websites }) => <Two first={database} second={countOf(websites, "website")} />,
            "head",
          ],
          ["Used", usedOf, "number right"],
          [
            "A day",
            ({ bytesPerDay: it }) => (it === null ? "–" : `${it < 0 ? "−" : "+"}${formatBytes(Math.abs(it))}`),
            "number named",
          ],
          ["Full", fullOf],
          [
            "Now",
            ({ status, schemaVersion }) => <Status look={LOOKS[status]} title={schemaVersion ?? undefined} />,
            "right",
          ],
        ]}
      />
      {(moves.data?.moves.length ?? 0) > 0 && (
        <Section title="Moves" of="of the last day">
          {moves.data?.moves.map((move) => (
            <MoveCard key={`${move.websiteId} ${move.startedAt}`} move={move} reload={moves.reload} />
          ))}
        </Section>
      )}
      <FromShell line="databases" />
    </Page>
  );
}

/** The one that fills first. */
function titleOf(databases: Database[]): string {
  const away = databases.filter(({ status }) => status !== "ok");
  if (away.length > 0) return `${countOf(away.length, "database needs", "databases need")} you`;
  const first = databases
    .filter(({ daysLeft }) => daysLeft !== null)
    .sort((one, other) => (one.daysLeft ?? 0) - (other.daysLeft ?? 0))[0];
  if (first?.daysLeft == null || first.daysLeft > 365)
    return databases.length === 1 ? "The database has room" : "The databases have room";
  return `${first.database} is full in ${countOf(first.daysLeft, "day")}`;
}

const shareOf = ({ bytes, limitBytes }: Database) => (bytes === null ? null : percentOf(bytes, limitBytes));

function usedOf(of: Database): JSX.Element {
  const share = shareOf(of);
  const second = share === null ? "not known" : `${share} % of ${formatBytes(of.limitBytes)}`;
  return <Two first={formatBytes(of.bytes)} second={second} />;
}

function fullOf(of: Database): ComponentChildren {
  const { daysLeft } = of;
  if (daysLeft === null || daysLeft > 3650) return "not in ten years";
  const isNear = (shareOf(of) ?? 0) >= 70 || daysLeft <= 60;
  return (
    <>
      {formatDate(Date.now() + daysLeft * 86_400_000)}
      <span class={`second ${isNear ? "wait" : ""}`}>in {countOf(daysLeft, "day")}</span>
    </>
  );
}

const STATES: Record<Move["state"], string> = {
  paused: "is paused, and its rows are not copied yet",
  copying: "is copied",
  comparing: "is compared",
  done: "has moved",
  failed: "has not moved",
};

function MoveCard({ move, reload }: { move: Move; reload: () => void }): JSX.Element {
  const ending = useAct();
  const { websiteId, state, from, to, copiedRows, comparedRows, totalRows, startedAt, problem } = move;
  const done = state === "comparing" ? comparedRows : copiedRows;
  const isOpen = state !== "done" && state !== "failed";
  const abort = () =>
    ending.run(async () => {
      await ask(`/operator/websites/${websiteId}/move/abort`, { method: "POST" });
      tellDone(`${websiteId} is open in ${from} again.`);
      reload();
    });
  return (
    <article class="card">
      <h2>
        {websiteId} {STATES[state]}
      </h2>
      <p class="small dim">
        From {from} to {to}, since <Time at={startedAt} />.{" "}
        {isOpen && "Its calls answer 503 meanwhile; nothing is lost."}
      </p>
      {isOpen && totalRows !== null && (
        <Progress done={done} of={totalRows} title={`${formatCount(done)} of ${formatCount(totalRows)} rows`} />
      )}
      {problem && (
        <p>
          <code class="words">{problem}</code>
        </p>
      )}
      {isOpen && (
        <div class="card-acts">
          <ActButton isSmall isOff={ending.isBusy} onPress={() => void abort()}>
            End the move
          </ActButton>
        </div>
      )}
      <FailureLine failure={ending.failure} />
    </article>
  );
}
