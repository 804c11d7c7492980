import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ImportAnswer, PreviewRow } from "../answers.ts";
import { countOf, formatCount } from "../lib/numbers.ts";
import { signedIn } from "../lib/session.ts";
import type { Look } from "../lib/status-words.ts";
import { Button } from "../parts/button.tsx";
import { SaveBar } from "../parts/progress.tsx";
import { Section, Table } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Tiles } from "../parts/tiles.tsx";

const LOOKS: Record<PreviewRow["becomes"], Look> = {
  new: { word: "New", shape: "delivered", tone: "ok" },
  changed: { word: "New address", shape: "delivered", tone: "ok" },
  unchanged: { word: "Unchanged", shape: "none", tone: "plain" },
  "kept-unsubscribed": { word: "Stays opted out", shape: "none", tone: "plain" },
  unsubscribed: { word: "Unsubscribed", shape: "none", tone: "plain" },
  refused: { word: "Refused", shape: "failed", tone: "bad" },
};

interface Props {
  preview: ImportAnswer;
  name: string;
  isBusy: boolean;
  onStart: () => void;
  onOther: () => void;
}

/** What the file would do: five counts that add up, the first rows as they are read, and what each becomes. */
export function ImportPreview({ preview, name, isBusy, onStart, onOther }: Props): JSX.Element {
  const { isAway } = signedIn();
  const rows = preview.new + preview.changed + preview.unchanged;
  const { refused = 0, repeated = 0 } = preview;
  return (
    <>
      <Tiles
        tiles={[
          {
            label: "New",
            mark: <Status look={{ ...LOOKS.new, word: "" }} />,
            value: formatCount(preview.new),
            judgment: "will be subscribed",
          },
          {
            label: "New address",
            mark: <Status look={{ ...LOOKS.changed, word: "" }} />,
            value: formatCount(preview.changed),
            judgment: "known before",
          },
          {
            label: "Unchanged",
            mark: <Status look={{ ...LOOKS.unchanged, word: "" }} />,
            value: formatCount(preview.unchanged),
            judgment: "nothing to do",
          },
          {
            label: "Stay opted out",
            mark: <Status look={{ ...LOOKS.unchanged, word: "" }} />,
            value: formatCount(preview.keptUnsubscribed),
            judgment: "STOP, or by you",
          },
          {
            label: "Refused",
            mark: <Status look={{ ...LOOKS.refused, word: "" }} />,
            value: formatCount(refused),
            judgment: "not imported",
            tone: refused > 0 ? "bad" : undefined,
          },
        ]}
      />
      {repeated > 0 && (
        <p class="small dim">{countOf(repeated, "row repeats", "rows repeat")} a number of an earlier row.</p>
      )}
      {preview.preview && <PreviewTable preview={preview} rows={preview.preview} />}
      <SaveBar
        effect={`${countOf(preview.new, "person", "people")} will be subscribed to ${name}.`}
        rest="You can undo this import afterwards, in one step."
        save={`Import ${countOf(rows, "row")}`}
        discard="Other file"
        isOff={isBusy || isAway || rows === 0}
        onSave={onStart}
        onDiscard={onOther}
      />
    </>
  );
}

/** The head shows the meaning above, and the file's own column under it. */
function PreviewTable({ preview, rows }: { preview: ImportAnswer; rows: PreviewRow[] }): JSX.Element {
  const [onlyRefused, setOnlyRefused] = useState(false);
  const { columns, unreadColumns = [], invalidCells = [] } = preview;
  const refused: PreviewRow[] = invalidCells
    .filter(({ column }) => column === "phone_numbers")
    .map(({ line, value, message }) => ({ line, phone: value, email: null, becomes: "refused", reason: message }));
  const shown = onlyRefused ? refused : rows;
  return (
    <Section
      title={onlyRefused ? "The refused rows" : `The first ${shown.length} rows, as they are read`}
      act={
        refused.length > 0 && (
          <Button kind="text" onPress={() => setOnlyRefused(!onlyRefused)}>
            {onlyRefused ? "The first rows" : `Only refused (${formatCount(refused.length)})`}
          </Button>
        )
      }
    >
      <Table
        class="preview"
        label="Rows of the file"
        rows={shown}
        keyOf={({ line }) => line}
        columns={[
          ["Row", ({ line, becomes }) => <span class={becomes === "refused" ? "bad" : "dim"}>{line}</span>, "on-desk"],
          ["Phone", ({ phone }) => <code>{phone}</code>, "", columns.phone],
          ["Email", ({ email }) => email ?? "–", "under", columns.email ?? "–"],
          [
            "Becomes",
            ({ becomes, reason }) => (
              <>
                <Status look={LOOKS[becomes]} />
                {reason && <span class={`second ${becomes === "refused" ? "bad" : ""}`}>{reason}</span>}
              </>
            ),
            "right becomes",
            columns.subscribed ?? "–",
          ],
        ]}
      />
      {unreadColumns.length > 0 && (
        <p class="small dim">Not read: {unreadColumns.map((it) => `“${it}”`).join(", ")}.</p>
      )}
    </Section>
  );
}
