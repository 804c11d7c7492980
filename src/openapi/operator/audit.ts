import { type AuditAnswers, auditAnswers } from "../../http/operator/audit.ts";
import { MESSAGE_ID, TIME } from "../examples.ts";
import { type ApiOperation, ok, type Parameter } from "../operation.ts";
import type { Resource } from "./resource.ts";

export const CHANGE = {
  at: TIME,
  operator: "ada",
  action: "put-website",
  websiteId: "brand",
  clientId: null,
  subject: null,
  before: { sender: "+12125550111" },
  after: { sender: "+12125550122" },
  outcome: "done",
  requestId: MESSAGE_ID,
} satisfies AuditAnswers["AuditEntry"];

const query = (name: string, description: string): Parameter => ({
  ...{ name, in: "query", required: false, description, schema: { type: "string" } },
});

export function describeAudit(): Resource {
  const operations: ApiOperation[] = [
    {
      id: "listAudit",
      tag: "Operators",
      access: "operator",
      method: "get",
      path: "/operator/audit",
      summary: "Read who changed what",
      description:
        "Every change that an operator has made, newest first, 100 per page; by one of `website`, `client` and `by`, or by none. Never a secret, a text of a message or a whole number of a person.",
      parameters: [
        query("website", "Only changes of this website and its clients."),
        query("client", "Only changes of this client."),
        query("by", "Only changes made with the tokens of this name."),
        query("cursor", "The `next` of the page before."),
      ],
      answers: [ok(auditAnswers.AuditPage, "One page.", { entries: [CHANGE], next: null })],
      errors: ["fields-wrong"],
    },
  ];
  return { operations, schemas: auditAnswers };
}
