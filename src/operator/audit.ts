import type { Deps } from "../deps.ts";
import { failField, readTogether } from "../domain/failure.ts";
import type { StoredAudit } from "../domain/operations/audit.ts";
import { mergePages } from "../flows/databases/ask-each.ts";
import { type ApiRequest, toStoredId } from "../http/api-request.ts";
import { inQuery, ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { AUDIT_FILTERS, type AuditFilter, listAudit } from "../store/operations/audit.ts";
import { type AuditAnswers, auditAnswers } from "./answers/operators.ts";
import { operatorCall } from "./operator-call.ts";
import { PAGE, readClientId, readWebsiteId } from "./params.ts";

/** In the shell, where `--json` has the id of the request, too. */
export const CHANGE_COLUMNS = [
  ...["at", "operator", "action", "websiteId", "clientId", "subject", "outcome", "before", "after"],
];

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

function auditView({ id: _, storedAt, ...entry }: StoredAudit): AuditAnswers["AuditEntry"] {
  return { at: toTime(storedAt), ...entry };
}

/** On the page of a website or a client. */
export const LAST_CHANGES = 10;

export async function lastChanges(deps: Deps, filter: AuditFilter): Promise<AuditAnswers["AuditEntry"][]> {
  return (await listAudit(deps.db, filter, LAST_CHANGES)).map(auditView);
}

const list = operatorCall({
  id: "listAudit",
  method: "GET",
  path: "/operator/audit",
  tag: "Operators",
  summary: "Read who changed what, and who looked up whom",
  description:
    "Every change that an operator has made, and each look-up of a person, newest first, 100 per page; by one of `website`, `client` and `by`, or by none. Never a secret, a text of a message or a whole number of a person.",
  parameters: [
    inQuery("website", "Only changes of this website and its clients."),
    inQuery("client", "Only changes of this client."),
    inQuery("by", "Only changes made with the tokens of this name."),
    inQuery("cursor", "The `next` of the page before."),
  ],
  answers: [ok(auditAnswers.AuditPage, "One page.", { entries: [CHANGE], next: null })],
  errors: ["resource-unknown", "fields-wrong"],
  command: { name: "audit", columns: { entries: CHANGE_COLUMNS } },
  run: async (request, deps) => {
    const { cursor, filter } = readTogether({ cursor: () => readCursor(request), filter: () => readFilter(request) });
    await readWebsiteId(request, deps);
    await readClientId(request, deps);
    const { items, next, missing } = await mergePages(deps, cursor, PAGE, async ({ db }, before) => {
      const found = await listAudit(db, filter, PAGE, before ? Number(before) : null);
      const items = found.map((item) => ({ item, at: item.storedAt, cursor: String(item.id) }));
      return { items, next: found.length === PAGE ? (items.at(-1) ?? null) : null };
    });
    return { entries: items.map(auditView), next, ...missing };
  },
});

function readCursor({ query }: ApiRequest): string {
  const cursor = String(query.cursor ?? "");
  if (cursor && !/^(\d{0,15}|\.)(~(\d{0,15}|\.))*$/.test(cursor))
    failField("cursor", "must be the `next` of an earlier page");
  return cursor;
}

function readFilter({ query }: ApiRequest): AuditFilter {
  const names = Object.keys(AUDIT_FILTERS) as (keyof typeof AUDIT_FILTERS)[];
  const [name, other] = names.filter((it) => query[it]);
  if (other) failField(other, `cannot be given with ${name}: give one of them`);
  if (!name) return null;
  const value = String(query[name]);
  return { name, value: name === "client" ? toStoredId(value) : value };
}

export const audit: Resource = { calls: [list], schemas: auditAnswers };
