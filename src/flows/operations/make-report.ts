import type { Deps } from "../../deps.ts";
import { chunk } from "../../domain/chunk.ts";
import type { Website } from "../../domain/clients/website.ts";
import { makeReport, type Part, type Report, type ReportRow, splitBySender } from "../../domain/operations/report.ts";
import { countMessages, findSenderChanges } from "../../store/operations/reports.ts";
import { askTheirs } from "../databases/ask-each.ts";
import { inParallel } from "../in-parallel.ts";

/** A statement holds up all others while it runs. */
const PARTS_A_STATEMENT = 25;
const STATEMENTS_AT_ONCE = 3;

export async function reportOn(
  deps: Deps,
  websites: Website[],
  question: Pick<Report, "websiteId" | "from" | "to" | "by">,
): Promise<Report> {
  const counted = await askTheirs(deps, websites, (own, some) => countIn(own, some, question));
  return makeReport({ ...question, asOf: new Date(deps.now()).toISOString() }, counted);
}

/** Counts the messages of websites of one database. */
async function countIn(
  deps: Deps,
  websites: Website[],
  question: Pick<Report, "from" | "to" | "by">,
): Promise<ReportRow[]> {
  const { by, from, to } = question;
  const parts =
    by === "sender"
      ? await partsBySender(deps.db, websites, question)
      : websites.map(({ websiteId }) => ({ websiteId, from, to, name: by === "website" ? websiteId : "" }));
  const count = (some: Part[]) => countMessages(deps.db, some, by, deps.now());
  return (await inParallel(chunk(parts, PARTS_A_STATEMENT), STATEMENTS_AT_ONCE, count)).flat();
}

/** The audit log has the senders that websites have had. A website that has not changed since has had one. */
async function partsBySender(
  db: D1Database,
  websites: Website[],
  range: { from: string; to: string },
): Promise<Part[]> {
  const since = Date.parse(range.from);
  const changed = websites.filter(({ updatedAt }) => updatedAt >= since).map(({ websiteId }) => websiteId);
  const changes = changed.length > 0 ? await findSenderChanges(db, changed, since) : [];
  const byWebsite = Map.groupBy(changes, ({ websiteId }) => websiteId);
  return websites.flatMap((website) => splitBySender(website, byWebsite.get(website.websiteId) ?? [], range));
}
