import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Person, PersonAtWebsite } from "../answers.ts";
import { saveFile } from "../lib/ask.ts";
import { countOf } from "../lib/numbers.ts";
import { type OptOutProof as Proof, proofOf } from "../lib/opt-out-proof.ts";
import { formatPhone, maskPhone } from "../lib/phones.ts";
import { signedIn } from "../lib/session.ts";
import { formatShortSpan, formatSpan, formatUtc } from "../lib/times.ts";
import { type Act, useAct } from "../lib/use-act.ts";
import { ActButton, FailureLine } from "../parts/button.tsx";
import { Fact } from "../parts/fact.tsx";
import { revealPhone } from "../parts/masked.tsx";
import { Time } from "../parts/time.tsx";
import { nameOfSite } from "./person-steps.tsx";

/** Whose proof it is, and who made it: revealed for the paper and the file, with an entry in the audit log. */
interface Made {
  number: string;
  madeBy: string;
  madeAt: string;
}

/** That a person opted out, when that was in force, and that nothing was sent since: made to be printed. */
export function OptOutProof({ site, person }: { site: PersonAtWebsite; person: Person }): JSX.Element | null {
  const making = useAct();
  const [made, setMade] = useState<Made | null>(null);
  const [isPrinting, setPrinting] = useState(false);
  // Once the number is drawn.
  useEffect(() => {
    if (!isPrinting) return;
    setPrinting(false);
    print();
  }, [isPrinting]);
  const proof = proofOf(site, person);
  if (!proof) return null;
  const make = (then: (made: Made) => void) =>
    void making.run(async () => {
      const now = made ?? (await reveal(person));
      setMade(now);
      then(now);
    });
  const download = (own: Made) =>
    saveFile(new Blob([JSON.stringify({ ...own, ...proof }, null, 2)], { type: "application/json" }), "opt-out.json");
  return (
    <section class="card proof">
      <h2>Proof of the opt-out</h2>
      <p class="small dim">{nameOfSite(site)}, for a lawyer or an authority.</p>
      <dl class="facts">
        <Fact name="Number">{formatPhone(made?.number ?? maskPhone(person.phone))}</Fact>
        <Facts proof={proof} />
        {made && (
          <Fact name="Made by">
            {made.madeBy}
            <span class="second">{formatUtc(made.madeAt)}</span>
          </Fact>
        )}
      </dl>
      <Buttons making={making} onPrint={() => make(() => setPrinting(true))} onDownload={() => make(download)} />
    </section>
  );
}

async function reveal({ personId, phone }: Person): Promise<Made> {
  const number = personId ? await revealPhone(personId) : phone;
  return { number, madeBy: signedIn().session.operator, madeAt: new Date().toISOString() };
}

function Facts({ proof }: { proof: Proof }): JSX.Element {
  const { wrote, told, to, textId, receivedAt, inForceAt, confirmedAt, sentSince, stoppedSince, ofLatest, ledger } =
    proof;
  const after = Math.max(0, Date.parse(inForceAt) - Date.parse(receivedAt));
  return (
    <>
      <Fact name={wrote === null ? "The carrier told" : "They wrote"}>
        “{wrote ?? told}”{textId && <Second>text {textId}</Second>}
      </Fact>
      {to && <Fact name="To">{formatPhone(to)}</Fact>}
      <Fact name="Received">
        <Time at={receivedAt} />
        <Second>{formatUtc(receivedAt)}</Second>
      </Fact>
      <Fact name="In force">
        {after < 1000 ? `${after > 0 ? formatShortSpan(after) : "at once"}` : `${formatSpan(after)} later`}
      </Fact>
      <Fact name="Confirmed">
        {confirmedAt ? (
          <>
            once, <Time at={confirmedAt} />
          </>
        ) : (
          "not yet"
        )}
      </Fact>
      <Fact name="Sent since">
        <strong class={sentSince > 0 ? "bad" : ""}>{countOf(sentSince, "text")}</strong>
        {ofLatest && ` of the latest ${ofLatest}`}
        {stoppedSince > 0 && `, ${stoppedSince} ${stoppedSince === 1 ? "was" : "were"} stopped`}
      </Fact>
      <Fact name="Ledger">
        <code>#{ledger}</code>
      </Fact>
    </>
  );
}

const Second = ({ children }: { children: ComponentChildren }) => <span class="second">{children}</span>;

interface ButtonsProps {
  making: Act;
  onPrint: () => void;
  onDownload: () => void;
}

const Buttons = ({ making, onPrint, onDownload }: ButtonsProps) => (
  <>
    <div class="card-acts">
      <ActButton isSmall isOff={making.isBusy} onPress={onPrint}>
        Print
      </ActButton>
      <ActButton isSmall isOff={making.isBusy} onPress={onDownload}>
        Download as JSON
      </ActButton>
    </div>
    <FailureLine failure={making.failure} />
  </>
);
