import * as z from "zod";
import { ACCOUNT_CARRIERS } from "../../carriers/account.ts";
import { type Answers, missingShape } from "../answers.ts";

const accountSchema = z.object({
  name: z.string(),
  carrier: z.enum(ACCOUNT_CARRIERS),
  settings: z.record(z.string(), z.string()).describe("Those that are no secrets."),
  secrets: z.array(z.string()).describe("The names of the secrets that it has. Their values are never shown."),
  isReadable: z
    .boolean()
    .describe("false: its secrets are encrypted with another `SERVICE_KEY`. Set the account again."),
  websiteIds: z.array(z.string()).describe("The websites that have it as their carrier."),
  webhooks: z
    .object({ receipts: z.string(), inbound: z.string() })
    .nullable()
    .describe("Where the carrier calls. Kannel's inbound URL also needs its key. null: `PUBLIC_ORIGIN` is not set."),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const accountAnswers = {
  Account: accountSchema,
  AccountList: z.object({ accounts: z.array(accountSchema), ...missingShape }),
  DeletedAccount: z.object({ name: z.string() }),
};

export type AccountAnswers = Answers<typeof accountAnswers>;
