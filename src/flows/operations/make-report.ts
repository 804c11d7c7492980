import type { Deps } from "../../deps.ts";
import { chunk } from "../../domain/chunk.ts";
import type { Website } from "../../domain/clients/website.ts";
import {
  countDays,
  makeReport,
  type Part,
  type Report,
  type ReportRow,
  spanOf,
  splitByDay,
  splitBySender,
} from "../../domain/operations/report.ts";
import { countMessages, findSenderChanges } from "../../store/operations/reports.ts";
import { askTheirs } from "../databases/ask-each.ts";
import { inParallel } from "../in-parallel.ts";

/** A statement holds up all others while it runs: it counts so many websites, and days of websites, or one website. */
const WEBSITES_A_STATEMENT = 25;
const DAYS_A_STATEMENT = 800;
const STATEMENTS_AT_ONCE = 3;

/** What is asked: of websites and of a purpose, by what, and on which days. */
type Question = Pick<Report, "websiteId" | "sendPurpose" | "timeZone" | "from" | "to" | "by">;

export async function reportOn(deps: Deps, websites: Website[], question: Question): Promise<Report> {
  const counted = await askTheirs(deps, websites, (own, some) => countIn(own, some, question));
  return makeReport({ ...question, asOf: new Date(deps.now()).toISOString() }, counted);
}

/** Counts the messages of websites of one database. */
async function countIn(deps: Deps, websites: Website[], question: Question): Promise<ReportRow[]> {
  const count = async (some: Website[]) =>
    countMessages(deps.db, await split(deps.db, some, question), question, deps.now());
  const most = Math.min(WEBSITES_A_STATEMENT, Math.max(1, Math.floor(DAYS_A_STATEMENT / countDays(question))));
  return (await inParallel(chunk(websites, most), STATEMENTS_AT_ONCE, count)).flat();
}

async function split(db: D1Database, websites: Website[], question: Question): Promise<Part[]> {
  const { by } = question;
  if (by === "sender") return partsBySender(db, websites, question);
  if (by === "day") return websites.flatMap(({ websiteId }) => splitByDay(websiteId, question));
  const span = spanOf(question);
  return websites.map(({ websiteId }) => ({ websiteId, ...span, name: by === "website" ? websiteId : "" }));
}

/** The audit log has the senders that websites have had. A website that has not changed since has had one. */
async function partsBySender(db: D1Database, websites: Website[], question: Question): Promise<Part[]> {
  const since = spanOf(question).from;
  const changed = websites.filter(({ updatedAt }) => updatedAt >= since).map(({ websiteId }) => websiteId);
  const changes = changed.length > 0 ? await findSenderChanges(db, changed, since) : [];
  const byWebsite = Map.groupBy(changes, ({ websiteId }) => websiteId);
  return websites.flatMap((website) => splitBySender(website, byWebsite.get(website.websiteId) ?? [], question));
}
