import type { Deps } from "../../deps.ts";
import { chunk } from "../../domain/chunk.ts";
import type { Website } from "../../domain/clients/website.ts";
import { makeReport, type Part, type Report, type ReportRow, splitBySender } from "../../domain/operations/report.ts";
import { countMessages, findSenderChanges } from "../../store/operations/reports.ts";
import { inDatabase, inEach } from "../databases/places.ts";
import { inParallel } from "../in-parallel.ts";

/** A statement holds up all others while it runs. */
const PARTS_A_STATEMENT = 25;
const STATEMENTS_AT_ONCE = 3;
const DATABASES_AT_ONCE = 2;

export async function reportOn(
  deps: Deps,
  websites: Website[],
  question: Pick<Report, "websiteId" | "from" | "to" | "by">,
): Promise<Report> {
  const databases = [...Map.groupBy(websites, ({ database }) => database)];
  const counted = await inParallel(databases, DATABASES_AT_ONCE, ([database, some]) =>
    countIn(inDatabase(deps, database), some, question),
  );
  return makeReport({ ...question, asOf: new Date(deps.now()).toISOString() }, counted.flat());
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
      ? await partsBySender(deps, websites, question)
      : websites.map(({ websiteId }) => ({ websiteId, from, to, name: by === "website" ? websiteId : "" }));
  const count = (some: Part[]) => countMessages(deps.db, some, by, deps.now());
  return (await inParallel(chunk(parts, PARTS_A_STATEMENT), STATEMENTS_AT_ONCE, count)).flat();
}

/** The audit logs have the senders that websites have had, also where they have moved from. A website that has not changed since has had one. */
async function partsBySender(deps: Deps, websites: Website[], range: { from: string; to: string }): Promise<Part[]> {
  const since = Date.parse(range.from);
  const changed = websites.filter(({ updatedAt }) => updatedAt >= since).map(({ websiteId }) => websiteId);
  const databases = changed.length > 0 ? inEach(deps) : [];
  const changes = await inParallel(databases, DATABASES_AT_ONCE, ({ db }) => findSenderChanges(db, changed, since));
  // A website that has moved there and back has earlier changes in another database than later ones.
  const inOrder = changes.flat().sort((a, b) => a.at - b.at);
  const byWebsite = Map.groupBy(inOrder, ({ websiteId }) => websiteId);
  return websites.flatMap((website) => splitBySender(website, byWebsite.get(website.websiteId) ?? [], range));
}
