import type { JSX } from "preact";
import type { Person, PersonAtWebsite } from "../answers.ts";
import { saveFile } from "../lib/ask.ts";
import { countOf } from "../lib/numbers.ts";
import { formatPhone } from "../lib/phones.ts";
import { formatSpan, formatUtc } from "../lib/times.ts";
import { Button } from "../parts/button.tsx";
import { Fact } from "../parts/fact.tsx";
import { Time } from "../parts/time.tsx";
import { nameOfSite } from "./person-steps.tsx";

const SENT = ["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"];

/** So many texts a person's answer has: there may be older ones. */
const MOST = 100;

/** That a person opted out, when that was in force, and that nothing was sent since: made to be printed. */
export function OptOutProof({ site, person }: { site: PersonAtWebsite; person: Person }): JSX.Element | null {
  const change = site.changes
    .filter((it) => !it.to && (it.source === "keyword" || it.source === "carrier"))
    .sort((one, other) => other.at.localeCompare(one.at))[0];
  if (!change) return null;
  const text = site.texts.find(
    (it) => it.keyword === "stop" && Math.abs(Date.parse(it.receivedAt) - Date.parse(change.at)) < 60_000,
  );
  const after = person.messages.filter((it) => it.websiteId === site.websiteId && it.acceptedAt > change.at);
  const sent = after.filter(({ status }) => SENT.includes(status));
  const stopped = after.length - sent.length;
  const received = text?.receivedAt ?? change.at;
  const proof = {
    ...(person.messages.length === MOST && { ofLatest: MOST }),
    website: site.websiteId,
    wrote: text?.text ?? change.proof,
    to: text?.to ?? null,
    receivedAt: received,
    inForceAt: change.at,
    confirmedAt: site.optOutConfirmedAt,
    sentSince: sent.length,
    stoppedSince: stopped,
    ledger: change.changeId,
  };
  return (
    <section class="card proof">
      <h2>Proof of the opt-out</h2>
      <p class="small dim">{nameOfSite(site)}, for a lawyer or an authority.</p>
      <dl class="facts">
        <Fact name="They wrote">“{text?.text ?? change.proof}”</Fact>
        {text && <Fact name="To">{formatPhone(text.to)}</Fact>}
        <Fact name="Received">
          <Time at={received} />
          <span class="second">{formatUtc(received)}</span>
        </Fact>
        <Fact name="In force">{formatSpan(Math.max(0, Date.parse(change.at) - Date.parse(received)))} later</Fact>
        <Fact name="Confirmed">
          {site.optOutConfirmedAt ? (
            <>
              once, <Time at={site.optOutConfirmedAt} />
            </>
          ) : (
            "not yet"
          )}
        </Fact>
        <Fact name="Sent since">
          <strong class={sent.length > 0 ? "bad" : ""}>{countOf(sent.length, "text")}</strong>
          {person.messages.length === MOST && ` of the latest ${MOST}`}
          {stopped > 0 && `, ${stopped} ${stopped === 1 ? "was" : "were"} stopped`}
        </Fact>
        <Fact name="Ledger">
          <code>#{change.changeId}</code>
        </Fact>
      </dl>
      <div class="card-acts">
        <Button isSmall onPress={() => print()}>
          Print
        </Button>
        <Button
          isSmall
          onPress={() =>
            saveFile(new Blob([JSON.stringify(proof, null, 2)], { type: "application/json" }), "opt-out.json")
          }
        >
          Download as JSON
        </Button>
      </div>
    </section>
  );
}
