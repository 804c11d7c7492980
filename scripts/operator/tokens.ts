import type { TokenAnswers } from "../../src/http/operator/tokens.ts";
import { callOperator } from "./api.ts";
import { type Command, segment, toNumber, toQuery, UsageError, type Values } from "./command.ts";
import { toTable } from "./table.ts";

export const TOKEN_COMMANDS: Command[] = [
  {
    name: "tokens",
    parameters: [],
    summary: "list the tokens of operators",
    options: {},
    notes: "OPERATOR_TOKEN, which is always valid, is not listed.",
    run: (service) => callOperator(service, "GET", "/tokens"),
    show: showTokens,
  },
  {
    name: "create-token",
    parameters: ["<name>"],
    summary: "make an operator's token, shown this once; the audit log has its name",
    options: {
      "grace-seconds": { value: "<n>", summary: "how long a token that has the name works; until ended when left out" },
    },
    run: (service, [name], values) =>
      callOperator(service, "POST", "/tokens", {
        name,
        graceSeconds: toNumber("grace-seconds", values["grace-seconds"]),
      }),
    show: (answer) => {
      const { name, token } = JSON.parse(answer) as TokenAnswers["NewOperatorToken"];
      return `${toTable([[name, token]])}\n\nKeep it now: it is not shown again.`;
    },
  },
  {
    name: "end-token",
    parameters: ["<name>"],
    summary: "end an operator's token: it is refused from the next request on",
    options: { old: { summary: "of two, the older one" }, new: { summary: "of two, the newer one" } },
    notes: "To end OPERATOR_TOKEN, replace it: npx wrangler secret put OPERATOR_TOKEN",
    run: (service, [name], values) =>
      callOperator(service, "DELETE", `/tokens/${segment(name)}${toQuery({ which: toWhich(values) })}`),
    show: (answer) => {
      const { name, left } = JSON.parse(answer) as TokenAnswers["EndedOperatorToken"];
      return left === 0 ? `${name} has no token any more.` : `Ended. ${name} has ${left} other token.`;
    },
  },
];

function toWhich(values: Values): string | undefined {
  if (values.old && values.new) throw new UsageError("--old and --new exclude each other");
  return values.old ? "old" : values.new ? "new" : undefined;
}

function showTokens(answer: string): string {
  const { tokens } = JSON.parse(answer) as TokenAnswers["OperatorTokenList"];
  if (tokens.length === 0) return "No tokens but OPERATOR_TOKEN.";
  const rows = tokens.map((it) => [it.name, it.createdAt, it.createdBy, it.endsAt]);
  return toTable([["NAME", "CREATED", "BY", "ENDS"], ...rows]);
}
