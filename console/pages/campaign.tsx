import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Campaign } from "../answers.ts";
import { websitePath } from "../lib/addresses.ts";
import { leadOf, readyOf, titleOf } from "../lib/campaign-words.ts";
import { formatCount, formatShare, sumOf } from "../lib/numbers.ts";
import { pendingOf } from "../lib/outcomes.ts";
import { fillDays } from "../lib/ranges.ts";
import { commandOf } from "../lib/shell-command.ts";
import { cityOf, formatClockIn, formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton } from "../parts/button.tsx";
import { DaysSection } from "../parts/days-section.tsx";
import { FromShell } from "../parts/empty.tsx";
import { outcomeTiles } from "../parts/outcome-tiles.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { SmallSection } from "../parts/small-chart.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { useNow } from "../parts/time.tsx";
import { hold } from "./hold-acts.tsx";
import { OutcomesSection } from "./outcomes.tsx";
import { CountedCancel } from "./waiting-dialogs.tsx";
import { Holds } from "./website-holds.tsx";

const SECONDS = 15;

/** A purpose of a website: while its texts go, how far it is and what stops it; afterwards, what came of it. */
export function CampaignPage({ websiteId, sendPurpose }: { websiteId: string; sendPurpose: string }): JSX.Element {
  const path = `${websitePath(websiteId)}/campaigns/${encodeURIComponent(sendPurpose)}`;
  const { data, failure, reload } = useAnswer<Campaign>(path, SECONDS);
  const now = useNow(SECONDS);
  if (!data) return <NoAnswer failure={failure} title={sendPurpose} onRetry={reload} />;
  const { websiteName, timeZone, asOf, minutes, days, holds } = data;
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
      acts={<Levers campaign={data} reload={reload} />}
    >
      {holds.length > 0 && (
        <Holds
          {...{ websiteId, reload }}
          name={websiteName}
          nameOf={(id) => id.slice(0, 8)}
          only={holds.map(({ holdId }) => holdId)}
        />
      )}
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

interface LeversProps {
  campaign: Campaign;
  reload: () => void;
}

/** What goes is held, at once; what stands still is cancelled, after a question. A hold is released where it is listed. No button moves under the pointer. */
function Levers({ campaign, reload }: LeversProps): JSX.Element | null {
  const [isHolding, setHolding] = useState(false);
  const [isCancelling, setCancelling] = useState(false);
  const { websiteId, websiteName, sendPurpose, holds } = campaign;
  const meant = { websiteId, name: sendPurpose, sendPurpose, clientId: null };
  const isHeld = holds.some(({ clientId }) => clientId === null);
  const holdAll = async () => {
    setHolding(true);
    await hold([meant], reload);
    setHolding(false);
  };
  if (pendingOf(campaign) === 0) return null;
  return (
    <>
      <ActButton kind="dark" of={sendPurpose} isOff={isHolding || isHeld} onPress={() => void holdAll()}>
        Hold
      </ActButton>
      <ActButton
        kind="edge"
        of={sendPurpose}
        isOff={!isHeld && readyOf(campaign) !== 0}
        onPress={() => setCancelling(true)}
      >
        Cancel…
      </ActButton>
      {isCancelling && (
        <CountedCancel
          meant={[meant]}
          isHeld={isHeld}
          website={websiteName}
          client={null}
          onHold={() => {
            setCancelling(false);
            void holdAll();
          }}
          onCancelled={reload}
          onClose={() => setCancelling(false)}
        />
      )}
    </>
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
