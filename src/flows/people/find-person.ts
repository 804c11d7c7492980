// What one database has of a number.
import type { Deps } from "../../deps.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { findWebsite } from "../../store/clients/websites.ts";
import { findMessages } from "../../store/messages/find-messages.ts";
import { countOfErasure } from "../../store/people/erasure.ts";
import { listInbound } from "../../store/people/inbound.ts";
import { readPerson } from "../../store/people/person.ts";
import { findWebsitesOf } from "../../store/people/person-tables.ts";
import { inParallel } from "../in-parallel.ts";

/** What a website has: the state of the number, and its latest texts. */
export async function readInWebsite(deps: Deps, websiteId: string, phone: string, limit: number) {
  const [person, texts, messageCount, website] = await Promise.all([
    readPerson(deps.db, websiteId, toDigits(phone)),
    listInbound(deps.db, websiteId, { sender: phone, before: Number.MAX_SAFE_INTEGER, limit }),
    countOfErasure(deps.db, websiteId, toDigits(phone)),
    websiteId === "" ? undefined : findWebsite(deps.db, websiteId),
  ]);
  return { websiteId, websiteName: website?.name ?? null, person, texts, messageCount };
}

/** The person in each website that knows the number, and the latest messages to it. */
export async function findPerson(deps: Deps, phone: string, limit: number) {
  const websites = await inWebsitesOf(deps, phone, (websiteId) => readInWebsite(deps, websiteId, phone, limit));
  if (websites.length === 0) return { websites, messages: [] };
  const websiteIds = websites.map(({ websiteId }) => websiteId);
  const range = { from: 0, until: Number.MAX_SAFE_INTEGER, before: null };
  const { messages } = await findMessages(deps.db, { websiteIds, phone: toDigits(phone), ...range }, limit);
  return { websites, messages };
}

/** Each may read thousands of rows. */
const WEBSITES_AT_ONCE = 3;

/** @param read gets `""` for texts that reached no website */
export async function inWebsitesOf<T>(deps: Deps, phone: string, read: (websiteId: string) => Promise<T>) {
  return inParallel(await findWebsitesOf(deps.db, toDigits(phone), phone), WEBSITES_AT_ONCE, read);
}
