import * as z from "zod";
import { RECEIPT_WITHIN_HOURS, REQUEUE_AFTER_SECONDS, SUBMIT_WITHIN_HOURS } from "./domain/retry-policy.ts";

const hours = ({ fallback, most }: { fallback: number; most: number }) =>
  z.coerce
    .number()
    .min(0.01)
    .max(most)
    .default(fallback)
    .transform((value) => value * 3_600_000);

/** An empty secret counts as unset. */
const secret = z
  .string()
  .optional()
  .transform((value) => value || undefined);

/** A URL, without its trailing slash; an empty one counts as unset. */
const baseUrl = z
  .union([z.url({ protocol: /^https?$/ }), z.literal("")])
  .optional()
  .transform((value) => value?.replace(/\/+$/, "") || undefined);

/** The origin under which carriers and handsets reach this service. */
const origin = baseUrl.refine((value) => value === undefined || new URL(value).origin === value, {
  error: "must be an origin, such as https://sms.example.com",
});

/** Each carrier needs all of its settings. */
const carrierVars = {
  PUBLIC_ORIGIN: origin,
  TWILIO_ACCOUNT_SID: secret,
  TWILIO_AUTH_TOKEN: secret,
  TWILIO_API_URL: baseUrl.transform((value) => value ?? "https://api.twilio.com"),
  TELNYX_API_KEY: secret,
  TELNYX_PUBLIC_KEY: secret,
  TELNYX_API_URL: baseUrl.transform((value) => value ?? "https://api.telnyx.com/v2"),
  KANNEL_SENDSMS_URL: baseUrl,
  KANNEL_USERNAME: secret,
  KANNEL_PASSWORD: secret,
  KANNEL_WEBHOOK_KEY: secret,
};

const configSchema = z
  .object({
    REQUEUE_AFTER_SECONDS: z.coerce
      .number()
      .min(REQUEUE_AFTER_SECONDS.least)
      .max(REQUEUE_AFTER_SECONDS.most)
      .default(REQUEUE_AFTER_SECONDS.fallback)
      .transform((value) => value * 1000),
    SUBMIT_WITHIN_HOURS: hours(SUBMIT_WITHIN_HOURS),
    RECEIPT_WITHIN_HOURS: hours(RECEIPT_WITHIN_HOURS),
    /** Secret: opens /operator. Without it, /operator does not exist. */
    OPERATOR_TOKEN: secret,
    /** Secret: encrypts callback secrets. The default is OPERATOR_TOKEN. */
    SERVICE_KEY: secret,
    /** The origin of tracking links. The default is PUBLIC_ORIGIN, or else the origin of the send request. */
    LINK_ORIGIN: origin,
    /** Retention of messages with their events and links. */
    RETENTION_DAYS: z.coerce
      .number()
      .min(7)
      .max(3650)
      .default(30)
      .transform((value) => value * 86_400_000),
    ...carrierVars,
  })
  .transform(
    ({
      LINK_ORIGIN,
      RETENTION_DAYS,
      REQUEUE_AFTER_SECONDS,
      SUBMIT_WITHIN_HOURS,
      RECEIPT_WITHIN_HOURS,
      OPERATOR_TOKEN,
      SERVICE_KEY,
      ...carriers
    }) => ({
      linkOrigin: LINK_ORIGIN ?? carriers.PUBLIC_ORIGIN,
      retentionMilliseconds: RETENTION_DAYS,
      requeueAfterMilliseconds: REQUEUE_AFTER_SECONDS,
      submitWithinMilliseconds: SUBMIT_WITHIN_HOURS,
      receiptWithinMilliseconds: RECEIPT_WITHIN_HOURS,
      operatorToken: OPERATOR_TOKEN,
      serviceKey: SERVICE_KEY ?? OPERATOR_TOKEN,
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
