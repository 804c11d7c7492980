import type { JSX } from "preact";
import type { WaitingGroup, WaitingRow } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { attempt } from "../lib/attempt.ts";
import { countOf } from "../lib/numbers.ts";
import { formatClock } from "../lib/times.ts";
import { Confirm } from "../parts/confirm.tsx";
import { tell, tellDone } from "../parts/toast.tsx";

export interface Asked {
  verb: "hold" | "cancel";
  group: WaitingGroup;
  /** Null: the whole website. */
  row: WaitingRow | null;
  count: number;
}

const scopeOf = (row: WaitingRow | null) => (row ? { sendPurpose: row.sendPurpose, clientId: row.clientId } : {});
const call = <Answer,>(verb: string, group: WaitingGroup, body: object) =>
  ask<Answer>(`/operator/websites/${group.websiteId}/${verb}`, { method: "POST", body });

interface Props {
  asked: Asked;
  onInstead: (asked: Asked) => void;
  onClose: () => void;
  reload: () => void;
}

/** A hold can be undone, and is asked for its reason; many that are cancelled cannot, and the name is typed. */
export function WaitingDialog({ asked, onInstead, onClose, reload }: Props): JSX.Element {
  const { verb, group, row, count } = asked;
  const name = row?.sendPurpose ?? group.name;
  const client = row ? `, client ${row.clientName ?? row.clientId.slice(0, 8)}` : "";
  const ends = row?.endsAt;
  if (verb === "hold") {
    return (
      <Confirm
        key="hold"
        count={count}
        title={(now) => `Hold ${countOf(now, "text")} of ${name}?`}
        lines={[
          {
            icon: "held",
            text: `${group.name}${client}. They wait until somebody releases them; new ones are accepted, and held.`,
          },
          {
            icon: "waiting",
            text: ends
              ? `A hold does not stop the clock: the first ends as not sent at ${formatClock(ends)}.`
              : "A hold does not stop the clock: each ends as not sent at its time.",
          },
        ]}
        field={{ label: "Why?", hint: "The next operator reads it." }}
        act={(now) => `Hold ${countOf(now, "text")}`}
        out="Let them go"
        run={async (expected, reason) => {
          const { held } = await call<{ held: number }>("hold", group, {
            ...scopeOf(row),
            expected,
            ...(reason && { reason }),
          });
          tellDone(
            `${countOf(held, "text")} of ${name} ${held === 1 ? "is" : "are"} held.`,
            () => void undo("release", group, row, reload),
          );
          reload();
        }}
        onClose={onClose}
      />
    );
  }
  return (
    <Confirm
      key="cancel"
      count={count}
      title={(now) => `Cancel ${countOf(now, "text")} of ${name}?`}
      lines={[
        {
          icon: "cancelled",
          text: (
            <>
              {group.name}
              {client}. All end as <strong>not sent, cancelled</strong>. This cannot be undone.
            </>
          ),
        },
        {
          icon: "callback",
          text: (
            <>
              {row?.clientName ?? "The client"} gets <strong>{countOf(count, "callback")}</strong>.
            </>
          ),
        },
        {
          icon: "waiting",
          text: (
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
      milder={
        row?.why === "held"
          ? undefined
          : { label: "Hold instead", onPress: () => onInstead({ ...asked, verb: "hold" }) }
      }
      run={async (expected) => {
        const { cancelled } = await call<{ cancelled: number }>("cancel", group, { ...scopeOf(row), expected });
        tellDone(`${countOf(cancelled, "text")} of ${name} ${cancelled === 1 ? "is" : "are"} cancelled.`);
        reload();
      }}
      onClose={onClose}
    />
  );
}

/** Can be undone: no dialog, but an Undo. */
export async function release(group: WaitingGroup, row: WaitingRow, reload: () => void): Promise<void> {
  await attempt(async () => {
    const { released } = await call<{ released: number }>("release", group, scopeOf(row));
    const texts = `${countOf(released, "text")} of ${row.sendPurpose} ${released === 1 ? "goes" : "go"} now.`;
    tellDone(texts, () => void undo("hold", group, row, reload));
  }, "Nothing is released");
  reload();
}

type Verb = "hold" | "release";

async function undo(verb: Verb, group: WaitingGroup, row: WaitingRow | null, reload: () => void): Promise<void> {
  const reason = verb === "hold" && row?.held?.reason;
  await attempt(async () => {
    await call(verb, group, { ...scopeOf(row), ...(reason && { reason }) });
    tell({ text: verb === "hold" ? "What has not gone is held again." : "They are released again." });
  }, "It is not undone");
  reload();
}
