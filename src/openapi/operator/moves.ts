import { type MoveAnswers, moveAnswers, moveRequestSchema } from "../../http/operator/moves.ts";
import { TIME } from "../examples.ts";
import { type ApiOperation, ok } from "../operation.ts";
import { type Resource, settingsBody, WEBSITE_PARAMETER } from "./resource.ts";

const MOVE = {
  ...{ websiteId: "brand", state: "copying", from: "DB", to: "DB_2" },
  ...{ copiedRows: 12_000, comparedRows: 0, totalRows: 48_200 },
  ...{ startedAt: TIME, endedAt: null, problem: null },
} satisfies MoveAnswers["Move"];

const BEGUN = { ...MOVE, state: "paused", copiedRows: 0, totalRows: null } as const;
const ABORTED = { ...MOVE, state: "failed", endedAt: TIME, problem: "an operator has aborted it" } as const;

export function describeMoves(): Resource {
  const MoveRequest = moveRequestSchema;
  const common = {
    tag: "Websites",
    access: "operator",
    parameters: [WEBSITE_PARAMETER],
  } satisfies Partial<ApiOperation>;
  const path = "/operator/websites/{websiteId}/move";
  const operations: ApiOperation[] = [
    {
      ...{ ...common, id: "moveWebsite", method: "post", path, errors: ["resource-unknown", "move-refused"] },
      summary: "Move a website to another database",
      description:
        "The website is paused meanwhile: its calls are answered 503 with `Retry-After`, and what comes for it waits. After some three minutes its rows are copied, compared, and then its requests lead to the new database; the old rows are deleted a day later. One website moves at a time. Repeating the call goes on with the move.",
      body: settingsBody(MoveRequest, { second: { database: "DB_2" } }),
      answers: [ok(moveAnswers.Move, "The move has begun, or goes on.", BEGUN, 202)],
    },
    {
      ...{ ...common, id: "getMove", method: "get", path, errors: ["resource-unknown"] },
      summary: "Read how far the move of a website is",
      description: "404 where the website was not moved within the last 24 hours.",
      answers: [ok(moveAnswers.Move, "The move.", MOVE)],
    },
    {
      ...{ ...common, id: "abortMove", method: "post", path: `${path}/abort` },
      errors: ["resource-unknown", "move-refused"],
      summary: "Abort the move of a website",
      description:
        "The website stays where it is, and is open again. Until its requests lead to the new database; after that, move it back.",
      answers: [ok(moveAnswers.Move, "The move is over.", ABORTED)],
    },
  ];
  return { operations, schemas: { MoveRequest, ...moveAnswers } };
}
