import * as z from "zod";

const hours = (fallback: number, most: number) =>
  z.coerce
    .number()
    .min(0.01)
    .max(most)
    .default(fallback)
    .transform((value) => value * 3_600_000);

/** An empty secret is none. */
const secret = z
  .string()
  .optional()
  .transform((value) => value || undefined);

const configSchema = z
  .object({
    /** How long a message or callback waits for its queue job before the sweep queues it again. */
    REQUEUE_AFTER_SECONDS: z.coerce
      .number()
      .min(1)
      .max(3600)
      .default(60)
      .transform((value) => value * 1000),
    /** How long a carrier that cannot take a message is asked again; then FAILED_TO_SEND. */
    SUBMIT_WITHIN_HOURS: hours(4, 72),
    /** How long a message waits for its final receipt; then FAILED_TO_DELIVERY. */
    RECEIPT_WITHIN_HOURS: hours(24, 168),
    /** Secret: opens /operator. Without it there is no such path. */
    OPERATOR_TOKEN: secret,
    /** Secret: what callback secrets are encrypted with. Without it, OPERATOR_TOKEN serves. */
    SERVICE_KEY: secret,
  })
  .transform((vars) => ({
    requeueAfterMilliseconds: vars.REQUEUE_AFTER_SECONDS,
    submitWithinMilliseconds: vars.SUBMIT_WITHIN_HOURS,
    receiptWithinMilliseconds: vars.RECEIPT_WITHIN_HOURS,
    operatorToken: vars.OPERATOR_TOKEN,
    serviceKey: vars.SERVICE_KEY ?? vars.OPERATOR_TOKEN,
  }));

/** Times in milliseconds. */
export type Config = z.output<typeof configSchema>;

/** @throws Error that names the var and its rule; never its value */
export function readConfig(env: object): Config {
  const result = configSchema.safeParse(env);
  if (!result.success) {
    const faults = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`wrong configuration: ${faults.join("; ")}`);
  }
  return result.data;
}
