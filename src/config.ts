import * as z from "zod";
import { isLoopback } from "./domain/callbacks/callback-url.ts";
import { DAY_MILLISECONDS } from "./domain/day.ts";
import { RECEIPT_WITHIN_HOURS, REQUEUE_AFTER_SECONDS, SUBMIT_WITHIN_HOURS } from "./domain/messages/retry-policy.ts";

interface Bounds {
  fallback: number;
  least: number;
  most: number;
}

const number = ({ fallback, least, most }: Bounds, unitMilliseconds: number) => {
  const error = `must be a number from ${least} to ${most}`;
  const bounded = z.number(error).min(least, error).max(most, error);
  return z
    .transform((value: unknown) => (value === undefined ? undefined : Number(value)))
    .pipe(bounded.default(fallback))
    .transform((value) => value * unitMilliseconds);
};

/** What may be left out, or empty. */
const orUnset = <T extends z.ZodType<string, string>>(schema: T) =>
  schema.optional().transform((value) => (value || undefined) as Exclude<z.output<T>, ""> | undefined);

const secret = orUnset(z.string("must be a string"));

const notUrl = "must be an absolute http or https URL";

const anyUrl = orUnset(
  z
    .string(notUrl)
    .trim()
    .refine((value) => value === "" || (/^https?:\/\//i.test(value) && URL.canParse(value)), notUrl),
);

/** A URL, without its trailing slash. */
const baseUrl = anyUrl.transform((value) => value?.replace(/\/+$/, ""));

const origin = baseUrl.refine(
  (value) => value === undefined || new URL(value).origin === value,
  "must be an origin, such as https://sms.example.com",
);

const notContact = "must be a URI that begins with mailto:, https:// or tel:";

/** RFC 9116, 2.5.3: a URI, and a web page only over https. */
const contact = orUnset(z.string(notContact).regex(/^((mailto:|tel:|https:\/\/)[\x21-\x7e]+)?$/, notContact));

/** The locations that D1 offers: a database is made in one, and stays there. A Durable Object takes the same names as a hint. */
const location = orUnset(
  z.enum(
    ["wnam", "enam", "weur", "eeur", "apac", "oc", ""],
    "must be the location of the database: wnam, enam, weur, eeur, apac or oc",
  ),
);

/**
 * The base URL of a carrier. On Cloudflare, fetch by IP address answers 403: https://developers.cloudflare.com/workers/platform/known-issues/
 * Loopback works in local development.
 */
export const carrierUrl = baseUrl.refine(
  (value) => value === undefined || !isAddress(new URL(value)),
  "must name a host, not an IP address: Cloudflare refuses such requests (error 1003)",
);

const apiUrl = (usual: string) => carrierUrl.transform((value) => value ?? usual);

/** The URL parser writes every notation of an IPv4 address as four decimal numbers. */
function isAddress(url: URL): boolean {
  return /^(\[.*\]|(\d+\.){3}\d+\.?)$/.test(url.hostname) && !isLoopback(url);
}

/** Ed25519 public keys are 32 bytes of any value. With a wrong one, every receipt and text would count as forged. */
export const ed25519Key = secret.refine(
  (value) => value === undefined || byteCount(value) === 32,
  "must be an Ed25519 public key: 32 bytes in Base64",
);

function byteCount(base64: string): number | undefined {
  try {
    // Node, where npm run deploy:check reads this, has no Uint8Array.fromBase64 yet.
    return atob(base64).length;
  } catch {
    return undefined;
  }
}

const notTeam = "must be the domain of the team, such as brand.cloudflareaccess.com";

/** With or without `https://`, as the dashboard shows it in both ways. */
const teamDomain = orUnset(
  z
    .string(notTeam)
    .trim()
    .toLowerCase()
    .overwrite((value) => value.replace(/^https:\/\/|\/$/g, ""))
    .regex(/^([a-z0-9-]+\.cloudflareaccess\.com)?$/, notTeam),
);

const audience = orUnset(
  z
    .string()
    .trim()
    .regex(/^([0-9a-f]{64})?$/, "must be the application's AUD tag: 64 lower-case hex characters"),
);

const onOrOff = z.enum(["on", "off", ""], "must be on or off").optional();

const alertSecret = secret.refine(
  (value) => value === undefined || (byteCount(value.replace(/^whsec_/, "")) ?? 0) >= 16,
  "must be at least 16 bytes in Base64, with whsec_ in front or without",
);

export const TWILIO_API_URL = "https://api.twilio.com";
export const TELNYX_API_URL = "https://api.telnyx.com/v2";

/** Each carrier needs all of its settings. */
const carrierVars = {
  PUBLIC_ORIGIN: origin,
  TWILIO_ACCOUNT_SID: secret,
  TWILIO_AUTH_TOKEN: secret,
  /** Set during a token rotation: signatures with either token are accepted, and calls use the first. */
  TWILIO_SECONDARY_AUTH_TOKEN: secret,
  TWILIO_WEBHOOK_SIGNING_KEY: secret,
  TWILIO_API_URL: apiUrl(TWILIO_API_URL),
  TELNYX_API_KEY: secret,
  TELNYX_PUBLIC_KEY: ed25519Key,
  TELNYX_API_URL: apiUrl(TELNYX_API_URL),
  KANNEL_SENDSMS_URL: carrierUrl,
  KANNEL_CONNECT_PROBE: onOrOff,
  KANNEL_USERNAME: secret,
  KANNEL_PASSWORD: secret,
  KANNEL_WEBHOOK_KEY: secret,
  /** Set while the key is replaced: receipts and texts with either are accepted, and new texts use the first. */
  KANNEL_PREVIOUS_WEBHOOK_KEY: secret,
};

const vars = z.object({
  OPERATOR_TOKEN: secret,
  SERVICE_KEY: secret,
  SUBMIT_WITHIN_HOURS: number(SUBMIT_WITHIN_HOURS, 3_600_000),
  RECEIPT_WITHIN_HOURS: number(RECEIPT_WITHIN_HOURS, 3_600_000),
  LINK_ORIGIN: origin,
  RETENTION_DAYS: number({ fallback: 30, least: 7, most: 3650 }, DAY_MILLISECONDS),
  REQUEUE_AFTER_SECONDS: number(REQUEUE_AFTER_SECONDS, 1000),
  LIMITER_LOCATION: location,
  SECURITY_CONTACT: contact,
  ALERT_URL: anyUrl,
  ALERT_SECRET: alertSecret,
  HEARTBEAT_URL: anyUrl,
  ACCESS_TEAM_DOMAIN: teamDomain,
  ACCESS_AUD: audience,
  ...carrierVars,
});

/** src/openapi/settings.ts says what each setting means. */
export const configSchema = vars.transform(
  ({
    LINK_ORIGIN,
    RETENTION_DAYS,
    REQUEUE_AFTER_SECONDS,
    SUBMIT_WITHIN_HOURS,
    RECEIPT_WITHIN_HOURS,
    OPERATOR_TOKEN,
    SERVICE_KEY,
    LIMITER_LOCATION,
    SECURITY_CONTACT,
    ALERT_URL,
    ALERT_SECRET,
    HEARTBEAT_URL,
    ACCESS_TEAM_DOMAIN,
    ACCESS_AUD,
    ...carriers
  }) => ({
    linkOrigin: LINK_ORIGIN ?? carriers.PUBLIC_ORIGIN,
    retentionMilliseconds: RETENTION_DAYS,
    requeueAfterMilliseconds: REQUEUE_AFTER_SECONDS,
    submitWithinMilliseconds: SUBMIT_WITHIN_HOURS,
    receiptWithinMilliseconds: RECEIPT_WITHIN_HOURS,
    operatorToken: OPERATOR_TOKEN,
    serviceKey: SERVICE_KEY ?? OPERATOR_TOKEN,
    /** Signs links and tokens of operators. Never OPERATOR_TOKEN: one that a person chose could be guessed from them. */
    linkKey: SERVICE_KEY ?? "",
    limiterLocation: LIMITER_LOCATION,
    securityContact: SECURITY_CONTACT,
    alertUrl: ALERT_URL,
    alertSecret: ALERT_SECRET,
    heartbeatUrl: HEARTBEAT_URL,
    /** Who has signed in at Cloudflare Access is signed in to the console. */
    access:
      ACCESS_TEAM_DOMAIN && ACCESS_AUD ? { issuer: `https://${ACCESS_TEAM_DOMAIN}`, audience: ACCESS_AUD } : undefined,
    carriers,
  }),
);

/** Times in milliseconds. */
export type Config = z.output<typeof configSchema>;

/** @throws Error with the name of the var and its rule, and never its value */
export function readConfig(env: object): Config {
  const result = configSchema.safeParse(env);
  if (!result.success) {
    const messages = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`wrong configuration: ${messages.join("; ")}`);
  }
  return result.data;
}
