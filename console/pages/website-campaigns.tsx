import type { JSX } from "preact";
import type { Report, ReportRow } from "../answers.ts";
import { messagesHash, reportPath } from "../lib/addresses.ts";
import { pathOf } from "../lib/ask.ts";
import { formatCount } from "../lib/numbers.ts";
import { dayBefore, type Rate, rateOf } from "../lib/rates.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { FailureLine } from "../parts/button.tsx";
import { Head, Rows } from "../parts/section.tsx";

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

function CampaignRows({
  rows,
  before,
  websiteId,
}: {
  rows: ReportRow[];
  before: ReportRow[];
  websiteId: string | null;
}): JSX.Element {
  const link = (purpose: string) => messagesHash(`${websiteId ? `website:${websiteId} ` : ""}purpose:"${purpose}"`);
  return (
    <Rows class="phone campaigns" label="Campaigns">
      <Head
        columns={["Purpose", "Sent", "Delivered", "Clicked", "Opted out"]}
        numbers={["Sent", "Delivered", "Clicked", "Opted out"]}
      />
      <tbody>
        {rows.map((row) => {
          const purpose = row.sendPurpose ?? "";
          const last = before.find((it) => it.sendPurpose === purpose);
          return (
            <tr key={purpose}>
              <td class="wide">
                <a class="row-link" href={link(purpose)}>
                  {purpose}
                </a>
              </td>
              <td class="number" data-label="Sent">
                {formatCount(row.sent)}
              </td>
              <RateCell label="Delivered" isRight rate={rateOf("delivered", row, last)} />
              <RateCell label="Clicked" rate={rateOf("clicked", row, last)} />
              <RateCell label="Opted out" isRight rate={rateOf("optedOut", row, last)} />
            </tr>
          );
        })}
      </tbody>
    </Rows>
  );
}

const RateCell = ({ label, rate, isRight }: { label: string; rate: Rate; isRight?: boolean }) => (
  <td class={`number ${isRight ? "right" : ""}`} data-label={label}>
    {rate.value} <span class={`change ${rate.isBad ? "bad" : ""}`}>{rate.change}</span>
  </td>
);
