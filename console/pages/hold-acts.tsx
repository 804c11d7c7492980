import type { JSX } from "preact";
import type { Held, ListedHold, Released } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { attempt } from "../lib/attempt.ts";
import { type NameOf, overlaps, scopeWords } from "../lib/holds.ts";
import { countOf } from "../lib/numbers.ts";
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

/** Harmless, and can be undone: no dialog, but an Undo. It ends this hold alone, and none that was there before. */
export async function hold({ websiteId, name, ...scope }: Meant, reload: () => void): Promise<void> {
  await attempt(async () => {
    const { holdId, held, atLeast, alreadyHeld } = await post<Held>(websiteId, "hold", scope);
    const texts = `${atLeast ? "At least " : ""}${textsOf(held, name)} ${held === 1 ? "is" : "are"} held.`;
    if (alreadyHeld) tell({ text: `${texts} The hold was there before.` });
    else tellDone(texts, () => void undoHold(websiteId, holdId, reload));
  }, "Nothing is held");
  reload();
}

async function undoHold(websiteId: string, holdId: string, reload: () => void): Promise<void> {
  await attempt(async () => {
    await releaseAll(websiteId, holdId);
    tell({ text: "The hold has ended. What it held goes now." });
  }, "It is not undone");
  reload();
}

/** A release of very many takes several calls. @returns how many texts go */
async function releaseAll(websiteId: string, holdId: string): Promise<number> {
  let released = 0;
  for (let more: true | undefined = true; more; ) {
    const answer: Released = await post<Released>(websiteId, "release", { holdId });
    released += answer.released;
    more = answer.more;
  }
  return released;
}

interface ReleaseProps {
  asked: ListedHold;
  /** The holds of its website. */
  others: ListedHold[];
  website: string;
  nameOf: NameOf;
  onClose: () => void;
  reload: () => void;
}

/** Texts that go are gone: it asks first. */
export function ReleaseDialog({ asked, others, website, nameOf, onClose, reload }: ReleaseProps): JSX.Element {
  const { holdId, websiteId, texts, atLeast, by, since, reason } = asked;
  const now = useNow();
  const name = scopeWords(asked, website, nameOf);
  const isShared = others.some((other) => other.holdId !== holdId && overlaps(other, asked));
  const many = `${atLeast ? "at least " : ""}${countOf(texts, "text")}`;
  return (
    <Confirm
      title={() => (texts > 0 ? `Release ${many} of ${name}?` : `End the hold of ${name}?`)}
      lines={[
        { icon: "held", text: `Held by ${by} since ${formatTime(since, now)}${reason ? `: “${reason}”` : "."}` },
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
      act={() => (texts > 0 ? `Release ${many}` : "End the hold")}
      out={texts > 0 ? "Keep them held" : "Keep the hold"}
      run={async () => {
        const released = await releaseAll(websiteId, holdId);
        tellDone(
          texts > 0
            ? `${textsOf(released, name)} ${released === 1 ? "goes" : "go"} now.`
            : `The hold of ${name} has ended.`,
        );
        reload();
      }}
      onClose={onClose}
    >
      <FromShell line={commandOf("release", [websiteId], { hold: holdId })} />
    </Confirm>
  );
}
