import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { websitePath } from "../lib/addresses.ts";
import { ask, Failure } from "../lib/ask.ts";
import { attempt } from "../lib/attempt.ts";
import { commandFor } from "../lib/holds.ts";
import { countOf, listOf, sumOf } from "../lib/numbers.ts";
import { Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { tellDone } from "../parts/toast.tsx";
import type { Meant } from "./hold-acts.tsx";

interface Props {
  meant: Meant[];
  website: string;
  /** null: of any. */
  client: string | null;
  /** How many texts each that is meant has. */
  counts: number[];
  isHeld: boolean;
  /** Where they are not held: the milder way. */
  onHold: () => void;
  /** Once all that a hold held are cancelled: it goes on with those that come later. */
  onCancelled: () => void;
  onClose: () => void;
}

/** Cannot be undone, and of many the name is typed. */
export function CancelDialog({ meant, website, client, counts, isHeld, ...props }: Props): JSX.Element {
  const [left] = useState(() => meant.map((it, index) => ({ ...it, count: counts[index] ?? 0 })));
  const count = sumOf(left, "count");
  const name = listOf(meant.map((it) => it.name));
  const typed = meant.length > 1 ? "cancel" : name;
  const { onHold, onCancelled, onClose } = props;
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
      {...(count > 1 && { typed: { word: typed, label: `Type ${typed} to cancel them` } })}
      act={(now) => `Cancel ${countOf(now, "text")}`}
      isDanger
      out="Keep them waiting"
      milder={isHeld ? undefined : { label: "Hold instead", onPress: onHold }}
      run={async (all) => {
        await cancelEach(left);
        tellDone(`${countOf(all, "text")} of ${name} ${all === 1 ? "is" : "are"} cancelled.`);
        onCancelled();
      }}
      onClose={onClose}
    >
      {meant.map(({ websiteId, ...scope }) => (
        <FromShell key={JSON.stringify(scope)} line={commandFor("cancel", websiteId, scope)} />
      ))}
    </Confirm>
  );
}

type Counted = Meant & { count: number };

/** One after the other: those that are done are left out of a second try. @throws Failure with the count of now, where one has another */
async function cancelEach(left: Counted[]): Promise<void> {
  for (let next = left[0]; next; next = left[0]) {
    try {
      await cancel(next, { expected: next.count });
      left.shift();
    } catch (error) {
      if (!(error instanceof Failure) || error.newCount === null) throw error;
      next.count = error.newCount;
      throw new Failure(
        409,
        { code: 40903, message: "", details: [{ field: "", message: "", count: sumOf(left, "count") }] },
        null,
      );
    }
  }
}

const cancel = ({ websiteId, sendPurpose, clientId }: Meant, options: object) =>
  ask<{ cancelled: number }>(`${websitePath(websiteId)}/cancel`, {
    method: "POST",
    body: { sendPurpose, clientId, ...options },
  });

/** Where the page has no exact count: the service counts first. */
export function CountedCancel(props: Omit<Props, "counts">): JSX.Element | null {
  const [counts, setCounts] = useState<number[] | null>(null);
  useEffect(() => {
    const look = async () => {
      const isCounted = await attempt(async () => {
        const found: number[] = [];
        for (const it of props.meant) found.push((await cancel(it, { dryRun: true })).cancelled);
        setCounts(found);
      }, "They cannot be counted");
      if (!isCounted) props.onClose();
    };
    void look();
  }, []);
  return counts === null ? null : <CancelDialog {...props} counts={counts} />;
}
