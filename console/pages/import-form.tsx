import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Website } from "../answers.ts";
import type { Import } from "../lib/import-file.ts";
import { Choice } from "../parts/field.tsx";

const MOST_BYTES = 32_000_000;

interface Props {
  websites: Website[];
  websiteId: string | undefined;
  isBusy: boolean;
  onChoose: (chosen: Import) => void;
}

export function ImportForm({ websites, websiteId, isBusy, onChoose }: Props): JSX.Element {
  const [target, setTarget] = useState(websiteId ?? websites[0]?.websiteId ?? "");
  const [file, setFile] = useState<File | null>(null);
  const [says, setSays] = useState("column");
  const isTooLarge = file !== null && file.size > MOST_BYTES;
  return (
    <form
      class="import-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (file && !isTooLarge) onChoose({ websiteId: target, file, everyone: says === "everyone" });
      }}
    >
      <Choice
        id="import-website"
        label="Website"
        options={websites.map((website) => [website.websiteId, website.name])}
        value={target}
        onChange={setTarget}
      />
      <div class="field">
        <label for="import-file">File</label>
        <input
          id="import-file"
          type="file"
          accept=".csv,.txt,text/csv"
          onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
        />
        <p class="hint">
          {isTooLarge
            ? "More than 32 MB: split it."
            : "CSV. Numbers with + and country. Read besides: email, subscribed, consented_at, evidence."}
        </p>
      </div>
      <Choice
        id="import-everyone"
        label="Who has agreed to be texted"
        options={[
          ["column", "The column subscribed says it, with true or false in each row"],
          ["everyone", "Everyone in the file, which has no such column"],
        ]}
        value={says}
        onChange={setSays}
      />
      <p>
        <button type="submit" class="button dark" disabled={file === null || isTooLarge || isBusy}>
          {isBusy ? "Looking…" : "Look at it"}
        </button>
      </p>
    </form>
  );
}
