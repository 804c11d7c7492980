import * as z from "zod";
import { CLIENT_EVENTS, type Client, EFFECTS, OPERATIONS } from "../../domain/clients/client.ts";
import { CLIENT_REFUSALS } from "../../domain/clients/client-uses.ts";
import { CLIENT_ID as A_CLIENT_ID, TIME } from "../../http/examples.ts";
import { toTime } from "../../http/time.ts";
import type { Answers } from "../answers.ts";
import { auditEntrySchema } from "../audit.ts";

export const clientSchema = z.object({
  clientId: z.string(),
  websiteId: z.string(),
  name: z.string().nullable(),
  callbackUrl: z.string().nullable(),
  operations: z.array(z.enum(OPERATIONS)),
  events: z.array(z.enum(CLIENT_EVENTS)).describe("What is posted to its callback URL."),
  suspended: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});

const secretsSchema = z.object({
  clientSecret: z.string().describe("Shown only now."),
  callbackSecret: z.string().describe("Shown only now. Verifies the signatures of callbacks."),
});

const takesEffect = z
  .enum(EFFECTS)
  .describe(
    "`at-once`: from now on, what the change takes away is refused everywhere. `within-minutes`: the website's rate limiter did not answer. The change spreads through KV, which takes 60 seconds or more, and the sweep tells the limiter again each minute. What a change grants always spreads through KV.",
  );

export const clientAnswers = {
  Client: clientSchema,
  ClientWithChanges: clientSchema.extend({
    lastUsedAt: z.iso
      .datetime()
      .nullable()
      .describe("When a request was last taken, to ten minutes; null: never, or long ago."),
    rotatedAt: z.iso.datetime().nullable(),
    oldPairUntil: z.iso
      .datetime()
      .nullable()
      .describe("The pair before the last rotation is valid until then; null: no more."),
    lastRefusal: z
      .object({ at: z.iso.datetime(), cause: z.enum(CLIENT_REFUSALS) })
      .nullable()
      .describe("Of a request of this client, to a minute."),
    posts: z
      .object({
        slots: z
          .array(z.object({ taken: z.int(), failed: z.int() }))
          .describe("By 20 minutes, the oldest first: 72 of them. Taken: answered 2xx."),
        meanMilliseconds: z.int().nullable().describe("null: none was posted."),
        slowestMilliseconds: z.int().nullable(),
      })
      .describe("The callbacks that were posted to its endpoint in the last 24 hours."),
    changes: z.array(auditEntrySchema).describe("The last 10, newest first."),
  }),
  ChangedClient: clientSchema.extend({
    takesEffect,
    waitingMessages: z
      .int()
      .nullable()
      .describe("Of a client that this call suspends: how many of its messages still wait, and will go."),
  }),
  NewClient: z.object({ clientId: z.string(), ...secretsSchema.shape }),
  NewSecrets: secretsSchema.extend({ takesEffect }),
};

export type ClientAnswers = Answers<typeof clientAnswers>;

export const CLIENT = {
  clientId: A_CLIENT_ID,
  websiteId: "brand",
  name: "The newsletter platform",
  callbackUrl: "https://example.com/callbacks",
  operations: ["send", "status"],
  events: ["message.status", "message.received"],
  suspended: false,
  createdAt: TIME,
  updatedAt: TIME,
} satisfies ClientAnswers["Client"];

/** Without secrets. */
export function clientView({ createdAt, changedAt, ...client }: Client): ClientAnswers["Client"] {
  return { ...client, createdAt: toTime(createdAt), updatedAt: toTime(changedAt) };
}
