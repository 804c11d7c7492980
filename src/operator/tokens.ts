import { failField } from "../domain/failure.ts";
import { isOperatorName, newTokenSchema } from "../domain/operations/operator-token.ts";
import { createOperatorToken } from "../flows/operations/operator-tokens.ts";
import { authorOf } from "../http/api-request.ts";
import { BODY_LIMITS, readFields } from "../http/body.ts";
import { inPath, inQuery, ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { deleteOperatorTokens, listOperatorTokens } from "../store/operations/operator-tokens.ts";
import { tokenAnswers } from "./answers/operators.ts";
import { operatorCall, settingsBody } from "./operator-call.ts";
import { decode, requireFound } from "./params.ts";

/** No token: its check is wrong everywhere. */
const TOKEN = `op_${"0123456789abcdef".repeat(4)}`;

const list = operatorCall({
  id: "listOperatorTokens",
  method: "GET",
  path: "/operator/tokens",
  tag: "Operators",
  summary: "List the tokens of operators",
  description: "In the order of their names. The secret `OPERATOR_TOKEN`, which is always valid, is not among them.",
  answers: [
    ok(tokenAnswers.OperatorTokenList, "Every valid token, without its secret.", {
      tokens: [{ name: "ada", role: "operator", createdAt: TIME, createdBy: "OPERATOR_TOKEN", endsAt: null }],
    }),
  ],
  command: { name: "tokens" },
  run: async (_request, deps) => {
    const found = await listOperatorTokens(deps.db, deps.now());
    const tokens = found.map((it) => ({ ...it, createdAt: toTime(it.createdAt), endsAt: toTime(it.endsAt) }));
    return { tokens };
  },
});

const create = operatorCall({
  id: "createOperatorToken",
  method: "POST",
  path: "/operator/tokens",
  tag: "Operators",
  summary: "Create an operator's token",
  description:
    "With the role `operator` it may do all that `OPERATOR_TOKEN` may, and the audit log has its name; with the role `viewer` it only reads, with numbers, addresses and texts masked. It signs in to the console, too. A token that has the name already stays valid: until it is ended, or for `graceSeconds`. Two tokens at most have a name.",
  body: settingsBody(newTokenSchema, {
    first: { name: "ada" },
    viewer: { name: "bob", role: "viewer" },
    replacement: { name: "ada", graceSeconds: 3600 },
  }),
  answers: [ok(tokenAnswers.NewOperatorToken, "The token is shown only now.", { name: "ada", token: TOKEN }, 201)],
  command: { name: "create-token", arguments: ["name"], next: () => "Keep it now: it is not shown again." },
  run: async (request, deps) => {
    const given = await readFields(request, newTokenSchema, BODY_LIMITS.settings);
    const token = await createOperatorToken(deps, authorOf(request), given);
    return { name: given.name, token };
  },
});

const end = operatorCall({
  id: "endOperatorToken",
  method: "DELETE",
  path: "/operator/tokens/:name",
  tag: "Operators",
  summary: "Revoke an operator's token",
  description:
    "The token is refused everywhere from the next request on. `which` is `all` tokens with the name, or the `old` or the `new` one of two.",
  parameters: [
    inPath("name", "As it was given.", "ada"),
    inQuery("which", "The default is `all`.", { enum: ["all", "old", "new"] }),
  ],
  answers: [ok(tokenAnswers.EndedOperatorToken, "It is ended.", { name: "ada", left: 0 })],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "end-token",
    options: {
      old: { field: "which", sets: "old", summary: "Revoke the older of two tokens." },
      new: { field: "which", sets: "new", summary: "Revoke the newer of two tokens." },
    },
    notes: "To revoke OPERATOR_TOKEN, replace it: npx wrangler secret put OPERATOR_TOKEN",
    next: ({ name, left }) => (left === 0 ? `${name} has no token any more.` : `${name} has ${left} other token.`),
  },
  run: async (request, deps) => {
    const name = decode(request.params.name ?? "");
    const which = request.query.which || "all";
    if (which !== "all" && which !== "old" && which !== "new") failField("which", "must be all, old or new");
    const left = isOperatorName(name)
      ? await deleteOperatorTokens(deps.db, authorOf(request), { name, which }, deps.now())
      : undefined;
    const what = which === "all" ? "token" : "second token with this name";
    return { name, left: requireFound(left, what) };
  },
});

export const tokens: Resource = {
  calls: [list, create, end],
  schemas: { NewTokenRequest: newTokenSchema, ...tokenAnswers },
};
