import type * as z from "zod";
import type { Client, ClientUse } from "../../domain/clients/client.ts";
import { CLIENT_ID as A_CLIENT_ID, TIME } from "../../http/examples.ts";
import { toTime } from "../../http/time.ts";
import type { EndpointHealth } from "../../store/callbacks/endpoint-health.ts";
import type { ClientAnswers, clientWithUseSchema, postsSchema } from "../answers/clients.ts";

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
