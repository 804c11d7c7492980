import * as z from "zod";
import { CLIENT_EVENTS, type Client, type ClientUse, EFFECTS, OPERATIONS } from "../../domain/clients/client.ts";
import { CLIENT_REFUSALS } from "../../domain/clients/client-uses.ts";
import { CLIENT_ID as A_CLIENT_ID, TIME } from "../../http/examples.ts";
import { toTime } from "../../http/time.ts";
import type { EndpointHealth } from "../../store/callbacks/endpoint-health.ts";
import type { Answers } from "../answers.ts";
import { auditEntrySchema } from "./operators.ts";

export const clientSchema = z.object({
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

const postsSchema = z
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

/** What is known of its requests and of its endpoint. */
export const USE = {
  lastUsedAt: TIME,
  rotatedAt: TIME,
  oldPairUntil: null,
  secrets: [{ endsIn: "9f21", since: TIME, validUntil: null, lastUsedAt: TIME }],
  lastRefusal: { at: TIME, cause: "secret-replaced" },
  posts: {
    slots: [{ at: TIME, taken: 71, failed: 1 }],
    ...{ meanMilliseconds: 84, slowestMilliseconds: 920, failing: null },
    lastFailure: { at: TIME, outcome: "answered", httpStatus: 500, response: "upstream connect error" },
  },
} satisfies Partial<ClientAnswers["ClientWithChanges"]>;

export function clientWithUseView(
  found: Client & ClientUse,
  endpoints: ReadonlyMap<string, EndpointHealth>,
): z.output<typeof clientWithUseSchema> {
  const { lastUsedAt, rotatedAt, oldPairUntil, secrets, lastRefusal, ...client } = found;
  return {
    ...clientView(client),
    lastUsedAt: toTime(lastUsedAt),
    rotatedAt: toTime(rotatedAt),
    oldPairUntil: toTime(oldPairUntil),
    secrets: secrets.map((secret) => ({
      endsIn: secret.endsIn,
      since: toTime(secret.since),
      validUntil: toTime(secret.validUntil),
      lastUsedAt: toTime(secret.lastUsedAt),
    })),
    lastRefusal: lastRefusal && { ...lastRefusal, at: toTime(lastRefusal.at) },
    posts: postsView(endpoints.get(client.clientId)),
  };
}

const NO_POSTS: EndpointHealth = {
  ...{ slots: [], meanMilliseconds: null, slowestMilliseconds: null },
  ...{ failing: null, lastFailure: null },
};

function postsView({ slots, failing, lastFailure, ...posts }: EndpointHealth = NO_POSTS): z.output<typeof postsSchema> {
  return {
    ...posts,
    slots: slots.map((slot) => ({ ...slot, at: toTime(slot.at) })),
    failing: failing && { ...failing, since: toTime(failing.since) },
    lastFailure: lastFailure && { ...lastFailure, at: toTime(lastFailure.at) },
  };
}

/** Without secrets. */
export function clientView({ createdAt, changedAt, ...client }: Client): ClientAnswers["Client"] {
  return { ...client, createdAt: toTime(createdAt), updatedAt: toTime(changedAt) };
}
