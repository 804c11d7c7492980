import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { isLoopback } from "../../domain/callbacks/callback-url.ts";
import {
  CLIENT_EVENTS,
  CLIENT_ID,
  type Client,
  clientSettingsSchema,
  EFFECTS,
  OPERATIONS,
  rotationSchema,
} from "../../domain/clients/client.ts";
import { CLIENT_REFUSALS } from "../../domain/clients/client-uses.ts";
import { changeClient, createClient, rotateClient } from "../../flows/clients/manage-clients.ts";
import { describeError } from "../../platform/describe-error.ts";
import { readClient } from "../../store/clients/client-uses.ts";
import { countWaiting } from "../../store/messages/holds.ts";
import { type ApiRequest, authorOf, type Handler } from "../api-request.ts";
import { BODY_LIMITS, readFields } from "../body.ts";
import { toTime } from "../time.ts";
import type { Answers } from "./answers.ts";
import { auditEntrySchema, lastChanges } from "./audit.ts";
import { requireFound, requireWebsite } from "./params.ts";

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

/** Without secrets. */
export function clientView({ createdAt, changedAt, ...client }: Client): ClientAnswers["Client"] {
  return { ...client, createdAt: toTime(createdAt), updatedAt: toTime(changedAt) };
}

/** POST /operator/websites/:websiteId/clients */
export const createClientHandler: Handler = async (request, deps) => {
  const website = await requireWebsite(request, deps);
  const answer: ClientAnswers["NewClient"] = await createClient(
    deps,
    authorOf(request),
    website,
    await readSettings(request),
  );
  return Response.json(answer, { status: 201 });
};

/** GET /operator/clients/:clientId */
export const getClientHandler: Handler = async (request, deps) => {
  const clientId = requireClientId(request);
  const [found, changes] = await Promise.all([
    readClient(deps.db, clientId, deps.now()),
    lastChanges(deps, { name: "client", value: clientId }),
  ]);
  const { lastUsedAt, rotatedAt, oldPairUntil, lastRefusal, ...client } = requireFound(found, "client");
  const answer: ClientAnswers["ClientWithChanges"] = {
    ...clientView(client),
    lastUsedAt: toTime(lastUsedAt),
    rotatedAt: toTime(rotatedAt),
    oldPairUntil: toTime(oldPairUntil),
    lastRefusal: lastRefusal && { ...lastRefusal, at: toTime(lastRefusal.at) },
    changes,
  };
  return Response.json(answer);
};

/** PATCH /operator/clients/:clientId */
export const changeClientHandler: Handler = async (request, deps) => {
  const clientId = requireClientId(request);
  const settings = await readSettings(request);
  const { takesEffect, ...client } = requireFound(
    await changeClient(deps, authorOf(request), clientId, settings),
    "client",
  );
  const waitingMessages = settings.suspended ? await countOfClient(deps, client) : null;
  const answer: ClientAnswers["ChangedClient"] = { ...clientView(client), takesEffect, waitingMessages };
  return Response.json(answer);
};

/** @returns null: not known. The client is changed, whatever comes of the count. */
async function countOfClient(deps: Deps, { websiteId, clientId }: Client): Promise<number | null> {
  try {
    return await countWaiting(deps.db, websiteId, { clientId, sendPurpose: null });
  } catch (error) {
    deps.log("error", "waiting.not-counted", { websiteId, clientId, error: describeError(error) });
    return null;
  }
}

/** POST /operator/clients/:clientId/rotate */
export const rotateClientHandler: Handler = async (request, deps) => {
  const clientId = requireClientId(request);
  const { graceSeconds } = await readFields(request, rotationSchema, BODY_LIMITS.settings);
  const answer: ClientAnswers["NewSecrets"] = requireFound(
    await rotateClient(deps, authorOf(request), clientId, graceSeconds),
    "client",
  );
  return Response.json(answer);
};

async function readSettings(request: ApiRequest) {
  return await readFields(request, clientSettingsSchema(isLocal(request)), BODY_LIMITS.settings);
}

/** On a developer's machine, callbacks may go to loopback. No host name of the edge is one of loopback. */
function isLocal(request: ApiRequest): boolean {
  return isLoopback(new URL(request.url));
}

function requireClientId(request: ApiRequest): string {
  const clientId = request.params.clientId ?? "";
  return requireFound(CLIENT_ID.test(clientId) ? clientId : undefined, "client");
}
