// The answers of the requests of one import, as if one request had had all of the file.
import type { SubscriberAnswers } from "../../../src/operator/subscribers.ts";
import type { ErrorBody } from "../api.ts";
import type { Piece } from "./cut-file.ts";

export type ImportAnswer = SubscriberAnswers["ImportAnswer"];

export interface ImportError extends ErrorBody {
  import?: { importId: string; storedRows: number };
}

/** @returns the answer with the lines of the file */
export function withFileLines(answer: ImportAnswer, piece: Piece): ImportAnswer {
  if (!answer.invalidCells || piece.linesBefore === 0) return answer;
  const invalidCells = answer.invalidCells.map((cell) => ({ ...cell, line: toFileLine(cell.line, piece) }));
  return { ...answer, invalidCells };
}

/** @returns the error with the lines of the file: the first `line 5` of a message is ours, what follows may be a value */
export function errorWithFileLines(body: ImportError, piece: Piece): ImportError {
  if (piece.linesBefore === 0) return body;
  const shift = (message: string) =>
    message.replace(/\bline (\d+)/, (_, line) => `line ${toFileLine(Number(line), piece)}`);
  const details = body.details?.map((detail) => ({ ...detail, message: shift(detail.message) }));
  return { ...body, message: shift(body.message), ...(details && { details }) };
}

function toFileLine(line: number, { headerLines, linesBefore }: Piece): number {
  return line > headerLines ? line + linesBefore : line;
}

/** A number that is in several requests counts in each. */
export function joinAnswers(answers: [ImportAnswer, ...ImportAnswer[]]): ImportAnswer {
  const sum = (of: (answer: ImportAnswer) => number) => answers.reduce((total, answer) => total + of(answer), 0);
  const lists = {
    invalidEmails: join(answers.map(({ invalidEmails }) => invalidEmails)),
    invalidCells: answers.flatMap(({ invalidCells = [] }) => invalidCells),
    optedOutNumbers: join(answers.map(({ optedOutNumbers }) => optedOutNumbers)),
    unsubscribedNumbers: join(answers.map(({ unsubscribedNumbers }) => unsubscribedNumbers)),
  };
  // Only a dry run has them. Its preview is that of the first request, which has the first rows.
  const isDry = answers[0].rows !== undefined;
  const counts = {
    rows: sum(({ rows = 0 }) => rows),
    refused: sum(({ refused = 0 }) => refused),
    repeated: sum(({ repeated = 0 }) => repeated),
    withoutProof: sum(({ withoutProof = 0 }) => withoutProof),
  };
  return {
    ...answers[0],
    ...(isDry && counts),
    imported: sum(({ imported }) => imported),
    new: sum((answer) => answer.new),
    changed: sum(({ changed }) => changed),
    unchanged: sum(({ unchanged }) => unchanged),
    keptUnsubscribed: sum(({ keptUnsubscribed }) => keptUnsubscribed),
    invalidPhoneNumbers: join(answers.map(({ invalidPhoneNumbers }) => invalidPhoneNumbers)),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  };
}

const join = (lists: (string[] | undefined)[]) => [...new Set(lists.flatMap((list = []) => list))];
