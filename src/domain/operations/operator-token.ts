// Pure. The name and the role of an operator's token, and what a call of its resource takes.
import * as z from "zod";
import { jsonObject, orLeftOut } from "../fields.ts";
import { isEmail } from "../people/email.ts";

const SHORT_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
const MOST_NAME_CHARACTERS = 100;

/** An address is the name of whoever signs in by Cloudflare Access. */
export const isOperatorName = (name: string): boolean =>
  SHORT_NAME.test(name) || (name.length <= MOST_NAME_CHARACTERS && name === name.toLowerCase() && isEmail(name));

/** A viewer sees numbers, addresses and texts masked, and changes nothing. */
export const ROLES = ["viewer", "operator"] as const;
export type Role = (typeof ROLES)[number];

const NAME_RULE =
  "must be 1 to 40 of a-z, 0-9 and -, and not begin with -, or an e-mail address in lower case of at most 100 characters";
const GRACE_RULE = "must be a whole number of seconds from 0 to 2592000";
const MAX_GRACE_SECONDS = 30 * 86_400;

/**
 * How many people a viewer may look up. A masked number hides five digits of ten: at this pace, trying the 100,000 numbers that fit takes more
 * than a day, and each is in the audit log.
 */
export const LOOK_UPS = { most: 60, milliseconds: 60_000 } as const;

export const newTokenSchema = jsonObject({
  name: z
    .string(NAME_RULE)
    .refine(isOperatorName, NAME_RULE)
    .describe(
      "Whose it is: a short name, or the e-mail address with which they sign in to Cloudflare Access. The audit log has it.",
    ),
  role: orLeftOut(z.enum(ROLES, "must be viewer or operator")).describe(
    "`viewer`: sees counts, masked numbers and no texts, and changes nothing. Left out: `operator`.",
  ),
  graceSeconds: orLeftOut(z.int(GRACE_RULE).min(0, GRACE_RULE).max(MAX_GRACE_SECONDS, GRACE_RULE)).describe(
    "How long the token that has this name stays valid. Left out: until it is ended.",
  ),
});
