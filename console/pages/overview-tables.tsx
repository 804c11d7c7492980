import type { JSX } from "preact";
import type { CarrierNow, WebsiteNow } from "../answers.ts";
import { formatCount, formatShare } from "../lib/numbers.ts";
import { notSentWords, reportedOf } from "../lib/outcomes.ts";
import type { Look } from "../lib/status-words.ts";
import { Section, Table, Two } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { OutcomeBar } from "../parts/strip.tsx";

export const QUIET: Look = { word: "Quiet", shape: "none", tone: "plain" };

/** Most of a few are enough: texts that the carrier did not take are not delivered either. */
export function isArriving({ delivered, undelivered, notTaken }: WebsiteNow): boolean {
  const failed = undelivered + notTaken;
  return failed <= delivered || failed <= 3;
}

export function lookOfWebsite(website: WebsiteNow): Look {
  const { overdue, accepted, failingEndpoints } = website;
  if (overdue) return { word: `${formatCount(overdue)} wait`, shape: "waiting", tone: "wait" };
  if (!isArriving(website)) return { word: "Not arriving", shape: "failed", tone: "bad" };
  if (failingEndpoints > 0) return { word: "Endpoint fails", shape: "problem", tone: "bad" };
  return accepted === 0 ? QUIET : { word: "Arriving", shape: "delivered", tone: "ok" };
}

/** Those that need somebody first. @param isCut there are more */
export function WebsitesNow({ websites, isCut }: { websites: WebsiteNow[]; isCut: boolean }): JSX.Element {
  const sorted = [...websites].sort(
    (one, other) => (other.overdue ?? 0) - (one.overdue ?? 0) || other.accepted - one.accepted,
  );
  return (
    <Section title="Websites" of="last hour">
      <Table
        class="now"
        label="Websites in the last hour"
        rows={sorted}
        keyOf={({ websiteId }) => websiteId}
        columns={[
          [
            "Website",
            (it) => (
              <>
                <a class="row-link" href={`#/websites/${it.websiteId}`}>
                  {it.name}
                </a>
                <OutcomeBar {...it} />
              </>
            ),
          ],
          ["Accepted", (it) => formatCount(it.accepted), "number named right"],
          [
            "Arrived",
            (it) => <Two first={formatShare(it.delivered, reportedOf(it))} second={notSentWords(it)} />,
            "number named",
          ],
          ["Now", (it) => <Status look={lookOfWebsite(it)} />, "right"],
        ]}
      />
      {isCut && (
        <p class="small">
          <a href="#/websites">All websites</a>
        </p>
      )}
    </Section>
  );
}

const CARRIER_LOOKS: Record<CarrierNow["state"], Look> = {
  accepting: { word: "Accepting", shape: "delivered", tone: "ok" },
  refusing: { word: "Refusing", shape: "failed", tone: "bad" },
  paused: { word: "No answer", shape: "waiting", tone: "wait" },
  failing: { word: "Failing", shape: "problem", tone: "bad" },
  "not-set-up": { word: "Not set up", shape: "problem", tone: "wait" },
  idle: QUIET,
};

export function Carriers({ carriers }: { carriers: CarrierNow[] }): JSX.Element {
  return (
    <Section title="Carriers" of="last hour">
      <Table
        class="now"
        label="Carriers in the last hour"
        rows={carriers}
        keyOf={({ carrier }) => carrier}
        columns={[
          [
            "Carrier",
            (it) => (
              <>
                {it.carrier}
                <OutcomeBar {...it} />
              </>
            ),
            "head",
          ],
          ["Sent", (it) => formatCount(it.sent), "number named right"],
          ["Arrived", (it) => formatShare(it.delivered, reportedOf(it)), "number named"],
          ["Now", (it) => <Status look={CARRIER_LOOKS[it.state]} />, "right"],
        ]}
      />
    </Section>
  );
}
