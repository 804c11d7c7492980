import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { WebsiteList } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Choice } from "../parts/field.tsx";
import { tellDone } from "../parts/toast.tsx";

interface Props {
  databases: string[];
  onClose: () => void;
  reload: () => void;
}

/** Which website, and where to. */
export function BeginMove({ databases, onClose, reload }: Props): JSX.Element {
  const websites = useAnswer<WebsiteList>("/operator/websites", undefined, false).data?.websites ?? [];
  const [chosen, setChosen] = useState("");
  const [target, setTarget] = useState("");
  const website = websites.find(({ websiteId }) => websiteId === chosen) ?? websites[0];
  const targets = databases.filter((database) => database !== website?.database);
  const to = targets.includes(target) ? target : (targets[0] ?? "");
  return (
    <Confirm
      title={() => "Move a website"}
      act={() => `Move ${website?.name ?? "it"}`}
      out="Leave it there"
      isOff={!website || !to}
      run={async () => {
        if (!website) return;
        await ask(`/operator/websites/${website.websiteId}/move`, { method: "POST", body: { database: to } });
        tellDone(`${website.name} moves to ${to}.`);
        reload();
      }}
      onClose={onClose}
    >
      <p class="dialog-lead">
        It is paused for three minutes and as long as its rows take: its calls answer 503. Tell its clients before.
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
    </Confirm>
  );
}
