import type { JSX } from "preact";
import type { ImportList, UndoneImport } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { countOf, formatCount } from "../lib/numbers.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { Asking, Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { Section, Table, Two } from "../parts/section.tsx";
import { Time } from "../parts/time.tsx";
import { tellDone } from "../parts/toast.tsx";

/** The last imports, each with its undo. */
export function ImportHistory(): JSX.Element | null {
  const { data, reload } = useAnswer<ImportList>("/operator/imports", undefined, false);
  if (!data) return null;
  if (data.imports.length === 0) return <FromShell line="imports" />;
  return (
    <Section title="The last imports">
      <Table
        label="The last imports"
        rows={data.imports}
        keyOf={({ importId }) => importId}
        columns={[
          [
            "File",
            (it) => <Two first={it.file ?? "without a name"} second={`${it.websiteName}, by ${it.operator}`} />,
            "head",
          ],
          ["When", ({ at }) => <Time at={at} />, "right"],
          ["Subscribed", (it) => formatCount(subscribedBy(it)), "number named"],
          ["Opted out", (it) => formatCount(optedOutBy(it)), "number named"],
          ["Stayed opted out", (it) => formatCount(it.keptUnsubscribed), "number named right"],
          ["Not imported", (it) => formatCount(it.refused), "number named"],
          [
            "Undo",
            ({ importId, file, undoneAt, ...it }) =>
              undoneAt ? (
                <span class="dim">
                  undone <Time at={undoneAt} />
                </span>
              ) : (
                <UndoImport importId={importId} file={file ?? "this import"} count={changedBy(it)} onUndone={reload} />
              ),
            "number right acts",
          ],
        ]}
      />
      <FromShell line="imports" />
    </Section>
  );
}

type Listed = Pick<
  ImportList["imports"][number],
  "newSubscribed" | "becameSubscribed" | "newOptedOut" | "becameOptedOut"
>;

/** null: it has stored nothing yet. */
export const subscribedBy = ({ newSubscribed, becameSubscribed }: Listed): number | null =>
  newSubscribed === null ? null : newSubscribed + (becameSubscribed ?? 0);

export const optedOutBy = ({ newOptedOut, becameOptedOut }: Listed): number | null =>
  newOptedOut === null ? null : newOptedOut + (becameOptedOut ?? 0);

export const changedBy = (it: Listed): number => (subscribedBy(it) ?? 0) + (optedOutBy(it) ?? 0);

interface UndoProps {
  importId: string;
  file: string;
  count: number;
  onUndone: () => void;
}

export function UndoImport({ importId, file, count, onUndone }: UndoProps): JSX.Element {
  const undo = async () => {
    const call = `/operator/imports/${importId}/undo`;
    const { restored, changedSince, isComplete } = await ask<UndoneImport>(call, { method: "POST" });
    const stay = changedSince > 0 ? ` ${formatCount(changedSince)} changed since, and stay.` : "";
    tellDone(
      `${countOf(restored, "person is", "people are")} as before.${stay}${isComplete ? "" : " Undo it again: it is not complete."}`,
    );
    onUndone();
  };
  return (
    <Asking
      isSmall
      of={file}
      dialog={(close) => (
        <Confirm
          title={() => `Undo ${file}?`}
          lines={[
            {
              icon: "none",
              text: `${countOf(count, "person is", "people are")} as before it.`,
            },
            { icon: "shield", text: "Whoever has changed since, such as by STOP, stays as they are." },
          ]}
          act={() => "Undo the import"}
          out="Keep it"
          run={undo}
          onClose={close}
        />
      )}
    >
      Undo…
    </Asking>
  );
}
