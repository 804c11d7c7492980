import type { JSX } from "preact";
import type { WaitingGroup, WaitingRow } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { scopeOptions } from "../lib/holds.ts";
import { countOf } from "../lib/numbers.ts";
import { Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { tellDone } from "../parts/toast.tsx";

interface Props {
  group: WaitingGroup;
  row: WaitingRow;
  /** Where they are not held: the milder way. */
  onHold: () => void;
  /** Once all that a hold held are cancelled: it goes on with those that come later. */
  onCancelled: () => void;
  onClose: () => void;
}

/** Cannot be undone, and of many the name is typed. */
export function CancelDialog({ group, row, onHold, onCancelled, onClose }: Props): JSX.Element {
  const { sendPurpose: name, clientId, clientName } = row;
  const client = clientName ?? clientId.slice(0, 8);
  const scope = { sendPurpose: name, clientId };
  return (
    <Confirm
      count={row.count}
      title={(now) => `Cancel ${countOf(now, "text")} of ${name}?`}
      lines={(now) => [
        {
          icon: "cancelled",
          text: (
            <>
              {group.name}, client {client}. All end as <strong>not sent, cancelled</strong>. This cannot be undone.
            </>
          ),
        },
        {
          icon: "callback",
          text: (
            <>
              {clientName ?? "The client"} gets <strong>{countOf(now, "callback")}</strong>.
            </>
          ),
        },
        {
          icon: "waiting",
          text:
            row.why === "held" ? (
              `New texts of ${name} are accepted, and held.`
            ) : (
              <>
                New texts of {name} are still accepted. To stop those too, <strong>hold</strong> it instead.
              </>
            ),
        },
      ]}
      {...(row.count > 1 && { typed: { word: name, label: `Type ${name} to cancel them` } })}
      act={(now) => `Cancel ${countOf(now, "text")}`}
      isDanger
      out="Keep them waiting"
      milder={row.why === "held" ? undefined : { label: "Hold instead", onPress: onHold }}
      run={async (expected) => {
        const path = `/operator/websites/${group.websiteId}/cancel`;
        const { cancelled } = await ask<{ cancelled: number }>(path, { method: "POST", body: { ...scope, expected } });
        tellDone(`${countOf(cancelled, "text")} of ${name} ${cancelled === 1 ? "is" : "are"} cancelled.`);
        onCancelled();
      }}
      onClose={onClose}
    >
      <FromShell line={`cancel ${group.websiteId}${scopeOptions(scope)}`} />
    </Confirm>
  );
}
