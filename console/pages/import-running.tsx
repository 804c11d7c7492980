import type { JSX } from "preact";
import type { ImportList } from "../answers.ts";
import { saveFile } from "../lib/ask.ts";
import { type Run, rowsOf } from "../lib/import-file.ts";
import { countOf, formatCount } from "../lib/numbers.ts";
import { formatSpan } from "../lib/times.ts";
import { Button } from "../parts/button.tsx";
import { Progress } from "../parts/progress.tsx";
import { Note } from "../parts/status.tsx";
import { Tiles } from "../parts/tiles.tsx";
import { changedBy, optedOutBy, subscribedBy, UndoImport } from "./import-history.tsx";

/** @param since where this try began */
export interface Running {
  run: Run;
  since: { at: number; rows: number };
}

export function ImportRunning({
  run,
  since,
  isBroken,
  file,
  onGoOn,
  onOther,
}: Running & { isBroken: boolean; file: string; onGoOn: () => void; onOther: () => void }): JSX.Element {
  const done = rowsOf(run.pieces.slice(0, run.sent));
  const of = rowsOf(run.pieces);
  const speed = (done - since.rows) / Math.max(1, (Date.now() - since.at) / 1000);
  const left = `${formatCount(Math.round(speed))} rows a second, ${formatSpan(((of - done) / speed) * 1000)} left`;
  return (
    <>
      <Progress
        done={done}
        of={of}
        title={`${formatCount(done)} of ${formatCount(of)} rows are taken`}
        right={isBroken || speed === 0 ? "" : left}
      />
      {isBroken && (
        <>
          <Note first="The import has broken off.">
            What is taken is stored. To go on is safe: no row counts twice.
          </Note>
          <div class="card-acts">
            <Button kind="dark" onPress={onGoOn}>
              Go on
            </Button>
            {run.importId && <UndoImport importId={run.importId} file={file} count={done} onUndone={onOther} />}
          </div>
        </>
      )}
    </>
  );
}

interface Props {
  listed: ImportList["imports"][number] | undefined;
  run: Run;
  file: string;
  name: string;
  onOther: () => void;
}

export function ImportDone({ listed, run, file, name, onOther }: Props): JSX.Element {
  const csv = () =>
    saveFile(
      new Blob(["\ufeff", run.head.trimEnd(), ...run.refused.map((row) => `\r\n${row}`)], { type: "text/csv" }),
      `refused-${file}`,
    );
  const tile = (label: string, value: number | null | undefined, judgment: string, tone?: "bad") => ({
    ...{ label, value: formatCount(value), judgment, tone },
  });
  const refused = listed?.refused ?? 0;
  return (
    <>
      <Tiles
        tiles={[
          tile("Rows", listed?.rows, "of the file"),
          tile("Subscribed", listed && subscribedBy(listed), `are subscribed to ${name} now`),
          tile("Opted out", listed && optedOutBy(listed), "are opted out now"),
          tile("Stay opted out", listed?.keptUnsubscribed, "STOP, or by you"),
          tile("Not imported", refused, refused > 0 ? "cannot be read" : "none", refused > 0 ? "bad" : undefined),
        ]}
      />
      <div class="card-acts">
        {run.refused.length > 0 && (
          <Button onPress={csv}>The {countOf(run.refused.length, "row")} not imported, as CSV</Button>
        )}
        <Button onPress={onOther}>Another file</Button>
        {run.importId && (
          <UndoImport importId={run.importId} file={file} count={listed ? changedBy(listed) : 0} onUndone={onOther} />
        )}
      </div>
    </>
  );
}
