// The parameters that several operator calls share: how each is declared, and how it is read.
import type { Deps } from "../deps.ts";
import { CLIENT_ID } from "../domain/clients/client.ts";
import { WEBSITE_ID, type Website } from "../domain/clients/website.ts";
import { toDay } from "../domain/day.ts";
import { failField, RequestFailure } from "../domain/failure.ts";
import { strip } from "../domain/people/invisible.ts";
import { isE164, PHONE_FORM } from "../domain/people/phone.ts";
import { explainPhone } from "../domain/people/phone-fault.ts";
import { surplusOf } from "../domain/well-formed.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { type ApiRequest, toStoredId } from "../http/api-request.ts";
import { inPath, inQuery } from "../http/call.ts";
import { CLIENT_ID as A_CLIENT_ID, PHONE as A_PHONE } from "../http/examples.ts";
import { findClient } from "../store/clients/clients.ts";
import { findWebsite } from "../store/clients/websites.ts";

/** How many items a page of a list has. */
export const PAGE = 100;

/** @throws RequestFailure resource-unknown */
export function requireFound<T>(found: T | undefined | false, what: string): T {
  if (found === undefined || found === false) throw new RequestFailure({ kind: "resource-unknown", what });
  return found;
}

export const WEBSITE = inPath("websiteId", "1 to 40 of a–z 0–9 `-`.", "brand", { pattern: WEBSITE_ID.source });

/** @throws RequestFailure resource-unknown */
export async function requireWebsite(request: ApiRequest, deps: Deps): Promise<Website> {
  const websiteId = request.params.websiteId ?? "";
  return requireFound(WEBSITE_ID.test(websiteId) ? await findWebsite(deps.db, websiteId) : undefined, "website");
}

/** The `website` of the query; null: none is named. @throws RequestFailure resource-unknown, store-unavailable */
export function readWebsiteId({ query }: ApiRequest, deps: Deps): Promise<string | null> {
  return readKnown(deps, "website", String(query.website ?? ""), WEBSITE_ID, findWebsite);
}

/** The `client` of the query; null: none is named. @throws RequestFailure resource-unknown, store-unavailable */
export function readClientId({ query }: ApiRequest, deps: Deps): Promise<string | null> {
  return readKnown(deps, "client", toStoredId(String(query.client ?? "")), CLIENT_ID, findClient);
}

async function readKnown(
  deps: Deps,
  what: string,
  id: string,
  form: RegExp,
  find: (db: D1Database, id: string) => Promise<object | undefined>,
): Promise<string | null> {
  if (id === "") return null;
  if (!form.test(id)) throw new RequestFailure({ kind: "resource-unknown", what });
  // Each is asked: the first, which says where a website is, may be away.
  const { answers, missing } = await askEach(deps, ({ db }) => find(db, id));
  const isFound = answers.some((found) => found !== undefined);
  if (!isFound && missing.unavailableDatabases) throw new RequestFailure({ kind: "store-unavailable" });
  return requireFound(isFound && id, what);
}

export const CLIENT = inPath("clientId", "As issued.", A_CLIENT_ID);

/** @throws RequestFailure resource-unknown */
export function requireClientId(request: ApiRequest): string {
  const clientId = toStoredId(request.params.clientId ?? "");
  return requireFound(CLIENT_ID.test(clientId) && clientId, "client");
}

export const PHONE = inPath(
  "phone",
  "E.164. Numbers that no numbering plan has any longer are accepted as well.",
  A_PHONE,
);

/**
 * Numbering plans change: a number that is not possible any more may still be stored.
 * @throws RequestFailure fields-wrong
 */
export function requirePhone(request: ApiRequest): string {
  return readPhone(decode(request.params.phone ?? ""));
}

/** Decodes a parameter, because itty-router leaves a path as it came, and an error should show what the person typed. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The `phone` of the query; undefined: none is given. A plus sign that is not escaped comes as a space. */
export function givenPhone({ query }: ApiRequest): string | undefined {
  return query.phone ? strip(String(query.phone).replace(/^ (?=\d)/, "+")) : undefined;
}

/** @throws RequestFailure fields-wrong */
export function readPhone(given: string): string {
  const phone = strip(given);
  return isE164(phone) || PHONE_FORM.test(phone) ? phone : failField("phone", explainPhone(phone));
}

export const BEFORE = inQuery("before", "The `receivedAt` of the last text of the previous page.", {
  format: "date-time",
});

/** @returns milliseconds since 1970; later than any time when none is given */
export function readBefore(request: ApiRequest): number {
  return readTime(request, "before", Number.MAX_SAFE_INTEGER);
}

/** A day, and a time of UTC where it has no offset. A plus sign that is not escaped comes as a space. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z|([+ -])(\d\d:\d\d))?)?$/i;

/** @returns milliseconds since 1970. @throws RequestFailure fields-wrong */
export function readTime(request: ApiRequest, name: string, fallback: number): number {
  const given = request.query[name];
  if (given === undefined || given === "") return fallback;
  const [, day = "", clock = "00:00", sign = "+", offset = "00:00"] = TIME.exec(String(given)) ?? [];
  const time = Date.parse(`${day}T${clock}${sign === " " ? "+" : sign}${offset}`);
  const midnight = Date.parse(day);
  const isDay = !Number.isNaN(midnight) && toDay(midnight) === day;
  return isDay && !Number.isNaN(time) ? time : failField(name, "must be a time in ISO 8601");
}

/** @throws RequestFailure fields-wrong */
export function readChoice<T extends string>(request: ApiRequest, name: string, choices: readonly T[]): T | undefined {
  const given = request.query[name];
  if (given === undefined || given === "") return undefined;
  return choices.find((it) => it === given) ?? failField(name, `must be one of: ${choices.join(", ")}`);
}

export function readFileName({ query }: ApiRequest): string | null {
  const name = String(query.file ?? "").trim();
  return surplusOf(name, 200) === 0 ? name || null : failField("file", "must have at most 200 characters");
}

/** Most pieces of the file of an import. */
export const MOST_PARTS = 1_000_000;

/** @returns null: the request does not say which piece of the file it has */
export function readPart({ query }: ApiRequest): string | null {
  const given = String(query.part ?? "");
  if (given === "") return null;
  const number = /^\d{1,7}$/.test(given) ? Number(given) : 0;
  const isPart = number >= 1 && number <= MOST_PARTS;
  return isPart ? `part ${number}` : failField("part", `must be a number from 1 to ${MOST_PARTS}`);
}

export function readYes({ query }: ApiRequest, name: string): boolean {
  const given = query[name] || "false";
  return given === "true" || (given === "false" ? false : failField(name, "must be true or false"));
}
