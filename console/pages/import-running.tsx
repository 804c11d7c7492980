import type { JSX } from "preact";
import type { ImportAnswer, ImportProgress } from "../answers.ts";
import { saveFile } from "../lib/ask.ts";
import { countOf, formatCount } from "../lib/numbers.ts";
import { formatSpan } from "../lib/times.ts";
import { Button } from "../parts/button.tsx";
import { Progress } from "../parts/progress.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { UndoImport } from "./import-history.tsx";
import { refusedOf } from "./import-preview.tsx";

export function ImportRunning({ progress, since }: { progress: ImportProgress | null; since: number }): JSX.Element {
  if (!progress) {
    return (
      <div class="progress" role="status">
        <h2>The file is on its way</h2>
      </div>
    );
  }
  const { stored, rows } = progress;
  const speed = stored / Math.max(1, (Date.now() - since) / 1000);
  const left =
    speed > 0
      ? `${formatCount(Math.round(speed))} rows a second, ${formatSpan(((rows - stored) / speed) * 1000)} left`
      : "";
  return (
    <Progress
      done={stored}
      of={rows}
      title={`${formatCount(stored)} of ${formatCount(rows)} rows are stored`}
      right={left}
    />
  );
}

interface Props {
  answer: ImportAnswer;
  file: string;
  name: string;
  onOther: () => void;
}

export function ImportDone({ answer, file, name, onOther }: Props): JSX.Element {
  const refused = refusedOf(answer);
  const csv = () =>
    saveFile(
      new Blob([["phone_numbers", ...answer.invalidPhoneNumbers.map(quoted)].join("\r\n")], { type: "text/csv" }),
      `refused-${file}`,
    );
  return (
    <>
      <Tiles
        tiles={[
          { label: "New", value: formatCount(answer.new), judgment: `are subscribed to ${name}` },
          { label: "Changed", value: formatCount(answer.changed), judgment: "known before" },
          { label: "Stay opted out", value: formatCount(answer.keptUnsubscribed), judgment: "STOP, or by you" },
          {
            label: "Refused",
            value: formatCount(refused),
            judgment: refused > 0 ? "not imported" : "none",
            tone: refused > 0 ? "bad" : undefined,
          },
        ]}
      />
      <div class="card-acts">
        {refused > 0 && <Button onPress={csv}>The {countOf(refused, "refused row")}, as CSV</Button>}
        <Button onPress={onOther}>Another file</Button>
        {answer.importId && (
          <UndoImport importId={answer.importId} file={file} count={answer.new + answer.changed} onUndone={onOther} />
        )}
      </div>
    </>
  );
}

/** A cell that begins like a formula is none in a spreadsheet. */
const quoted = (cell: string) =>
  `"${(/^[=+\-@\t\r]/.test(cell) && !/^\+\d+$/.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
