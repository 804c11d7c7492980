import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ImportList, UndoneImport } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { countOf, formatCount } from "../lib/numbers.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton } from "../parts/button.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { Head, Rows, Section } from "../parts/section.tsx";
import { Time } from "../parts/time.tsx";
import { tellDone } from "../parts/toast.tsx";

/** The last imports, each with its undo. */
export function ImportHistory(): JSX.Element | null {
  const { data, reload } = useAnswer<ImportList>("/operator/imports", undefined, false);
  if (!data) return null;
  if (data.imports.length === 0)
    return <FromShell line="npm run operator -- import-subscribers harbor-coffee people.csv" />;
  return (
    <Section title="The last imports">
      <Rows class="phone" label="The last imports">
        <Head
          columns={["File", "When", "New", "Stayed opted out", "Refused", "Undo"]}
          numbers={["New", "Stayed opted out", "Refused"]}
          unseen="Undo"
        />
        <tbody>
          {data.imports.map((it) => (
            <tr key={it.importId}>
              <th scope="row">
                {it.file ?? "without a name"}
                <span class="second">
                  {it.websiteName}, by {it.operator}
                </span>
              </th>
              <td class="right">
                <Time at={it.at} />
              </td>
              <td class="number" data-label="New">
                {formatCount(it.new)}
              </td>
              <td class="number right" data-label="Stayed opted out">
                {formatCount(it.keptUnsubscribed)}
              </td>
              <td class="number" data-label="Refused">
                {formatCount(it.refused)}
              </td>
              <td class="number right">
                {it.undoneAt ? (
                  <span class="dim">
                    undone <Time at={it.undoneAt} />
                  </span>
                ) : (
                  <UndoImport
                    importId={it.importId}
                    file={it.file ?? "this import"}
                    count={it.new ?? 0}
                    onUndone={reload}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Rows>
    </Section>
  );
}

export function UndoImport({
  importId,
  file,
  count,
  onUndone,
}: {
  importId: string;
  file: string;
  count: number;
  onUndone: () => void;
}): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <ActButton isSmall of={file} onPress={() => setAsking(true)}>
        Undo…
      </ActButton>
      {isAsking && (
        <Confirm
          title={() => `Undo ${file}?`}
          lines={[
            {
              icon: "none",
              text: `${countOf(count, "person is", "people are")} as before it: whoever was not subscribed then is not now.`,
            },
            { icon: "shield", text: "Whoever has changed since, such as by STOP, stays as they are." },
          ]}
          act={() => "Undo the import"}
          out="Keep it"
          run={async () => {
            const undone = await ask<UndoneImport>(`/operator/imports/${importId}/undo`, { method: "POST" });
            tellDone(
              `${countOf(undone.restored, "person is", "people are")} as before.${undone.changedSince > 0 ? ` ${formatCount(undone.changedSince)} changed since, and stay.` : ""}${undone.isComplete ? "" : " Undo it again: it is not complete."}`,
            );
            onUndone();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
