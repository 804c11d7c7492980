import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WebsiteList } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { FailureLine } from "../parts/button.tsx";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Choice } from "../parts/field.tsx";
import { tellDone } from "../parts/toast.tsx";

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
      tellDone(`${website.name} moves to ${to}.`);
      reload();
      onClose();
    });
  const act = `Move ${website?.name ?? "it"}`;
  const isOff = !website || !to || moving.isBusy;
  const buttons = <DialogButtons out="Leave it there" act={act} isOff={isOff} onOut={onClose} onAct={begin} />;
  return (
    <Dialog title="Move a website" onClose={onClose} buttons={buttons}>
      <p class="dialog-lead">
        It is paused for three minutes and as long as its rows take: its calls answer 503, and what is queued waits.
        Tell its clients before.
      </p>
      <Choice
        id="move-website"
        label="Website"
        options={websites.map(({ websiteId, name, database }) => [websiteId, `${name}, in ${database}`])}
        value={website?.websiteId ?? ""}
        onChange={setChosen}
      />
      <Choice
        id="move-target"
        label="To"
        options={targets.map((database) => [database, database])}
        value={to}
        onChange={setTarget}
      />
      <FailureLine failure={moving.failure} />
    </Dialog>
  );
}
