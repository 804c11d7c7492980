import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { failField } from "../../domain/failure.ts";
import { cancelSchema, holdSchema, type MessageFilter } from "../../domain/messages/hold.ts";
import { cancelWaiting, holdMessages, releaseMessages } from "../../flows/messages/hold-messages.ts";
import { findClient } from "../../store/clients/clients.ts";
import { countWaiting } from "../../store/messages/holds.ts";
import { type ApiRequest, authorOf, type Handler } from "../api-request.ts";
import { BODY_LIMITS, readFields } from "../body.ts";
import type { Answers } from "./answers.ts";
import { requireWebsite } from "./params.ts";

const more = z
  .literal(true)
  .optional()
  .describe("The call took a minute, and has not looked at all waiting messages: repeat it. Left out otherwise.");

export const holdAnswers = {
  HeldMessages: z.object({ held: z.int().describe("How many wait now, and are held.") }),
  ReleasedMessages: z.object({ released: z.int().describe("How many are due now."), more }),
  CancelledMessages: z.object({ cancelled: z.int().describe("With dryRun, how many would be."), more }),
};

export type HoldAnswers = Answers<typeof holdAnswers>;

async function readFilter<T extends typeof holdSchema | typeof cancelSchema>(
  request: ApiRequest,
  deps: Deps,
  schema: T,
) {
  const { websiteId } = await requireWebsite(request, deps);
  const filter = (await readFields(request, schema, BODY_LIMITS.settings)) as z.output<T> & MessageFilter;
  await requireOwnClient(deps, websiteId, filter);
  return { websiteId, filter };
}

/** A wrong id would hold nothing, and look as if it did. */
async function requireOwnClient(deps: Deps, websiteId: string, { clientId }: MessageFilter): Promise<void> {
  if (clientId === null) return;
  const client = await findClient(deps.db, clientId);
  if (client?.websiteId !== websiteId) failField("clientId", "must be a client of this website");
}

/** POST /operator/websites/:websiteId/hold */
export const holdMessagesHandler: Handler = async (request, deps) => {
  const { websiteId, filter } = await readFilter(request, deps, holdSchema);
  const answer: HoldAnswers["HeldMessages"] = { held: await holdMessages(deps, authorOf(request), websiteId, filter) };
  request.logged = { websiteId, ...answer };
  return Response.json(answer);
};

/** POST /operator/websites/:websiteId/release */
export const releaseMessagesHandler: Handler = async (request, deps) => {
  const { websiteId, filter } = await readFilter(request, deps, holdSchema);
  const { count, more } = await releaseMessages(deps, authorOf(request), websiteId, filter);
  const answer: HoldAnswers["ReleasedMessages"] = { released: count, ...(more ? { more } : {}) };
  request.logged = { websiteId, ...answer };
  return Response.json(answer);
};

/** POST /operator/websites/:websiteId/cancel */
export const cancelWaitingMessagesHandler: Handler = async (request, deps) => {
  const { websiteId, filter } = await readFilter(request, deps, cancelSchema);
  const { count, more } = filter.dryRun
    ? { count: await countWaiting(deps.db, websiteId, filter), more: false }
    : await cancelWaiting(deps, authorOf(request), websiteId, filter);
  const answer: HoldAnswers["CancelledMessages"] = { cancelled: count, ...(more ? { more } : {}) };
  request.logged = { websiteId, dryRun: filter.dryRun, ...answer };
  return Response.json(answer);
};
