import * as z from "zod";
import { ATTEMPT_OUTCOMES } from "../../domain/callbacks/callback.ts";
import { CLIENT_EVENTS, EFFECTS, OPERATIONS } from "../../domain/clients/client.ts";
import { CLIENT_REFUSALS } from "../../domain/clients/client-uses.ts";
import { type Answers, callbackSchema } from "../answers.ts";
import { auditEntrySchema } from "./operators.ts";

const clientSchema = z.object({
  clientId: z.string(),
  websiteId: z.string(),
  name: z.string().nullable(),
  callbackUrl: z.string().nullable(),
  operations: z.array(z.enum(OPERATIONS)),
  events: z.array(z.enum(CLIENT_EVENTS)).describe("The events that are posted to its callback URL."),
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
    "`at-once`: from now on, what the change takes away is refused everywhere. `within-minutes`: the website's rate limiter did not answer. The change then spreads through KV within 90 seconds, and the sweep tells the limiter again each minute. A right that a change grants always spreads through KV.",
  );

const useShape = {
  lastUsedAt: z.iso
    .datetime()
    .nullable()
    .describe("When a request was last taken, to ten minutes; null: never, or long ago."),
  rotatedAt: z.iso.datetime().nullable(),
  oldPairUntil: z.iso
    .datetime()
    .nullable()
    .describe("The pair before the last rotation is valid until then; null: no more."),
  secrets: z
    .array(
      z.object({
        endsIn: z.string().describe("The last four characters of the client secret."),
        since: z.iso.datetime(),
        validUntil: z.iso
          .datetime()
          .nullable()
          .describe("When it ends, if a newer secret replaces it; null: it has no end."),
        lastUsedAt: z.iso.datetime().nullable().describe("As `lastUsedAt` of the client."),
      }),
    )
    .describe("The valid secrets, newest first."),
  lastRefusal: z
    .object({ at: z.iso.datetime(), cause: z.enum(CLIENT_REFUSALS) })
    .nullable()
    .describe("The last request of this client that was refused, to a minute; null: none is stored."),
};

export const postsSchema = z
  .object({
    slots: z
      .array(z.object({ at: z.iso.datetime(), taken: z.int(), failed: z.int() }))
      .describe("By 20 minutes that begin at `at`, the oldest first: 72 of them. Taken: answered 2xx."),
    meanMilliseconds: z.int().nullable().describe("null: none was posted."),
    slowestMilliseconds: z.int().nullable(),
    failing: z
      .object({ since: z.iso.datetime(), failures: z.int().describe("In a row.") })
      .nullable()
      .describe("null: its URL has taken the last, or none was posted to it."),
    lastFailure: z
      .object({
        at: z.iso.datetime(),
        outcome: z.string().describe("`answered`, `timed-out` or `unreachable`."),
        httpStatus: z.int().nullable(),
        response: z.string().nullable().describe("The first kilobyte of the response, or the error."),
      })
      .nullable()
      .describe("The last failure among its latest 100 events; null: none of them failed."),
  })
  .describe("The callbacks that were posted to its endpoint in the last 24 hours.");

/** On the page of its website. */
export const clientWithUseSchema = clientSchema.extend({ ...useShape, posts: postsSchema });

export const clientAnswers = {
  Client: clientSchema,
  ClientWithChanges: clientWithUseSchema.extend({
    changes: z.array(auditEntrySchema).describe("The last 10, newest first."),
  }),
  ChangedClient: clientSchema.extend({
    takesEffect,
    waitingMessages: z
      .int()
      .nullable()
      .describe(
        "How many pending and scheduled messages of the client will still be sent. null: this call did not suspend it.",
      ),
  }),
  NewClient: z.object({ clientId: z.string(), ...secretsSchema.shape }),
  NewSecrets: secretsSchema.extend({
    oldPairUntil: z.iso.datetime().describe("The old pair is valid until then."),
    takesEffect,
  }),
};

export type ClientAnswers = Answers<typeof clientAnswers>;

export const testEventAnswers = {
  TestEvent: callbackSchema.omit({ attemptedAt: true }).extend({
    eventId: z.string().describe("`test_` and an id."),
    outcome: z.enum(ATTEMPT_OUTCOMES),
    durationMilliseconds: z.number(),
  }),
};

export type TestEventAnswers = Answers<typeof testEventAnswers>;
