import * as z from "zod";
import { failField } from "../../domain/failure.ts";
import { newTokenSchema, OPERATOR_NAME } from "../../domain/operations/operator-token.ts";
import { createOperatorToken } from "../../flows/operations/operator-tokens.ts";
import { deleteOperatorTokens, listOperatorTokens } from "../../store/operations/operator-tokens.ts";
import { authorOf, type Handler } from "../api-request.ts";
import { BODY_LIMITS, readFields } from "../body.ts";
import { toTime } from "../time.ts";
import type { Answers } from "./answers.ts";
import { requireFound } from "./params.ts";

const tokenSchema = z.object({
  name: z.string(),
  createdAt: z.iso.datetime(),
  createdBy: z.string().describe("The name of the token that made it."),
  endsAt: z.iso.datetime().nullable().describe("null: it is valid until it is ended."),
});

export const tokenAnswers = {
  OperatorTokenList: z.object({ tokens: z.array(tokenSchema) }),
  NewOperatorToken: z.object({ name: z.string(), token: z.string().describe("Shown only now.") }),
  EndedOperatorToken: z.object({
    name: z.string(),
    left: z.int().describe("How many tokens with this name are still valid."),
  }),
};

export type TokenAnswers = Answers<typeof tokenAnswers>;

/** GET /operator/tokens */
export const listOperatorTokensHandler: Handler = async (_request, deps) => {
  const found = await listOperatorTokens(deps.db, deps.now());
  const tokens = found.map((it) => ({ ...it, createdAt: toTime(it.createdAt), endsAt: toTime(it.endsAt) }));
  const answer: TokenAnswers["OperatorTokenList"] = { tokens };
  return Response.json(answer);
};

/** POST /operator/tokens */
export const createOperatorTokenHandler: Handler = async (request, deps) => {
  const given = await readFields(request, newTokenSchema, BODY_LIMITS.settings);
  const token = await createOperatorToken(deps, authorOf(request), given);
  const answer: TokenAnswers["NewOperatorToken"] = { name: given.name, token };
  return Response.json(answer, { status: 201 });
};

/** DELETE /operator/tokens/:name?which=all|old|new */
export const endOperatorTokenHandler: Handler = async (request, deps) => {
  const name = request.params.name ?? "";
  const which = request.query.which || "all";
  if (which !== "all" && which !== "old" && which !== "new") failField("which", "must be all, old or new");
  const left = OPERATOR_NAME.test(name)
    ? await deleteOperatorTokens(deps.db, authorOf(request), { name, which }, deps.now())
    : undefined;
  const what = which === "all" ? "token" : "second token with this name";
  const answer: TokenAnswers["EndedOperatorToken"] = { name, left: requireFound(left, what) };
  return Response.json(answer);
};
