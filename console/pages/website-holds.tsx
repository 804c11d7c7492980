import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { HoldList, ListedHold } from "../answers.ts";
import { type NameOf, overlaps, scopeWords } from "../lib/holds.ts";
import { formatCount } from "../lib/numbers.ts";
import { pathOf } from "../lib/router.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton } from "../parts/button.tsx";
import { Section, Table } from "../parts/section.tsx";
import { hold, ReleaseDialog } from "./hold-acts.tsx";
import { HeldWords } from "./waiting-table.tsx";

interface Asked {
  websiteId: string;
  name: string;
  /** null: all of the website. */
  sendPurpose: string | null;
  nameOf: NameOf;
  reload: () => void;
}

interface Holding {
  holdAll: () => Promise<void>;
  /** For the head of the page: holds all of it, or ends the hold of all of it. */
  lever: JSX.Element;
  /** Those without texts, too: the next campaign would wait for them without a word. */
  list: JSX.Element | null;
}

/** The holds of a website, or of one of its campaigns. */
export function useHolds({ websiteId, name, sendPurpose, nameOf, reload }: Asked): Holding {
  const listed = useAnswer<HoldList>(pathOf("/operator/holds", { website: websiteId }), 30, false);
  const [asked, setAsked] = useState<ListedHold | null>(null);
  const [isHolding, setHolding] = useState(false);
  const whole = { sendPurpose, clientId: null };
  const all = listed.data?.holds ?? [];
  const own = all.find((it) => it.sendPurpose === sendPurpose && it.clientId === null);
  const wordsOf = (it: ListedHold) => scopeWords(it, name, nameOf);
  const reloadAll = () => {
    listed.reload();
    reload();
  };
  const holdAll = async () => {
    setHolding(true);
    await hold([{ websiteId, name: sendPurpose ?? name, ...whole }], reloadAll);
    setHolding(false);
  };
  const release = (it: ListedHold, isSmall: boolean) => (
    <ActButton isSmall={isSmall} of={wordsOf(it)} onPress={() => setAsked(it)}>
      Release…
    </ActButton>
  );
  const lever = (
    <>
      {own ? (
        release(own, false)
      ) : (
        <ActButton of={sendPurpose ?? name} isOff={isHolding} onPress={() => void holdAll()}>
          {sendPurpose === null ? "Hold all" : "Hold"}
        </ActButton>
      )}
      {asked && (
        <ReleaseDialog
          {...{ asked: [asked], holds: all, websiteOf: () => name, nameOf, reload: reloadAll }}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
  const holds = all.filter((it) => overlaps(it, whole));
  const list = holds.length > 0 && (
    <Section
      title="Holds"
      of="until somebody releases them"
      act={<a href={`#/waiting?website=${websiteId}`}>Waiting</a>}
    >
      <Table
        label="Holds"
        rows={holds}
        keyOf={({ holdId }) => holdId}
        columns={[
          ["What is held", wordsOf, "head"],
          [
            "Texts",
            ({ texts, atLeast }) => (texts === 0 ? "none" : `${atLeast ? "at least " : ""}${formatCount(texts)}`),
            "number right",
          ],
          ["Who and why", (it) => <HeldWords hold={it} />, "wide"],
          ["What can be done", (it) => it !== own && <div class="row-acts">{release(it, true)}</div>, "wide acts"],
        ]}
      />
    </Section>
  );
  return { holdAll, lever, list: list || null };
}
