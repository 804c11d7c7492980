// The answers of the requests of one import, as if one request had had all of the file.
import { DONE } from "../../../src/domain/people/import-figures.ts";
import type { SubscriberAnswers } from "../../../src/operator/answers/imports.ts";
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

/** @returns the error with the lines of the file: in a message that has a value, only the first `line 5` is ours */
export function errorWithFileLines(body: ImportError, piece: Piece): ImportError {
  if (piece.linesBefore === 0) return body;
  const shift = (message: string, hasValue: boolean) =>
    message.replace(
      hasValue ? /\bline (\d+)/ : /\bline (\d+)/g,
      (_, line) => `line ${toFileLine(Number(line), piece)}`,
    );
  const hasValue = body.details?.some(({ value }) => value !== undefined) ?? false;
  const details = body.details?.map(({ line, ...detail }) => ({
    ...detail,
    ...(line === undefined ? {} : { line: toFileLine(line, piece) }),
    message: detail.value === undefined ? shift(detail.message, false) : detail.message,
  }));
  return { ...body, message: shift(body.message, hasValue), ...(details && { details }) };
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
    ...Object.fromEntries(DONE.map((name) => [name, sum((answer) => answer[name])])),
    keptUnsubscribed: sum(({ keptUnsubscribed }) => keptUnsubscribed),
    unreadableOptOuts: sum(({ unreadableOptOuts }) => unreadableOptOuts),
    invalidPhoneNumbers: join(answers.map(({ invalidPhoneNumbers }) => invalidPhoneNumbers)),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  };
}

const join = (lists: (string[] | undefined)[]) => [...new Set(lists.flatMap((list = []) => list))];
