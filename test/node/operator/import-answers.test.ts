import { expect, test } from "vitest";
import { errorWithFileLines, type ImportAnswer, joinAnswers } from "../../../scripts/operator/import/answers.ts";

const ANSWER: ImportAnswer = {
  columns: { phone: "phone_numbers", email: null, subscribed: null },
  ignoredColumns: ["name"],
  ...{ imported: 0, newSubscribed: 0, newOptedOut: 0, becameSubscribed: 0, becameOptedOut: 0, newAddress: 0 },
  ...{ unchanged: 0, keptUnsubscribed: 0, unreadableOptOuts: 0, invalidPhoneNumbers: [] },
};

test("the figures of a dry run add up over its requests; its preview is that of the first", () => {
  const row = { line: 2, phone: "+12125550100", email: null, becomes: "newSubscribed", reason: null } as const;
  const shown = { ...row, consentedAt: null, evidence: null };
  const first = {
    ...{ ...ANSWER, imported: 3, newSubscribed: 2, newOptedOut: 1, unreadableOptOuts: 1 },
    ...{ rows: 6, refused: 2, repeated: 1, withoutProof: 3, preview: [shown] },
  };
  const second = {
    ...ANSWER,
    ...{ imported: 1, newOptedOut: 1, unreadableOptOuts: 2 },
    rows: 4,
    refused: 0,
    repeated: 3,
    withoutProof: 1,
    preview: [{ ...shown, line: 9 }],
  };
  expect(joinAnswers([first, second])).toEqual({
    ...{ ...ANSWER, imported: 4, newSubscribed: 2, newOptedOut: 2, unreadableOptOuts: 3 },
    ...{ rows: 10, refused: 2, repeated: 4, withoutProof: 4, preview: [shown] },
  });
});

test("what only a dry run answers is in no other answer", () => {
  expect(joinAnswers([ANSWER, ANSWER])).toEqual(ANSWER);
});

test("an error has the lines of the file, and leaves a value as it is", () => {
  const piece = { body: new Uint8Array(), bytes: 0, rows: 0, headerLines: 1, linesBefore: 100 };
  const error = (message: string, ...details: object[]) => ({ code: 40001, message, details: details as never });
  const shape = "line 7 has text after a closing quote; the quoted field begins on line 5";
  expect(errorWithFileLines(error(`body: ${shape}`, { field: "body", message: shape, line: 7 }), piece)).toEqual(
    error("body: line 107 has text after a closing quote; the quoted field begins on line 105", {
      ...{ field: "body", line: 107 },
      message: "line 107 has text after a closing quote; the quoted field begins on line 105",
    }),
  );
  const cell = { field: "subscribed", message: "must be true or false", line: 2, value: "line 3" };
  const told = (line: number) => `subscribed: must be true or false; line ${line} has "line 3"`;
  expect(errorWithFileLines(error(told(2), cell), piece)).toEqual(error(told(102), { ...cell, line: 102 }));
  expect(errorWithFileLines(error(told(1), { ...cell, line: 1 }), piece)).toEqual(error(told(1), { ...cell, line: 1 }));
});
