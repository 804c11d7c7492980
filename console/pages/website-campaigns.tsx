import type { JSX } from "preact";
import type { Report, ReportRow } from "../answers.ts";
import { messagesHash, reportPath } from "../lib/addresses.ts";
import { formatCount } from "../lib/numbers.ts";
import { dayBefore, rateOf } from "../lib/rates.ts";
import { pathOf } from "../lib/router.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { FailureLine } from "../parts/button.tsx";
import { Table } from "../parts/section.tsx";

/** Each purpose of a website in 30 days, with the change to the 30 days before. Only a bad change has a color. */
export function Campaigns({ websiteId, days = 30 }: { websiteId: string | null; days?: number }): JSX.Element {
  const today = Date.now();
  const path = reportPath(websiteId);
  const of = (from: number, to: number) =>
    pathOf(path, { by: "purpose", from: dayBefore(today, from), to: dayBefore(today, to) });
  const now = useAnswer<Report>(of(days - 1, 0), undefined, false);
  const before = useAnswer<Report>(of(2 * days - 1, days), undefined, false);
  if (!now.data) return now.failure ? <FailureLine failure={now.failure} /> : <p class="dim">Counting…</p>;
  const rows = [...now.data.rows].sort((one, other) => other.sent - one.sent);
  if (rows.length === 0) return <p class="dim">No text in {days} days. Each sendPurpose of a client is a row here.</p>;
  return <CampaignRows rows={rows} before={before.data?.rows ?? []} websiteId={websiteId} />;
}

const purposeOf = ({ sendPurpose }: ReportRow) => sendPurpose ?? "";

function CampaignRows({
  rows,
  before,
  websiteId,
}: {
  rows: ReportRow[];
  before: ReportRow[];
  websiteId: string | null;
}): JSX.Element {
  const rate = (kind: Parameters<typeof rateOf>[0]) => (row: ReportRow) => {
    const last = before.find((it) => it.sendPurpose === row.sendPurpose);
    const { value, change, isBad } = rateOf(kind, row, last);
    return (
      <>
        {value} <span class={`change ${isBad ? "bad" : ""}`}>{change}</span>
      </>
    );
  };
  const link = (purpose: string) => messagesHash(`${websiteId ? `website:${websiteId} ` : ""}purpose:"${purpose}"`);
  return (
    <Table
      label="Campaigns"
      rows={rows}
      keyOf={purposeOf}
      columns={[
        [
          "Purpose",
          (row) => (
            <a class="row-link" href={link(purposeOf(row))}>
              {purposeOf(row)}
            </a>
          ),
          "wide",
        ],
        ["Sent", (row) => formatCount(row.sent), "number named"],
        ["Arrived", rate("delivered"), "number named right"],
        ["Clicked", rate("clicked"), "number named"],
        ["Opted out", rate("optedOut"), "number named right"],
      ]}
    />
  );
}
