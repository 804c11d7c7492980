import type { ComponentChildren, JSX } from "preact";
import type { DatabaseList } from "../answers.ts";
import { countOf, formatBytes, percentOf } from "../lib/numbers.ts";
import type { Look } from "../lib/status-words.ts";
import { formatDate } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Table, Two } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";

type Database = DatabaseList["databases"][number];

const LOOKS: Record<Database["status"], Look> = {
  ok: { word: "Working", shape: "delivered", tone: "ok" },
  away: { word: "No answer", shape: "failed", tone: "bad" },
  unmigrated: { word: "Lacks a migration", shape: "problem", tone: "bad" },
  unbound: { word: "Not bound", shape: "problem", tone: "bad" },
};

export function Databases(): JSX.Element {
  const { data, failure, reload } = useAnswer<DatabaseList>("/operator/databases", 30);
  if (!data) return <NoAnswer failure={failure} title="Databases" onRetry={reload} />;
  const { databases } = data;
  return (
    <Page title={titleOf(databases)} lead="D1 limits a database to 10 GB. A website stays in its database.">
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
