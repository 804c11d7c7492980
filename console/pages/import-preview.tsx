import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ImportAnswer, PreviewRow } from "../answers.ts";
import { countOf, formatCount } from "../lib/numbers.ts";
import { signedIn } from "../lib/session.ts";
import { type Look, OPTED_OUT, SUBSCRIBED } from "../lib/status-words.ts";
import { Button } from "../parts/button.tsx";
import { SaveBar } from "../parts/progress.tsx";
import { type Column, Section, Table } from "../parts/section.tsx";
import { Note, Status } from "../parts/status.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { Time } from "../parts/time.tsx";

const LOOKS: Record<PreviewRow["becomes"], Look> = {
  newSubscribed: { ...SUBSCRIBED, word: "Subscribed, new" },
  becameSubscribed: { ...SUBSCRIBED, word: "Subscribed again" },
  newOptedOut: { ...OPTED_OUT, word: "Opted out, new" },
  becameOptedOut: OPTED_OUT,
  newAddress: { ...SUBSCRIBED, word: "New address" },
  unchanged: { ...OPTED_OUT, word: "Unchanged" },
  keptUnsubscribed: { ...OPTED_OUT, word: "Stays opted out" },
  refused: { word: "Not imported", shape: "failed", tone: "bad" },
};

interface Props {
  preview: ImportAnswer;
  name: string;
  isBusy: boolean;
  onStart: () => void;
  onOther: () => void;
}

/** What the file would do: how many are subscribed and how many opted out, what is left out, and the first rows as they are read. */
export function ImportPreview({ preview, name, isBusy, onStart, onOther }: Props): JSX.Element {
  const { isAway } = signedIn();
  const { imported, refused = 0, unreadableOptOuts } = preview;
  const subscribed = preview.newSubscribed + preview.becameSubscribed;
  const optedOut = preview.newOptedOut + preview.becameOptedOut;
  const addresses = preview.newAddress > 0 && `and ${countOf(preview.newAddress, "new address", "new addresses")}`;
  const tile = (label: string, look: Look, value: number, judgment: string, tone?: "bad") => ({
    ...{ label, mark: <Status look={{ ...look, word: "" }} />, value: formatCount(value), judgment, tone },
  });
  return (
    <>
      {unreadableOptOuts > 0 && (
        <Note first={`${countOf(unreadableOptOuts, "opt-out", "opt-outs")} cannot be read.`}>
          Correct these numbers in the file first, or these people go on getting texts.
        </Note>
      )}
      <Tiles
        tiles={[
          tile("Subscribed", SUBSCRIBED, subscribed, `${formatCount(preview.newSubscribed)} new`),
          tile("Opted out", OPTED_OUT, optedOut, `${formatCount(preview.newOptedOut)} new`),
          tile("Unchanged", LOOKS.unchanged, preview.unchanged, addresses || "nothing to do"),
          tile("Stay opted out", LOOKS.keptUnsubscribed, preview.keptUnsubscribed, "STOP, or by you"),
          tile(
            "Not imported",
            LOOKS.refused,
            refused,
            refused > 0 ? "cannot be read" : "none",
            refused > 0 ? "bad" : undefined,
          ),
        ]}
      />
      <LeftOut preview={preview} />
      {preview.preview && <PreviewTable preview={preview} rows={preview.preview} />}
      <SaveBar
        effect={`${countOf(subscribed, "person", "people")} will be subscribed to ${name}, and ${formatCount(optedOut)} opted out.`}
        rest="You can undo it afterwards."
        save={refused > 0 ? `Import the ${countOf(imported, "good row")}` : `Import ${countOf(imported, "row")}`}
        discard="Other file"
        isOff={isBusy || isAway || imported === 0 || unreadableOptOuts > 0}
        onSave={onStart}
        onDiscard={onOther}
      />
    </>
  );
}

/** What the file has that is not imported as it stands there, and what it lacks. */
function LeftOut({ preview }: { preview: ImportAnswer }): JSX.Element {
  const { repeated = 0, withoutProof = 0, invalidEmails = [] } = preview;
  return (
    <>
      {repeated > 0 && (
        <p class="small dim">{countOf(repeated, "row repeats", "rows repeat")} a number of an earlier row.</p>
      )}
      {withoutProof > 0 && (
        <p class="small dim">
          {countOf(withoutProof, "row has", "rows have")} no proof of consent, which is consented_at or evidence.
        </p>
      )}
      {invalidEmails.length > 0 && (
        <p class="small dim">
          {countOf(invalidEmails.length, "e-mail address is", "e-mail addresses are")} dropped: the numbers are imported
          without.
        </p>
      )}
    </>
  );
}

const NO_CELLS = { email: null, consentedAt: null, evidence: null };

/** When and how somebody agreed. */
const PROOF: Column<PreviewRow> = [
  "Agreed",
  ({ consentedAt, evidence }) => (
    <>
      {consentedAt ? <Time at={consentedAt} /> : "–"}
      {evidence && <span class="second">{evidence}</span>}
    </>
  ),
  "under",
];

/** The head shows the meaning above, and the file's own column under it. */
function PreviewTable({ preview, rows }: { preview: ImportAnswer; rows: PreviewRow[] }): JSX.Element {
  const [onlyRefused, setOnlyRefused] = useState(false);
  const { columns, ignoredColumns, invalidCells = [] } = preview;
  const refused: PreviewRow[] = invalidCells
    .filter(({ column }) => column === "phone_numbers")
    .map(({ line, value, message }) => ({ ...NO_CELLS, line, phone: value, becomes: "refused", reason: message }));
  const shown = onlyRefused ? refused : rows;
  return (
    <Section
      title={
        onlyRefused ? "Not imported" : `${shown.length === 1 ? "One row" : `The first ${shown.length} rows`}, as read`
      }
      act={
        refused.length > 0 && (
          <Button kind="text" onPress={() => setOnlyRefused(!onlyRefused)}>
            {onlyRefused ? "The first rows" : `Not imported (${formatCount(refused.length)})`}
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
          ...(columns.consentedAt || columns.evidence ? [PROOF] : []),
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
      {ignoredColumns.length > 0 && (
        <p class="small dim">Not read: {ignoredColumns.map((it) => `“${it}”`).join(", ")}.</p>
      )}
    </Section>
  );
}
