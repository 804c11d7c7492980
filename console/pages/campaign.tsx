import type { JSX } from "preact";
import type { Campaign } from "../answers.ts";
import { websitePath } from "../lib/addresses.ts";
import { leadOf, readyOf, titleOf } from "../lib/campaign-words.ts";
import { formatCount, formatShare, sumOf } from "../lib/numbers.ts";
import { pendingOf } from "../lib/outcomes.ts";
import { fillDays } from "../lib/ranges.ts";
import { commandOf } from "../lib/shell-command.ts";
import { cityOf, formatClockIn, formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { Asking } from "../parts/confirm.tsx";
import { DaysSection } from "../parts/days-section.tsx";
import { FromShell } from "../parts/empty.tsx";
import { outcomeTiles } from "../parts/outcome-tiles.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { SmallSection } from "../parts/small-chart.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { useNow } from "../parts/time.tsx";
import { OutcomesSection } from "./outcomes.tsx";
import { CountedCancel } from "./waiting-dialogs.tsx";
import { useHolds } from "./website-holds.tsx";

const SECONDS = 15;

/** A purpose of a website: while its texts go, how far it is and what stops it; afterwards, what came of it. */
export function CampaignPage({ websiteId, sendPurpose }: { websiteId: string; sendPurpose: string }): JSX.Element {
  const path = `${websitePath(websiteId)}/campaigns/${encodeURIComponent(sendPurpose)}`;
  const { data, failure, reload } = useAnswer<Campaign>(path, SECONDS);
  const now = useNow(SECONDS);
  const holding = useHolds({
    ...{ websiteId, name: data?.websiteName ?? "", sendPurpose, reload },
    nameOf: (id) => id.slice(0, 8),
  });
  if (!data) return <NoAnswer failure={failure} title={sendPurpose} onRetry={reload} />;
  const { websiteName, timeZone, asOf, minutes, days } = data;
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
      <Numbers campaign={data} />
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
      {data.accepted > 0 && (
        <OutcomesSection
          counts={data}
          search={searchOf(data)}
          of={`in 30 days${asOf ? `, as counted at ${formatTime(asOf, now)}` : ""}`}
        />
      )}
      {days.length > 1 && (
        <DaysSection
          title="By day"
          delivered={data.delivered}
          days={fillDays(days, { from: days[0]?.day ?? "", to: days.at(-1)?.day ?? "" })}
        />
      )}
      <FromShell line={commandOf("campaign", [websiteId, sendPurpose])} />
    </Page>
  );
}

interface CancelProps {
  campaign: Campaign;
  holdAll: () => Promise<void>;
  reload: () => void;
}

/** Texts that are going out are held before they are cancelled: only then their count stands still. */
function Cancel({ campaign, holdAll, reload }: CancelProps): JSX.Element | null {
  const { websiteId, websiteName, sendPurpose, holds } = campaign;
  const isHeld = holds.some(({ clientId }) => clientId === null);
  if (pendingOf(campaign) === 0) return null;
  return (
    <Asking
      kind="edge"
      of={sendPurpose}
      isOff={!isHeld && readyOf(campaign) !== 0}
      dialog={(onClose) => (
        <CountedCancel
          meant={[{ websiteId, name: sendPurpose, sendPurpose, clientId: null }]}
          {...{ isHeld, onClose }}
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

const searchOf = ({ websiteId, sendPurpose }: Campaign) => `website:${websiteId} purpose:"${sendPurpose}"`;

function Numbers({ campaign }: { campaign: Campaign }): JSX.Element {
  const { sent, optedOut, clicked } = campaign;
  const accepted = { label: "Accepted", judgment: `${formatCount(sent)} are gone` };
  return (
    <Tiles
      tiles={[
        ...outcomeTiles(campaign, accepted, searchOf(campaign)),
        { label: "Clicked", value: formatCount(clicked), judgment: formatShare(clicked, sent) },
        { label: "Opted out", value: formatCount(optedOut), judgment: formatShare(optedOut, sent) },
      ]}
    />
  );
}
