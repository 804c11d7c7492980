import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask } from "../lib/ask.ts";
import { attempt } from "../lib/attempt.ts";
import { commandFor } from "../lib/holds.ts";
import { countOf } from "../lib/numbers.ts";
import { Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { tellDone } from "../parts/toast.tsx";
import type { Meant } from "./hold-acts.tsx";

interface Props {
  meant: Meant;
  website: string;
  /** null: of any. */
  client: string | null;
  count: number;
  isHeld: boolean;
  /** Where they are not held: the milder way. */
  onHold: () => void;
  /** Once all that a hold held are cancelled: it goes on with those that come later. */
  onCancelled: () => void;
  onClose: () => void;
}

/** Cannot be undone, and of many the name is typed. */
export function CancelDialog({ meant, website, client, count, isHeld, ...props }: Props): JSX.Element {
  const { websiteId, name, sendPurpose, clientId } = meant;
  const { onHold, onCancelled, onClose } = props;
  const scope = { sendPurpose, clientId };
  return (
    <Confirm
      count={count}
      title={(now) => `Cancel ${countOf(now, "text")} of ${name}?`}
      lines={(now) => [
        {
          icon: "cancelled",
          text: (
            <>
              {website}
              {client && `, client ${client}`}. All end as <strong>not sent, cancelled</strong>. This cannot be undone.
            </>
          ),
        },
        {
          icon: "callback",
          text: (
            <>
              {client ?? "Their client"} gets <strong>{countOf(now, "callback")}</strong>.
            </>
          ),
        },
        {
          icon: "waiting",
          text: isHeld ? (
            `New texts of ${name} are accepted, and held.`
          ) : (
            <>
              New texts of {name} are still accepted. To stop those too, <strong>hold</strong> it instead.
            </>
          ),
        },
      ]}
      {...(count > 1 && { typed: { word: name, label: `Type ${name} to cancel them` } })}
      act={(now) => `Cancel ${countOf(now, "text")}`}
      isDanger
      out="Keep them waiting"
      milder={isHeld ? undefined : { label: "Hold instead", onPress: onHold }}
      run={async (expected) => {
        const { cancelled } = await cancel(websiteId, { ...scope, expected });
        tellDone(`${countOf(cancelled, "text")} of ${name} ${cancelled === 1 ? "is" : "are"} cancelled.`);
        onCancelled();
      }}
      onClose={onClose}
    >
      <FromShell line={commandFor("cancel", websiteId, scope)} />
    </Confirm>
  );
}

const cancel = (websiteId: string, body: object) =>
  ask<{ cancelled: number }>(`/operator/websites/${websiteId}/cancel`, { method: "POST", body });

/** Where the page has no exact count: the service counts first. */
export function CountedCancel(props: Omit<Props, "count">): JSX.Element | null {
  const { websiteId, sendPurpose, clientId } = props.meant;
  const [count, setCount] = useState<number | null>(null);
  const { onClose } = props;
  useEffect(() => {
    const look = async () => {
      const isCounted = await attempt(async () => {
        setCount((await cancel(websiteId, { sendPurpose, clientId, dryRun: true })).cancelled);
      }, "They cannot be counted");
      if (!isCounted) onClose();
    };
    void look();
  }, [websiteId, sendPurpose, clientId]);
  return count === null ? null : <CancelDialog {...props} count={count} />;
}
