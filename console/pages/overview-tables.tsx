import type { JSX } from "preact";
import type { CarrierNow, WebsiteNow } from "../answers.ts";
import { countOf, formatCount, formatShare } from "../lib/numbers.ts";
import type { Look } from "../lib/status-words.ts";
import { Rows, Section } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { OutcomeBar } from "../parts/strip.tsx";

const SHOWN = 8;

function lookOfWebsite({ waiting, accepted, delivered, undelivered }: WebsiteNow): Look {
  if (waiting > 0) return { word: `${formatCount(waiting)} wait`, shape: "waiting", tone: "wait" };
  if (undelivered > delivered && undelivered > 3) return { word: "Not arriving", shape: "failed", tone: "bad" };
  return accepted === 0
    ? { word: "Quiet", shape: "none", tone: "plain" }
    : { word: "Arriving", shape: "delivered", tone: "ok" };
}

/** Those that need somebody first; more than eight are folded into a link. */
export function WebsitesNow({ websites }: { websites: WebsiteNow[] }): JSX.Element {
  const sorted = [...websites].sort((one, other) => other.waiting - one.waiting || other.accepted - one.accepted);
  return (
    <Section title="Websites" of="last hour">
      <Rows class="phone now" label="Websites in the last hour">
        <NowHead first="Website" second="Accepted" />
        <tbody>
          {sorted.slice(0, SHOWN).map((it) => (
            <tr key={it.websiteId}>
              <td>
                <a class="row-link" href={`#/websites/${it.websiteId}`}>
                  {it.name}
                </a>
                <OutcomeBar {...it} />
              </td>
              <td class="number" data-label="Accepted">
                {formatCount(it.accepted)}
              </td>
              <td class="number right" data-label="Delivered">
                {formatShare(it.delivered, it.accepted)}
              </td>
              <td class="now-status">
                <Status look={lookOfWebsite(it)} />
              </td>
            </tr>
          ))}
        </tbody>
      </Rows>
      {sorted.length > SHOWN && (
        <p class="small">
          <a href="#/websites">{countOf(sorted.length - SHOWN, "more website")}</a>
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
  idle: { word: "Quiet", shape: "none", tone: "plain" },
};

export function Carriers({ carriers }: { carriers: CarrierNow[] }): JSX.Element {
  return (
    <Section title="Carriers" of="last hour">
      <Rows class="phone now" label="Carriers in the last hour">
        <NowHead first="Carrier" second="Submitted" />
        <tbody>
          {carriers.map((it) => (
            <tr key={it.carrier}>
              <th scope="row">
                {it.carrier}
                <OutcomeBar {...it} />
              </th>
              <td class="number" data-label="Submitted">
                {formatCount(it.submitted)}
              </td>
              <td class="number right" data-label="Delivered">
                {formatShare(it.delivered, it.submitted)}
              </td>
              <td class="now-status">
                <Status look={CARRIER_LOOKS[it.state]} />
              </td>
            </tr>
          ))}
        </tbody>
      </Rows>
    </Section>
  );
}

function NowHead({ first, second }: { first: string; second: string }): JSX.Element {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        <th scope="col" class="number">
          {second}
        </th>
        <th scope="col" class="number">
          Delivered
        </th>
        <th scope="col">Now</th>
      </tr>
    </thead>
  );
}
