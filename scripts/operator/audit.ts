import type { AuditAnswers } from "../../src/http/operator/audit.ts";
import { callOperator } from "./api.ts";
import { type Command, toQuery } from "./command.ts";
import { toTable } from "./table.ts";

type Entry = AuditAnswers["AuditEntry"];

export const AUDIT_COMMANDS: Command[] = [
  {
    name: "audit",
    parameters: [],
    summary: "show who changed what, the latest first, 100 at a time",
    options: {
      website: { value: "<websiteId>", summary: "only changes of this website and its clients" },
      client: { value: "<clientId>", summary: "only changes of this client" },
      by: { value: "<name>", summary: "only changes made with the tokens of this name" },
      cursor: { value: "<cursor>", summary: "the next page, as the page before says" },
    },
    run: (service, _, { website, client, by, cursor }) =>
      callOperator(service, "GET", `/audit${toQuery({ website, client, by, cursor })}`),
    show: showAudit,
  },
];

function showAudit(answer: string): string {
  const { entries, next } = JSON.parse(answer) as AuditAnswers["AuditPage"];
  if (entries.length === 0) return "No changes.";
  return [showEntries(entries), ...(next ? ["", `More: --cursor ${next}`] : [])].join("\n");
}

export function showEntries(entries: Entry[]): string {
  const rows = entries.map((it) => [
    ...[it.at, it.operator, it.action, [it.websiteId, it.clientId, it.subject].filter(Boolean).join(" ")],
    ...[it.outcome ?? "BEGUN", describeChange(it), it.requestId],
  ]);
  return toTable([["AT", "WHO", "DID", "TO", "OUTCOME", "CHANGE", "REQUEST"], ...rows]);
}

function describeChange({ before, after }: Entry): string {
  const facts = Object.entries(after ?? {}).map(([name, value]) => {
    const old = before && name in before ? `${JSON.stringify(before[name])} -> ` : "";
    return `${name}: ${old}${JSON.stringify(value)}`;
  });
  return facts.join(", ");
}
