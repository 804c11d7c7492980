import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WebsiteList } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { Button, FailureLine } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { tell } from "../parts/toast.tsx";

/** Which website, and where to. */
export function BeginMove({
  databases,
  onClose,
  reload,
}: {
  databases: string[];
  onClose: () => void;
  reload: () => void;
}): JSX.Element {
  const websites = useAnswer<WebsiteList>("/operator/websites", undefined, false).data?.websites ?? [];
  const [chosen, setChosen] = useState("");
  const [target, setTarget] = useState("");
  const moving = useAct();
  const website = websites.find(({ websiteId }) => websiteId === chosen) ?? websites[0];
  const targets = databases.filter((database) => database !== website?.database);
  const to = targets.includes(target) ? target : (targets[0] ?? "");
  const begin = () =>
    moving.run(async () => {
      if (!website) return;
      await ask(`/operator/websites/${website.websiteId}/move`, { method: "POST", body: { database: to } });
      tell({ text: `${website.name} moves to ${to}.`, link: { label: "Audit entry", href: "#/audit" } });
      reload();
      onClose();
    });
  return (
    <Dialog
      title="Move a website"
      onClose={onClose}
      buttons={
        <>
          <span class="gap" />
          <Button onPress={onClose}>Leave it there</Button>
          <Button kind="dark" isOff={!website || !to || moving.isBusy} onPress={() => void begin()}>
            Move {website?.name ?? "it"}
          </Button>
        </>
      }
    >
      <p class="dialog-lead">
        It is paused for three minutes and as long as its rows take: its calls answer 503, and what is queued waits.
        Tell its clients before.
      </p>
      <div class="field">
        <label for="move-website">Website</label>
        <select
          id="move-website"
          value={website?.websiteId ?? ""}
          onChange={(event) => setChosen(event.currentTarget.value)}
        >
          {websites.map(({ websiteId, name, database }) => (
            <option key={websiteId} value={websiteId}>
              {name}, in {database}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="move-target">To</label>
        <select id="move-target" value={to} onChange={(event) => setTarget(event.currentTarget.value)}>
          {targets.map((database) => (
            <option key={database} value={database}>
              {database}
            </option>
          ))}
        </select>
      </div>
      <FailureLine failure={moving.failure} />
    </Dialog>
  );
}
