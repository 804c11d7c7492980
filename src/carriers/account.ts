// Pure. A named account at a carrier: what an operator gives, and what of it is secret. The carrier's own name is the account of the
// environment's settings.
import * as z from "zod";
import { carrierUrl, ed25519Key } from "../config.ts";
import { jsonObject, orLeftOut, ruleOfFields, text } from "../domain/fields.ts";

export const ACCOUNT_NAME = /^[a-z0-9-]{1,40}$/;

const [REQUIRED, OPTIONAL] = [true, false];

/** The fields of each carrier's accounts. */
const FIELDS = {
  twilio: {
    ...{ accountSid: REQUIRED, authToken: REQUIRED, previousAuthToken: OPTIONAL },
    ...{ webhookSigningKey: OPTIONAL, apiUrl: OPTIONAL },
  },
  telnyx: { apiKey: REQUIRED, publicKey: REQUIRED, apiUrl: OPTIONAL },
  kannel: {
    ...{ sendsmsUrl: REQUIRED, username: REQUIRED, password: REQUIRED },
    ...{ webhookKey: REQUIRED, previousWebhookKey: OPTIONAL },
  },
} as const;

export type AccountCarrier = keyof typeof FIELDS;

export const ACCOUNT_CARRIERS = Object.keys(FIELDS) as [AccountCarrier, ...AccountCarrier[]];

const word = text(500).trim().min(1, "must not be empty");

/** Kannel corrupts percent-escapes, and the key stands in a URL. */
const inUrl = word.regex(/^[\w-]+$/, "must have only A-Z, a-z, 0-9, - and _");

const fields = {
  carrier: z
    .enum(ACCOUNT_CARRIERS, `must be one of: ${ACCOUNT_CARRIERS.join(", ")}`)
    .describe("An account stays with its carrier."),
  accountSid: orLeftOut(word.regex(/^\w+$/, "must be the id of an account, such as AC…")).describe("Of Twilio."),
  authToken: orLeftOut(word).describe("Of Twilio. Authenticates submissions, and verifies webhooks."),
  previousAuthToken: orLeftOut(word).describe("Of Twilio: the token before it. Webhooks that it signs are accepted."),
  webhookSigningKey: orLeftOut(word).describe("Of Twilio: the shared key of a Webhooks Rule of the account."),
  apiKey: orLeftOut(word).describe("Of Telnyx."),
  publicKey: orLeftOut(ed25519Key as z.ZodType<string | undefined, string | undefined>).describe(
    "Of Telnyx. Verifies webhooks: 32 bytes in Base64.",
  ),
  sendsmsUrl: orLeftOut(carrierUrl as z.ZodType<string | undefined, string | undefined>).describe(
    "Of Kannel: smsbox's sendsms URL.",
  ),
  username: orLeftOut(word).describe("Of Kannel."),
  password: orLeftOut(word).describe("Of Kannel."),
  webhookKey: orLeftOut(inUrl).describe("Of Kannel. Authenticates receipts and inbound texts."),
  previousWebhookKey: orLeftOut(inUrl).describe("Of Kannel: the key before it, which is still accepted."),
  apiUrl: orLeftOut(carrierUrl as z.ZodType<string | undefined, string | undefined>).describe(
    "Of Twilio or Telnyx: another base URL of its API.",
  ),
};

type FieldName = Exclude<keyof typeof fields, "carrier">;

const SECRETS: readonly FieldName[] = [
  ...(["authToken", "previousAuthToken", "webhookSigningKey", "apiKey"] as const),
  ...(["password", "webhookKey", "previousWebhookKey"] as const),
];

/** Each carrier needs fields of its own, and takes no other's. */
const ownFields = ruleOfFields<Record<string, unknown>>((given, add) => {
  const own: Partial<Record<string, boolean>> | undefined = FIELDS[given.carrier as AccountCarrier];
  if (!own) return;
  for (const name of Object.keys(fields)) {
    const isGiven = given[name] !== undefined && given[name] !== null && given[name] !== "";
    if (own[name] && !isGiven) add(name, `is required of an account of ${given.carrier}`);
    if (isGiven && name !== "carrier" && !(name in own)) add(name, `is no field of an account of ${given.carrier}`);
  }
});

export const accountFields = jsonObject(fields);
export const accountSchema = accountFields.check(ownFields);

export type Account = z.output<typeof accountFields>;

/** What is shown of an account, and what is kept encrypted. */
export function splitAccount({ carrier: _, ...given }: Account) {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined) as [FieldName, string][];
  const isSecret = ([name]: [FieldName, string]) => SECRETS.includes(name);
  const shown = Object.fromEntries(entries.filter((entry) => !isSecret(entry))) as Record<string, string>;
  return { shown, secrets: Object.fromEntries(entries.filter(isSecret)) as Record<string, string> };
}
