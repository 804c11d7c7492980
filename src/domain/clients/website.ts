// Pure. A website (a tenant) and its settings.
import * as z from "zod";
import type { FieldError } from "../failure.ts";
import { firstFault, jsonObject, orLeftOut, orNull, ruleOfFields, text, wholeNumber } from "../fields.ts";
import type { Hold } from "../messages/hold.ts";
import { sendPurpose } from "../messages/send-request.ts";
import { isBlank, strip } from "../people/invisible.ts";
import { findWordFault } from "../people/keyword.ts";
import { isCountry } from "../people/phone.ts";
import { timeZoneName } from "../people/place-fields.ts";
import { ILL_FORMED, isWellFormed } from "../well-formed.ts";
import { sendingHours } from "./sending-hours-setting.ts";

export const WEBSITE_ID = /^[a-z0-9-]{1,40}$/;

/** The carriers of this service, as far as settings need them. */
export interface CarrierRules {
  /** The broken rules of a carrier with a sender. */
  faults(carrier: string, sender: string | null): FieldError[];
  /** Carriers that are set up. */
  names: string[];
  /** For a website that names none; undefined when it must name one. */
  defaultCarrier: string | undefined;
}

export const MOST_CAP_HOURS = 720;

/** More than 300 a second send in a day. */
const MOST_DAILY = 100_000_000;

const LEAST_WORDS = 1;
export const MOST_WORDS = 20;
const WORD_COUNT = `must have ${LEAST_WORDS} to ${MOST_WORDS} words; null removes them`;

const optOutWord = z
  .string("must be a string")
  .trim()
  .min(2, "must have at least 2 characters")
  .max(40, "must have at most 40 characters")
  .refine(isWellFormed, ILL_FORMED)
  .superRefine(
    firstFault((word) => {
      const fault = findWordFault(word);
      return fault && `"${word}" ${fault}`;
    }),
  );

const country = z
  .string("must be a string")
  .trim()
  .toUpperCase()
  .superRefine(firstFault((code) => (isCountry(code) ? undefined : `"${code}" is no country: ISO 3166-1, such as US`)));

/** @returns undefined: it is the origin of a web page whose path is ours alone */
function findOriginFault(url: string): string | undefined {
  const { protocol, origin, href } = URL.canParse(url) ? new URL(url) : { protocol: "", origin: "", href: "" };
  const isLocal = /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(origin);
  const isOrigin = (protocol === "https:" || isLocal) && href === `${origin}/`;
  return isOrigin ? undefined : "must be an https origin without a path, such as https://go.example.com";
}

/** The settings, without the rules that depend on the carriers that are set up. */
export const websiteFields = jsonObject({
  name: z
    .string("is required, and must be a string")
    .overwrite((value) => strip(value))
    .min(1, "is required")
    .max(200, "must have at most 200 characters")
    .refine(isWellFormed, ILL_FORMED)
    .optional()
    .describe("Required of a new website."),
  carrier: orNull(text(40)).describe(
    "One that is set up. Required of a new website, unless only the sandbox is set up: it is then the default.",
  ),
  sender: orNull(text(100)).describe("A number, a short code, or another sender of the carrier."),
  helpText: orNull(
    text(1600).refine((value) => value === "" || !isBlank(value), "must have a character that can be seen"),
  ).describe("The reply to HELP and INFO."),
  database: orLeftOut(z.string("must be a string").max(20, "must have at most 20 characters")).describe(
    "The database of a new website, such as `DB_2`. The default is the least full one. A website stays in its database: another one is refused (40001).",
  ),
  duplicateWindowHours: orNull(wholeNumber("hours", 1, 168)).describe(
    "How long the same number, text, sendPurpose and sendAt count as one message. Without it, duplicates are sent.",
  ),
  optOutWords: orNull(
    z.array(optOutWord, "must be an array of words").min(LEAST_WORDS, WORD_COUNT).max(MOST_WORDS, WORD_COUNT),
  ).describe(
    "Further words with which people opt out of this website, such as `BAJA`. Case, accents, spaces and punctuation do not matter. None may be a word that opts in or asks for help.",
  ),
  timeZone: orNull(timeZoneName).describe(
    "Where its people work, for an operator elsewhere: an IANA name, such as `America/New_York`, stored as you send it. Nothing is sent by it.",
  ),
  allowedCountries: orNull(
    z
      .array(country, "must be an array of country codes")
      .min(1, "must have a country; null allows all")
      .transform((codes) => [...new Set(codes)]),
  ).describe(
    "The countries to which it sends, as ISO 3166-1 codes such as `US`: a send request to a number of another country is refused (40001). Without it, all. Replies to keywords go to every country.",
  ),
  linkOrigin: orNull(
    text(200)
      .superRefine(firstFault(findOriginFault))
      .transform((url) => new URL(url).origin),
  ).describe(
    "The origin of its tracking links, such as `https://go.example.com`: a domain of the website whose requests reach this service. Without it, `LINK_ORIGIN`.",
  ),
  frequencyCap: orNull(
    jsonObject({ count: wholeNumber("messages", 1, 100), hours: wholeNumber("hours", 1, MOST_CAP_HOURS) }),
  ).describe(
    'The most marketing messages to one person in so many hours, such as `{"count": 3, "hours": 24}`: what is over it ends as FAILED_TO_SEND with `FREQUENCY_CAP`. It applies to messages that are accepted from then on.',
  ),
  transactionalPurposes: orNull(
    z
      .array(sendPurpose, "must be an array of purposes")
      .min(1, "must have a purpose; null removes them")
      .max(100, "must have at most 100 purposes"),
  ).describe(
    "Values of `sendPurpose` whose messages are transactional, unless their request says otherwise in `kind`.",
  ),
  sendingHours: orNull(sendingHours).describe(
    'When its marketing messages may go, by the clock of the person: `{"profile": "us-strict", "whenClosed": "delay"}`, or windows of its own. A message that comes while they are closed waits until they open (`delay`), or ends as FAILED_TO_SEND with `QUIET_HOURS` (`refuse`). Without it, at any time.',
  ),
  unreachableAfter: orNull(wholeNumber("texts", 1, 10)).describe(
    "A number whose last so many texts ended with a permanent fault of the number, without a delivery between, is unreachable: its texts end as FAILED_TO_SEND with `UNREACHABLE`. A new website has 3. Without it, texts to such numbers go on.",
  ),
  fallback: orNull(jsonObject({ carrier: text(40), sender: text(100).min(1, "is required") })).describe(
    'Another carrier or sender, such as `{"carrier": "telnyx", "sender": "+12065550100"}`. Its texts go by it while their own sender, account or carrier pauses, or if that has surely not taken them for another reason than the number or the text. A text whose outcome is unknown is never sent again. Without it, the texts wait.',
  ),
  dailyLimit: orNull(wholeNumber("texts", 1, MOST_DAILY)).describe(
    "The most texts that it accepts in 24 hours, of all its clients: a request beyond it is refused (42901). Without it, any number. Replies to keywords do not count.",
  ),
});

/**
 * Omitted settings are undefined.
 * @param present the website as it is; undefined for a new one
 */
export function websiteSettingsSchema(
  present: Pick<Website, "carrier" | "sender" | "fallback"> | undefined,
  carriers: CarrierRules,
) {
  const checkFallback = ruleOfFields<Record<string, unknown>>((given, add) => {
    const { carrier, sender, fallback } = { ...present, ...definedOf(given) } as Partial<Website>;
    if (typeof fallback !== "object" || fallback === null) return;
    if (fallback.carrier === carrier && fallback.sender === sender)
      add("fallback", "must be another sender or carrier");
    const faults = given.fallback === undefined ? [] : carriers.faults(fallback.carrier, fallback.sender);
    for (const { field, message } of faults) add("fallback", `its ${field} ${message}`);
  });
  const isLeft = (carrier: unknown) => present !== undefined && carrier === undefined;
  const requireCarrier = ruleOfFields<Record<string, unknown>>(({ name, carrier, sender }, add) => {
    if (!present && name === undefined) add("name", "is required");
    if (!isTextOrNone(carrier) || (isLeft(carrier) && sender === undefined)) return;
    const chosen = isLeft(carrier) ? present?.carrier : (carrier ?? carriers.defaultCarrier);
    if (chosen === undefined) {
      return add("carrier", `must name a carrier that is set up: ${carriers.names.join(", ")}`);
    }
    const from = sender === undefined ? present?.sender : sender;
    for (const { field, message } of carriers.faults(chosen, typeof from === "string" ? from : null)) {
      if (field === "carrier" || isTextOrNone(sender)) add(field, message);
    }
  });
  return websiteFields.check(requireCarrier, checkFallback).transform(({ carrier, ...given }) => ({
    ...given,
    carrier: isLeft(carrier) ? undefined : (carrier ?? carriers.defaultCarrier),
  }));
}

const definedOf = (given: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

function isTextOrNone(value: unknown): value is string | null | undefined {
  return typeof value === "string" || value === null || value === undefined;
}

export type GivenSettings = z.output<ReturnType<typeof websiteSettingsSchema>>;

const optionalFields = websiteFields.omit({ name: true, carrier: true, sender: true, database: true });

type OptionalFields = z.output<typeof optionalFields>;

/** What a website may have beside its name, its carrier and its sender; null: it has none. */
export type OptionalSettings = { [Name in keyof OptionalFields]-?: Exclude<OptionalFields[Name], undefined> };

/** What a new website has unless it says otherwise. */
export const NEW_WEBSITE: Partial<OptionalSettings> = { unreachableAfter: 3 };

/** @param given undefined, or left out, keeps a setting */
export function settingsAfter(present: Partial<OptionalSettings>, given: Partial<OptionalFields>): OptionalSettings {
  const names = optionalFields.keyof().options;
  const settings = names.map((name) => [name, given[name] === undefined ? (present[name] ?? null) : given[name]]);
  return Object.fromEntries(settings);
}

export interface Website extends OptionalSettings {
  websiteId: string;
  name: string;
  carrier: string;
  /** A number, a short code or another name from which the carrier sends. */
  sender: string | null;
  /** See home.ts. */
  home: number;
  /** The binding of the database that it is in. */
  database: string;
  holds: Hold[];
  createdAt: number;
  updatedAt: number;
}
