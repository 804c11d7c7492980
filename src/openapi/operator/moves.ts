import { type MoveAnswers, moveAnswers, moveRequestSchema } from "../../http/operator/moves.ts";
import { TIME } from "../examples.ts";
import { type ApiOperation, ok } from "../operation.ts";
import { type Resource, settingsBody, WEBSITE_PARAMETER } from "./resource.ts";

const MOVE = {
  ...{ websiteId: "brand", from: "DB", to: "DB_2", step: "copy", waitsFor: "the rows to be copied" },
  ...{ rowsCopied: 12_000, rowsCompared: 0, rowsTotal: 48_200, logLength: 310, isFenced: false },
  ...{ startedAt: TIME, workedAt: TIME, movedAt: null, canGoBackUntil: null, error: null },
} satisfies MoveAnswers["Move"];

const BEGUN = { ...MOVE, step: "prepare", waitsFor: null, rowsCopied: null, rowsCompared: null } as const;
const NOTHING = { rowsTotal: null, logLength: null } as const;

export function describeMoves(): Resource {
  const MoveRequest = moveRequestSchema;
  const common = {
    tag: "Websites",
    access: "operator",
    parameters: [WEBSITE_PARAMETER],
  } satisfies Partial<ApiOperation>;
  const path = "/operator/websites/{websiteId}/move";
  const begun = ok(moveAnswers.Move, "The move has begun.", { ...BEGUN, ...NOTHING });
  const operations: ApiOperation[] = [
    {
      ...{ ...common, id: "moveWebsite", method: "post", path, errors: ["resource-unknown", "move-refused"] },
      summary: "Move a website to another database",
      description:
        "While it is in use: jobs copy its rows, compare them, and lead its requests to the new database. Writes of the website wait for at most two seconds at the end. One website moves at a time.",
      body: settingsBody(MoveRequest, { second: { database: "DB_2" } }),
      answers: [begun],
    },
    {
      ...{ ...common, id: "getMove", method: "get", path, errors: ["resource-unknown"] },
      summary: "Read how far the move of a website is",
      description: "404 where the website was not moved within the last 24 hours.",
      answers: [ok(moveAnswers.Move, "The move.", MOVE)],
    },
    {
      ...{ ...common, id: "moveBack", method: "post", path: `${path}-back` },
      errors: ["resource-unknown", "move-refused"],
      summary: "Move a website back",
      description:
        "To where it was, within 24 hours after its move, with all that was stored since. It takes the same steps as a move.",
      answers: [begun],
    },
  ];
  return { operations, schemas: { MoveRequest, ...moveAnswers } };
}
