// Sends a file of subscribers, in as many requests as it takes, as one import.
import { createReadStream, statSync } from "node:fs";
import { callOperator, Refusal, type Service, Unreachable } from "../api.ts";
import { segment, toQuery, UsageError } from "../command.ts";
import { errorWithFileLines, type ImportAnswer, type ImportError, joinAnswers, withFileLines } from "./answers.ts";
import { cutFile, type Piece } from "./cut-file.ts";
import { startProgress } from "./progress.ts";

export interface FileImport {
  websiteId: string;
  /** `-`: standard input. */
  file: string;
  isDry: boolean;
  resubscribes: boolean;
  /** `subscribed`: the file has no column that says who is. */
  everyone: string | undefined;
  /** The import that has broken off, to go on with it. */
  importId: string | undefined;
}

const IMPORT_CLOSED = 40901;

/** @returns the answer of the service, or of several requests as if there had been one */
export async function importFile(service: Service, wanted: FileImport): Promise<string> {
  const { websiteId, file, isDry, resubscribes, everyone } = wanted;
  const progress = startProgress(sizeOf(file));
  const texts: string[] = [];
  const answers: ImportAnswer[] = [];
  const sent = { importId: wanted.importId, bytes: 0, rows: 0 };
  try {
    for await (const piece of cutFile(readInput(file))) {
      const query = toQuery({
        dryRun: isDry ? "true" : undefined,
        resubscribe: resubscribes ? "true" : undefined,
        everyone,
        importId: sent.importId,
      });
      const path = `/websites/${segment(websiteId)}/subscribers${query}`;
      const text = await callOperator(service, "POST", path, piece.body).catch((error: unknown) => {
        throw explainBreak(error, wanted, piece, sent);
      });
      texts.push(text);
      answers.push(withFileLines(JSON.parse(text) as ImportAnswer, piece));
      sent.importId = answers.at(-1)?.importId ?? sent.importId;
      sent.bytes += piece.bytes;
      sent.rows += piece.rows;
      progress.show(sent.bytes, sent.rows);
    }
  } finally {
    progress.end();
  }
  const [first, ...more] = answers;
  if (first === undefined || more.length === 0) return texts[0] ?? "";
  return JSON.stringify(joinAnswers([first, ...more]));
}

/** @returns undefined where it is unknown, and where reading the file says what is wrong with it */
function sizeOf(file: string): number | undefined {
  return file === "-" ? undefined : statSync(file, { throwIfNoEntry: false })?.size;
}

async function* readInput(file: string): AsyncGenerator<Uint8Array, void> {
  try {
    yield* file === "-" ? process.stdin : createReadStream(file);
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : error}`);
  }
}

interface Sent {
  importId: string | undefined;
  rows: number;
}

/** What is stored, and how to take it back or to go on, goes with the error. */
function explainBreak(error: unknown, wanted: FileImport, piece: Piece, sent: Sent): unknown {
  if (error instanceof Unreachable && !wanted.isDry) {
    const unknown = `What is stored is not known: npm run operator -- website ${wanted.websiteId} names the import.`;
    console.error(sent.importId ? adviceFor(wanted, sent.importId, sent.rows, "At least ") : unknown);
    return error;
  }
  if (!(error instanceof Refusal)) return error;
  const body = errorWithFileLines(error.body, piece);
  const importId = body.import?.importId ?? sent.importId;
  if (wanted.isDry || importId === undefined) return new Refusal(body);
  const storedRows = sent.rows + (body.import?.storedRows ?? 0);
  // The service speaks of the request.
  const [cause] = body.message.split(" Stored before that: ");
  const advice = body.code === IMPORT_CLOSED ? "" : `\n${adviceFor(wanted, importId, storedRows, "")}`;
  const explained: ImportError = { ...body, message: `${cause}${advice}`, import: { importId, storedRows } };
  return new Refusal(explained);
}

function adviceFor(
  { websiteId, file, resubscribes, everyone }: FileImport,
  importId: string,
  rows: number,
  least: string,
): string {
  const name = file === "-" ? "<file>" : file;
  const others = `${resubscribes ? " --resubscribe" : ""}${everyone ? ` --everyone ${everyone}` : ""}`;
  const options = `--import ${importId}${others}`;
  return [
    `Stored: ${least}${rows} rows of the file, as the import ${importId}.`,
    `To take them back: npm run operator -- undo-import ${importId}`,
    `To go on, which leaves what is stored as it is: npm run operator -- import-subscribers ${websiteId} ${name} ${options}`,
  ].join("\n");
}
