import { newTokenSchema } from "../../domain/operations/operator-token.ts";
import { tokenAnswers } from "../../http/operator/tokens.ts";
import { TIME } from "../examples.ts";
import { type ApiOperation, ok, pathParameter } from "../operation.ts";
import { type Resource, settingsBody } from "./resource.ts";

/** No token: its check is wrong everywhere. */
const TOKEN = `op_${"0123456789abcdef".repeat(4)}`;

export function describeTokens(): Resource {
  const common = { tag: "Operators", access: "operator" } satisfies Partial<ApiOperation>;
  const path = "/operator/tokens";
  const operations: ApiOperation[] = [
    {
      ...common,
      id: "listOperatorTokens",
      method: "get",
      path,
      summary: "List the tokens of operators",
      description:
        "In the order of their names. The secret `OPERATOR_TOKEN`, which is always valid, is not among them.",
      answers: [
        ok(tokenAnswers.OperatorTokenList, "Every valid token, without its secret.", {
          tokens: [{ name: "ada", createdAt: TIME, createdBy: "OPERATOR_TOKEN", endsAt: null }],
        }),
      ],
    },
    {
      ...common,
      id: "createOperatorToken",
      method: "post",
      path,
      summary: "Create an operator's token",
      description:
        "It may do all that `OPERATOR_TOKEN` may, and the audit log has its name. A token that has the name already stays valid: until it is ended, or for `graceSeconds`. Two tokens at most have a name.",
      body: settingsBody(newTokenSchema, { first: { name: "ada" }, replacement: { name: "ada", graceSeconds: 3600 } }),
      answers: [ok(tokenAnswers.NewOperatorToken, "The token is shown only now.", { name: "ada", token: TOKEN }, 201)],
    },
    {
      ...common,
      id: "endOperatorToken",
      method: "delete",
      path: `${path}/{name}`,
      summary: "End an operator's token",
      description:
        "Refused everywhere from the next request on. `which`: `all` tokens with the name, or of two the `old` or the `new` one.",
      parameters: [
        pathParameter("name", "As it was given.", { type: "string" }, "ada"),
        {
          name: "which",
          in: "query",
          required: false,
          description: "`all` when left out.",
          schema: { type: "string", enum: ["all", "old", "new"] },
        },
      ],
      answers: [ok(tokenAnswers.EndedOperatorToken, "It is ended.", { name: "ada", left: 0 })],
      errors: ["resource-unknown", "fields-wrong"],
    },
  ];
  return { operations, schemas: { NewTokenRequest: newTokenSchema, ...tokenAnswers } };
}
