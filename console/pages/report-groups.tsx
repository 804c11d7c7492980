import type { JSX } from "preact";
import type { Report, ReportRow } from "../answers.ts";
import { campaignHash, messagesHash, reportPath } from "../lib/addresses.ts";
import { capitalized, formatCount } from "../lib/numbers.ts";
import { notSentWords } from "../lib/outcomes.ts";
import { type Range, rangeBefore } from "../lib/ranges.ts";
import { rateOf } from "../lib/rates.ts";
import { pathOf } from "../lib/router.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { Counting } from "../parts/days.tsx";
import { Table, Two } from "../parts/section.tsx";

/** What a report is by. A purpose is a campaign. */
export const BYS = ["website", "purpose", "sender", "country"] as const;

export type By = (typeof BYS)[number];

interface Props {
  websiteId: string | null;
  by: By;
  range: Range;
}

/** The rows of a report, with the change to as many days before. Only a bad change has a color. */
export function Groups({ websiteId, by, range }: Props): JSX.Element {
  const path = reportPath(websiteId);
  const now = useAnswer<Report>(pathOf(path, { by, ...range }), undefined, false);
  const before = useAnswer<Report>(pathOf(path, { by, ...rangeBefore(range) }), undefined, false);
  if (!now.data) return <Counting failure={now.failure} />;
  const rows = [...now.data.rows].sort((one, other) => other.sent - one.sent);
  if (rows.length === 0) return <p class="dim">No text in these days. Each {by} with texts is a row here.</p>;
  return <GroupRows {...{ rows, by, websiteId }} before={before.data?.rows ?? []} />;
}

const nameOf = ({ sendPurpose, websiteId, sender, country }: ReportRow) =>
  sendPurpose ?? websiteId ?? sender ?? country ?? "none";

interface RowsProps {
  rows: ReportRow[];
  before: ReportRow[];
  by: By;
  websiteId: string | null;
}

function GroupRows({ rows, before, by, websiteId }: RowsProps): JSX.Element {
  const rate = (kind: Parameters<typeof rateOf>[0]) => (row: ReportRow) => {
    const last = before.find((it) => nameOf(it) === nameOf(row));
    const { value, change, isBad } = rateOf(kind, row, last);
    return (
      <>
        {value} <span class={`change ${isBad ? "bad" : ""}`}>{change}</span>
      </>
    );
  };
  return (
    <Table
      label={`By ${by}`}
      rows={rows}
      keyOf={nameOf}
      columns={[
        [capitalized(by), (row) => <Name name={nameOf(row)} href={hrefOf(by, nameOf(row), websiteId)} />, "wide"],
        ["Sent", (row) => formatCount(row.sent), "number named"],
        ["Segments", (row) => formatCount(row.segments), "number named right"],
        ["Arrived", (row) => <Two first={rate("delivered")(row)} second={notSentWords(row)} />, "number named"],
        ["Clicked", rate("clicked"), "number named right"],
        ["Opted out", rate("optedOut"), "number named"],
      ]}
    />
  );
}

const Name = ({ name, href }: { name: string; href: string | null }) =>
  href === null ? (
    name
  ) : (
    <a class="row-link" href={href}>
      {name}
    </a>
  );

function hrefOf(by: By, name: string, websiteId: string | null): string | null {
  if (by === "website") return `#/websites/${name}`;
  if (by !== "purpose") return null;
  return websiteId ? campaignHash(websiteId, name) : messagesHash(`purpose:"${name}"`);
}
