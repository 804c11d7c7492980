import type { JSX } from "preact";
import type { Campaign } from "../answers.ts";
import { reportPath, websitePath } from "../lib/addresses.ts";
import { isHeld, leadOf, readyOf, titleOf } from "../lib/campaign-words.ts";
import { formatCount, sumOf } from "../lib/numbers.ts";
import { pendingOf } from "../lib/outcomes.ts";
import { fillDays } from "../lib/ranges.ts";
import { pathOf, type Route } from "../lib/router.ts";
import { commandOf } from "../lib/shell-command.ts";
import { cityOf, formatClockIn, formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { Asking } from "../parts/confirm.tsx";
import { Counting, DaysFields, readDays, useReport } from "../parts/days.tsx";
import { DaysSection } from "../parts/days-section.tsx";
import { FromShell } from "../parts/empty.tsx";
import { countedTiles } from "../parts/outcome-tiles.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { SmallSection } from "../parts/small-chart.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { useNow } from "../parts/time.tsx";
import { OutcomesSection } from "./outcomes.tsx";
import { CountedCancel } from "./waiting-dialogs.tsx";
import { useHolds } from "./website-holds.tsx";

const SECONDS = 15;

/** A purpose of a website: while its texts go, how far it is and what stops it; afterwards, what came of it. */
export function CampaignPage({ route }: { route: Route }): JSX.Element {
  const [, websiteId = "", , sendPurpose = ""] = route.path;
  const path = `${websitePath(websiteId)}/campaigns/${encodeURIComponent(sendPurpose)}`;
  const { data, failure, reload } = useAnswer<Campaign>(path, SECONDS);
  const now = useNow(SECONDS);
  const holding = useHolds({
    ...{ websiteId, name: data?.websiteName ?? "", sendPurpose, reload },
    nameOf: (id) => id.slice(0, 8),
  });
  if (!data) return <NoAnswer failure={failure} title={sendPurpose} onRetry={reload} />;
  const { websiteName, timeZone, minutes } = data;
  const gone = sumOf(minutes, "gone");
  return (
    <Page
      title={titleOf(data)}
      crumbs={[
        { label: "Websites", href: "#/websites" },
        { label: websiteName, href: `#/websites/${websiteId}?at=campaigns` },
        { label: sendPurpose },
      ]}
      lead={
        <>
          {leadOf(data, now)} {timeZone && `In ${cityOf(timeZone)} it is ${formatClockIn(timeZone, now)}.`}
        </>
      }
      acts={
        <>
          {holding.lever}
          <Cancel campaign={data} holdAll={holding.holdAll} reload={reload} />
        </>
      }
    >
      {holding.list}
      {gone > 0 && (
        <SmallSection
          title="Gone"
          of={`${formatCount(gone)} in the last hour, by minute`}
          unit="minute"
          series={minutes.map((it) => ({ at: it.at, up: it.gone }))}
          names={["Gone"]}
          tone="none-fill"
        />
      )}
      <Days campaign={data} route={route} />
      <FromShell line={commandOf("campaign", [websiteId, sendPurpose])} />
    </Page>
  );
}

/** The outcomes of its texts on the days that are chosen. The campaign itself has the last 30 of UTC. */
function Days({ campaign, route }: { campaign: Campaign; route: Route }): JSX.Element {
  const { websiteId, sendPurpose, timeZone, asOf } = campaign;
  const chosen = readDays(route);
  const { data, failure } = useReport(pathOf(reportPath(websiteId), { purpose: sendPurpose }), chosen);
  const counted = chosen.isUsual ? campaign : data?.total;
  const search = chosen.isUsual ? `website:${websiteId} purpose:"${sendPurpose}"` : undefined;
  const rows = chosen.isUsual ? campaign.days : (data?.rows ?? []);
  const days = fillDays(rows, { from: rows[0]?.day ?? "", to: rows.at(-1)?.day ?? "" });
  return (
    <>
      <div class="filter-row">
        <DaysFields {...{ route, chosen }} theirs={timeZone} />
      </div>
      {counted ? (
        <>
          <Tiles tiles={countedTiles(counted, search)} />
          {counted.accepted > 0 && (
            <OutcomesSection
              counts={counted}
              search={search}
              of={`in these days${asOf && search ? `, as counted at ${formatTime(asOf, Date.now())}` : ""}`}
            />
          )}
          {days.length > 1 && (
            <DaysSection title="By day" delivered={counted.delivered} days={days} today={chosen.now} />
          )}
        </>
      ) : (
        <Counting failure={failure} />
      )}
    </>
  );
}

interface CancelProps {
  campaign: Campaign;
  holdAll: () => Promise<void>;
  reload: () => void;
}

/** Texts that are going out are held before they are cancelled: only then their count stands still. */
function Cancel({ campaign, holdAll, reload }: CancelProps): JSX.Element | null {
  const { websiteId, websiteName, sendPurpose } = campaign;
  if (pendingOf(campaign) === 0) return null;
  return (
    <Asking
      kind="edge"
      of={sendPurpose}
      isOff={readyOf(campaign) !== 0}
      dialog={(onClose) => (
        <CountedCancel
          meant={[{ websiteId, name: sendPurpose, sendPurpose, clientId: null }]}
          {...{ isHeld: isHeld(campaign), onClose }}
          website={websiteName}
          client={null}
          onHold={() => {
            onClose();
            void holdAll();
          }}
          onCancelled={reload}
        />
      )}
    >
      Cancel…
    </Asking>
  );
}
