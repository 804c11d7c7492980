import type { JSX } from "preact";
import type { Held, ListedHold, Released } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { attempt } from "../lib/attempt.ts";
import { type NameOf, overlaps, scopeWords } from "../lib/holds.ts";
import { countOf, listOf, sumOf } from "../lib/numbers.ts";
import { commandOf } from "../lib/shell-command.ts";
import { formatTime } from "../lib/times.ts";
import { Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { useNow } from "../parts/time.tsx";
import { tell, tellDone } from "../parts/toast.tsx";

const post = <Answer,>(websiteId: string, verb: string, body: object) =>
  ask<Answer>(`/operator/websites/${websiteId}/${verb}`, { method: "POST", body });

const textsOf = (count: number, name: string) => `${countOf(count, "text")} of ${name}`;

/** What is held at one press: null: any. */
export interface Meant {
  websiteId: string;
  /** The purpose, or the name of the website. */
  name: string;
  sendPurpose: string | null;
  clientId: string | null;
}

/** Harmless, and can be undone: no dialog, but an Undo. It ends these holds alone, and none that was there before. */
export async function hold(meant: Meant[], reload: () => void): Promise<void> {
  const made: (Held & Pick<Meant, "websiteId">)[] = [];
  await attempt(
    async () => {
      for (const { websiteId, name: _, ...scope } of meant)
        made.push({ websiteId, ...(await post<Held>(websiteId, "hold", scope)) });
      const held = sumOf(made, "held");
      const name = listOf(meant.map((it) => it.name));
      const texts =
        held === 0
          ? `No text of ${name} waits: those that come are held.`
          : `${leastOf(made)}${textsOf(held, name)} ${held === 1 ? "is" : "are"} held.`;
      const fresh = made.filter(({ alreadyHeld }) => !alreadyHeld);
      if (fresh.length === 0) tell({ text: `${texts} The hold was there before.` });
      else tellDone(texts, () => void undoHold(fresh, reload));
    },
    meant.length > 1 ? "Not all of them are held" : "Nothing is held",
  );
  reload();
}

const leastOf = (counted: { atLeast?: boolean | undefined }[], words = "At least ") =>
  counted.some(({ atLeast }) => atLeast) ? words : "";

type HoldOf = Pick<ListedHold, "websiteId" | "holdId">;

async function undoHold(made: HoldOf[], reload: () => void): Promise<void> {
  await attempt(async () => {
    await releaseAll(made);
    tell({ text: `The ${made.length > 1 ? "holds have" : "hold has"} ended. What it held goes now.` });
  }, "It is not undone");
  reload();
}

/** A release of very many takes several calls. @returns how many texts go */
async function releaseAll(holds: HoldOf[]): Promise<number> {
  let released = 0;
  for (const { websiteId, holdId } of holds) {
    for (let more: true | undefined = true; more; ) {
      const answer: Released = await post<Released>(websiteId, "release", { holdId });
      released += answer.released;
      more = answer.more;
    }
  }
  return released;
}

interface ReleaseProps {
  asked: ListedHold[];
  /** All that there are. */
  holds: ListedHold[];
  websiteOf: (websiteId: string) => string;
  nameOf: NameOf;
  onClose: () => void;
  reload: () => void;
}

/** Texts that go are gone: it asks first. */
export function ReleaseDialog({ asked, holds, websiteOf, nameOf, onClose, reload }: ReleaseProps): JSX.Element {
  const now = useNow();
  const texts = sumOf(asked, "texts");
  const nameOfHold = (of: ListedHold) => scopeWords(of, websiteOf(of.websiteId), nameOf);
  const name = listOf(asked.map(nameOfHold));
  const isShared = holds.some(
    (other) =>
      !asked.some(({ holdId }) => holdId === other.holdId) &&
      asked.some((it) => it.websiteId === other.websiteId && overlaps(other, it)),
  );
  const many = `${leastOf(asked, "at least ")}${countOf(texts, "text")}`;
  const ending = asked.length > 1 ? "End the holds" : "End the hold";
  return (
    <Confirm
      title={() => (texts > 0 ? `Release ${many} of ${name}?` : `${ending} of ${name}?`)}
      lines={[
        {
          icon: "held",
          text: asked
            .map((it) => {
              const { by, since, reason } = it;
              const held = `Held by ${by} since ${formatTime(since, now)}${reason ? `: “${reason}”` : "."}`;
              return asked.length > 1 ? `${nameOfHold(it)}: ${held}` : held;
            })
            .join(" "),
        },
        texts > 0
          ? {
              icon: "sending",
              text: (
                <>
                  They go out at once, and cannot be called back. <strong>This cannot be undone.</strong>
                </>
              ),
            }
          : { icon: "waiting", text: "No text waits for it. Texts that come later go again." },
        ...(isShared ? [{ icon: "none" as const, text: "What another hold covers as well stays held." }] : []),
      ]}
      act={() => (texts > 0 ? `Release ${many}` : ending)}
      out={texts > 0 ? "Keep them held" : "Keep the hold"}
      run={async () => {
        const released = await releaseAll(asked);
        tellDone(
          texts > 0
            ? `${textsOf(released, name)} ${released === 1 ? "goes" : "go"} now.`
            : `The hold of ${name} has ended.`,
        );
        reload();
      }}
      onClose={onClose}
    >
      {asked.map(({ websiteId, holdId }) => (
        <FromShell key={holdId} line={commandOf("release", [websiteId], { hold: holdId })} />
      ))}
    </Confirm>
  );
}
