import * as z from "zod";
import { sendingHours } from "../../domain/clients/sending-hours-setting.ts";
import { type Answers, missingShape } from "../answers.ts";
import { clientWithUseSchema } from "./clients.ts";
import { storedHoldSchema } from "./holds.ts";
import { auditEntrySchema } from "./operators.ts";
import { trafficShape } from "./traffic.ts";

const websiteSchema = z.object({
  websiteId: z.string(),
  database: z.string().describe("The binding of the database that it is in."),
  name: z.string(),
  carrier: z.string(),
  sender: z.string().nullable(),
  helpText: z.string().nullable(),
  duplicateWindowHours: z.int().nullable(),
  optOutWords: z.array(z.string()).nullable(),
  timeZone: z.string().nullable().describe("An IANA name."),
  allowedCountries: z.array(z.string()).nullable().describe("ISO 3166-1 codes; null: all."),
  linkOrigin: z.string().nullable().describe("null: `LINK_ORIGIN`."),
  frequencyCap: z.object({ count: z.int(), hours: z.int() }).nullable(),
  transactionalPurposes: z.array(z.string()).nullable(),
  sendingHours: sendingHours.nullable().describe("null: its marketing messages go at any time."),
  fallback: z.object({ carrier: z.string(), sender: z.string() }).nullable().describe("null: its texts wait."),
  dailyLimit: z.int().nullable(),
  unreachableAfter: z.int().nullable().describe("null: texts to numbers that no text reaches go on."),
  holds: z.array(storedHoldSchema).describe("The holds of operators, the oldest first."),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

export const websiteAnswers = {
  Website: websiteSchema,
  WebsiteWithClients: websiteSchema.extend({
    clients: z.array(clientWithUseSchema),
    texts: z
      .object({
        asOf: z.iso.datetime().nullable().describe("What came before is counted. null: nothing is counted yet."),
        ...trafficShape,
      })
      .describe("The texts of the last 30 days (UTC), as GET /operator/overview counts them."),
    dailyLimitUsed: z
      .int()
      .nullable()
      .describe(
        "Texts of the last 24 hours that count towards `dailyLimit`. null: it has no limit, or its object does not answer.",
      ),
    refusedRequests: z
      .array(
        z.object({
          day: z.iso.date(),
          code: z.int().describe("As in the answers: see the errors."),
          requests: z.int(),
        }),
      )
      .describe(
        "Requests of its clients with right credentials that were refused in the last 30 days (UTC), newest day first. At least so many: the count of a few seconds is lost where an isolate ends before it is stored.",
      ),
    changes: z.array(auditEntrySchema).describe("The last 10 of the website and its clients, newest first."),
    advice: z.string().optional().describe("Settings that a new website should have. Left out if there are none."),
  }),
  WebsiteList: z.object({ websites: z.array(websiteSchema), ...missingShape }),
};

export type WebsiteAnswers = Answers<typeof websiteAnswers>;
