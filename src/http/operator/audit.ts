import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { failField, readTogether } from "../../domain/failure.ts";
import { AUDIT_ACTIONS, type StoredAudit } from "../../domain/operations/audit.ts";
import { mergePages } from "../../flows/databases/ask-each.ts";
import { inEach } from "../../flows/databases/places.ts";
import { AUDIT_FILTERS, type AuditFilter, listAudit } from "../../store/operations/audit.ts";
import type { ApiRequest, Handler } from "../api-request.ts";
import { toTime } from "../time.ts";
import { type Answers, missingShape } from "./answers.ts";
import { PAGE } from "./params.ts";

export const auditEntrySchema = z.object({
  at: z.iso.datetime(),
  operator: z.string().describe("The name of the token."),
  action: z.enum(AUDIT_ACTIONS),
  websiteId: z.string().nullable(),
  clientId: z.string().nullable(),
  subject: z
    .string()
    .nullable()
    .describe("What else it concerns: a masked number, a carrier, a dead job, a token, an import."),
  before: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("The settings that it replaced. Of a callback URL, the origin."),
  after: z.record(z.string(), z.unknown()).nullable(),
  outcome: z
    .enum(["done", "failed"])
    .nullable()
    .describe("failed: a part may be done. null: it began, and was cut off or is not over."),
  requestId: z.string(),
});

export const auditAnswers = {
  AuditEntry: auditEntrySchema,
  AuditPage: z.object({
    entries: z.array(auditEntrySchema),
    next: z.string().nullable().describe("The `cursor` of the next page; null: this is the last."),
    ...missingShape,
  }),
};

export type AuditAnswers = Answers<typeof auditAnswers>;

function auditView({ id: _, storedAt, ...entry }: StoredAudit): AuditAnswers["AuditEntry"] {
  return { at: toTime(storedAt), ...entry };
}

/** On the page of a website or a client. */
const LAST_CHANGES = 10;

export async function lastChanges(deps: Deps, filter: AuditFilter): Promise<AuditAnswers["AuditEntry"][]> {
  return (await listAudit(deps.db, filter, LAST_CHANGES)).map(auditView);
}

/** GET /operator/audit?website=&client=&by=&cursor= : newest first. */
export const listAuditHandler: Handler = async (request, deps) => {
  const { cursor, filter } = readTogether({ cursor: () => readCursor(request), filter: () => readFilter(request) });
  const { items, next, missing } = await mergePages(inEach(deps), cursor, PAGE, async ({ db }, before) => {
    const found = await listAudit(db, filter, PAGE, before ? Number(before) : null);
    const last = found.length === PAGE ? found.at(-1) : undefined;
    const items = found.map((item) => ({ item, at: item.storedAt, cursor: String(item.id) }));
    return { items, next: last ? String(last.id) : null };
  });
  const answer: AuditAnswers["AuditPage"] = { entries: items.map(auditView), next, ...missing };
  return Response.json(answer);
};

function readCursor({ query }: ApiRequest): string {
  const cursor = String(query.cursor ?? "");
  if (cursor && !/^(\d{0,15}|\.)(~(\d{0,15}|\.))*$/.test(cursor)) failField("cursor", "must be the next of a page");
  return cursor;
}

function readFilter({ query }: ApiRequest): AuditFilter {
  const names = Object.keys(AUDIT_FILTERS) as (keyof typeof AUDIT_FILTERS)[];
  const [name, other] = names.filter((it) => query[it]);
  if (other) failField(other, `must be left out: ${name} is given`);
  return name ? { name, value: String(query[name]) } : null;
}
