import { expect, test } from "vitest";
import { type ImportAnswer, joinAnswers } from "../../../scripts/operator/import/answers.ts";

const ANSWER: ImportAnswer = {
  columns: { phone: "phone_numbers", email: null, subscribed: null },
  ...{ imported: 0, new: 0, changed: 0, unchanged: 0, keptUnsubscribed: 0, invalidPhoneNumbers: [] },
};

test("the figures of a dry run add up over its requests; its preview is that of the first", () => {
  const row = { line: 2, phone: "+12125550100", email: null, becomes: "new", reason: null } as const;
  const first = { ...ANSWER, imported: 3, new: 3, rows: 6, refused: 2, repeated: 1, withoutProof: 3, preview: [row] };
  const second = {
    ...ANSWER,
    imported: 1,
    new: 1,
    rows: 4,
    refused: 0,
    repeated: 3,
    withoutProof: 1,
    preview: [{ ...row, line: 9 }],
  };
  expect(joinAnswers([first, second])).toEqual({
    ...{ ...ANSWER, imported: 4, new: 4 },
    ...{ rows: 10, refused: 2, repeated: 4, withoutProof: 4, preview: [row] },
  });
});

test("what only a dry run answers is in no other answer", () => {
  expect(joinAnswers([ANSWER, ANSWER])).toEqual(ANSWER);
});
