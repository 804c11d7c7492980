// Pure. A client: credentials that act for one website.
import * as z from "zod";
import { EVENT_TYPES, MESSAGE_EVENT_TYPES } from "../callbacks/callback.ts";
import { validateCallbackUrl } from "../callbacks/callback-url.ts";
import { firstFault, jsonObject, orLeftOut, orNull, text, wholeNumber } from "../fields.ts";
import type { SendingHours } from "../messages/sending-hours.ts";
import type { ClientRefusal } from "./client-uses.ts";

export const OPERATIONS = ["send", "status", "subscription", "subscribe", "unsubscribe"] as const;

export type Operation = (typeof OPERATIONS)[number];

/** What may be posted to a client, and what is unless it says otherwise. */
export const CLIENT_EVENTS = EVENT_TYPES;
export const DEFAULT_EVENTS = MESSAGE_EVENT_TYPES;

export type ClientEvent = (typeof CLIENT_EVENTS)[number];

export const CLIENT_ID = /^[0-9a-f]{32}$/;
export const CLIENT_SECRET = /^[0-9a-f]{64}$/;

/** A list of some of these, each once. */
function someOf<const Name extends string>(names: readonly Name[]) {
  const known = names.join(", ");
  return orLeftOut(
    z
      .array(z.enum(names, `must be one of: ${known}`), `must be an array of: ${known}`)
      .transform((given) => [...new Set(given)]),
  );
}

/** @param allowLocal see validateCallbackUrl */
export function clientSettingsSchema(allowLocal: boolean) {
  const callbackUrl = z
    .string("must be a string")
    .superRefine(firstFault((url) => validateCallbackUrl(url, allowLocal)));
  return jsonObject({
    name: orNull(text(200)).describe("For the operator: which platform it is."),
    callbackUrl: orNull(callbackUrl).describe(
      'An https URL with the name of a host outside private networks; an IP address is refused. `""` or null removes it, and due callbacks are not posted; omitted, it stays unchanged.',
    ),
    operations: someOf(OPERATIONS).describe(
      "The calls that the client may make. A new client may do everything by default.",
    ),
    events: someOf(CLIENT_EVENTS).describe(
      "The events that are posted to its callback URL. A new client gets `message.status` and `message.clicked` by default. A change holds for what happens from then on.",
    ),
    suspended: orLeftOut(z.boolean("must be true or false")),
  });
}

export type ClientSettings = z.output<ReturnType<typeof clientSettingsSchema>>;

export const DEFAULT_GRACE_SECONDS = 86_400;
const MAX_GRACE_SECONDS = 30 * 86_400;

export const rotationSchema = jsonObject({
  graceSeconds: orLeftOut(wholeNumber("seconds", 0, MAX_GRACE_SECONDS))
    .transform((seconds) => seconds ?? DEFAULT_GRACE_SECONDS)
    .describe("How long the old secrets stay valid."),
});

/** The copy of a client in KV: everything that the check of a request needs. */
export interface Credentials {
  clientId: string;
  websiteId: string;
  operations: Operation[];
  suspended: boolean;
  /** SHA-256, hex. */
  secretHash: string;
  /** The secret that a rotation has replaced, valid until its grace ends (milliseconds since 1970). */
  oldSecret: { hash: string; until: number } | null;
  /** A setting of the website; null: duplicates are not suppressed. */
  duplicateWindowHours: number | null;
  /** Settings of the website: see WebsiteSettings. */
  allowedCountries: string[] | null;
  linkOrigin: string | null;
  transactionalPurposes: string[] | null;
  sendingHours: SendingHours | null;
  /** A setting of the website; null: any number. */
  dailyLimit: number | null;
  /** The home of the website: see home.ts. */
  home: number;
  /** The binding of the database that the website is in. */
  database: string;
  /** Grows with each change of any of these. */
  version: number;
}

/** Whether the one is of a later change than the other. */
export function isNewer(one: Pick<Credentials, "version">, other: Pick<Credentials, "version">): boolean {
  return one.version > other.version;
}

/**
 * When a change holds. `at-once`: the website's object has it, and refuses what it takes away. `within-minutes`: the object did
 * not answer, so it holds as KV spreads it.
 */
export const EFFECTS = ["at-once", "within-minutes"] as const;

export type Effect = (typeof EFFECTS)[number];

/** A client as the operator sees it, without its secrets. */
export interface Client {
  clientId: string;
  websiteId: string;
  name: string | null;
  callbackUrl: string | null;
  operations: Operation[];
  events: ClientEvent[];
  suspended: boolean;
  createdAt: number;
  changedAt: number;
}

/** What a client's page tells of its requests. Times in milliseconds since 1970. */
export interface ClientUse {
  lastUsedAt: number | null;
  rotatedAt: number | null;
  /** null: only the present pair is valid. */
  oldPairUntil: number | null;
  /** Those that are valid, the newest first. */
  secrets: { endsIn: string; since: number; validUntil: number | null; lastUsedAt: number | null }[];
  lastRefusal: { at: number; cause: ClientRefusal } | null;
}
