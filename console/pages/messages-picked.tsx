import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FoundMessage } from "../answers.ts";
import { ask, Failure } from "../lib/ask.ts";
import { countOf } from "../lib/numbers.ts";
import { Asking, Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { type Picked, PickedBar } from "../parts/picking.tsx";
import { tellDone } from "../parts/toast.tsx";

interface Props {
  picked: Picked<FoundMessage>;
  onDone: () => void;
}

/** One text that waits can be cancelled: so can several. */
export function PickedTexts({ picked, onDone }: Props): JSX.Element {
  const ids = picked.rows.map(({ messageId }) => messageId);
  return (
    <PickedBar picked={picked} words={countOf(ids.length, "text")}>
      <Asking kind="edge" dialog={(onClose) => <CancelTexts {...{ ids, onDone, onClose }} />}>
        Cancel these…
      </Asking>
    </PickedBar>
  );
}

/** Each by a call of its own: one that has gone meanwhile is left alone. */
export function CancelTexts({ ids, onDone, onClose }: { ids: string[]; onDone: () => void; onClose: () => void }) {
  const [done] = useState({ ids: new Set<string>(), cancelled: 0 });
  const count = ids.length;
  const what = count === 1 ? "this text" : countOf(count, "text");
  const cancelAll = async () => {
    for (const id of ids) {
      if (done.ids.has(id)) continue;
      done.cancelled += await cancel(id);
      done.ids.add(id);
    }
    const { cancelled } = done;
    tellDone(
      count === 1 && cancelled === 1
        ? "The text is cancelled."
        : `${countOf(cancelled, "text")} of ${count} ${cancelled === 1 ? "is" : "are"} cancelled.`,
    );
    onDone();
  };
  return (
    <Confirm
      title={() => `Cancel ${what}?`}
      lines={[
        {
          icon: "cancelled",
          text: (
            <>
              What still waits ends as <strong>not sent, cancelled</strong>. This cannot be undone.
            </>
          ),
        },
        { icon: "callback", text: "The client gets a callback of each." },
      ]}
      {...(count > 1 && { typed: { word: "cancel", label: "Type cancel to cancel them" } })}
      act={() => `Cancel ${what}`}
      isDanger
      out={count === 1 ? "Keep it waiting" : "Keep them waiting"}
      run={cancelAll}
      onClose={onClose}
    >
      {count === 1 ? (
        <FromShell line={`cancel-message ${ids[0]}`} />
      ) : (
        <FromShell line="cancel-message $id" around={[`for id in ${ids.join(" ")}; do `, "; done"]} />
      )}
    </Confirm>
  );
}

/** @returns 0: it waits no more */
const cancel = (id: string) =>
  ask(`/operator/messages/${id}/cancel`, { method: "POST" }).then(
    () => 1,
    (error: unknown) => {
      if (error instanceof Failure && error.newCount !== null) return 0;
      throw error;
    },
  );
