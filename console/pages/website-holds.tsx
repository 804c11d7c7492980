import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { HoldList, ListedHold } from "../answers.ts";
import { type NameOf, scopeWords } from "../lib/holds.ts";
import { formatCount } from "../lib/numbers.ts";
import { pathOf } from "../lib/router.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton } from "../parts/button.tsx";
import { Section, Table } from "../parts/section.tsx";
import { ReleaseDialog } from "./hold-acts.tsx";
import { HeldWords } from "./waiting-table.tsx";

interface Props {
  websiteId: string;
  name: string;
  nameOf: NameOf;
  /** Only these of the website. */
  only?: string[];
  reload: () => void;
}

/** The holds of a website, those without texts, too: the next campaign would wait for them without a word. */
export function Holds({ websiteId, name, nameOf, only, reload }: Props): JSX.Element | null {
  const listed = useAnswer<HoldList>(pathOf("/operator/holds", { website: websiteId }), 30, false);
  const [asked, setAsked] = useState<ListedHold | null>(null);
  const all = listed.data?.holds ?? [];
  const holds = only ? all.filter(({ holdId }) => only.includes(holdId)) : all;
  const reloadAll = () => {
    listed.reload();
    reload();
  };
  if (holds.length === 0) return null;
  return (
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
          ["What is held", (hold) => scopeWords(hold, name, nameOf), "head"],
          [
            "Texts",
            ({ texts, atLeast }) => (texts === 0 ? "none" : `${atLeast ? "at least " : ""}${formatCount(texts)}`),
            "number right",
          ],
          ["Who and why", (hold) => <HeldWords hold={hold} />, "wide"],
          [
            "What can be done",
            (hold) => (
              <div class="row-acts">
                <ActButton isSmall of={scopeWords(hold, name, nameOf)} onPress={() => setAsked(hold)}>
                  Release…
                </ActButton>
              </div>
            ),
            "wide acts",
          ],
        ]}
      />
      {asked && (
        <ReleaseDialog
          {...{ asked: [asked], holds: all, websiteOf: () => name, nameOf, reload: reloadAll }}
          onClose={() => setAsked(null)}
        />
      )}
    </Section>
  );
}
