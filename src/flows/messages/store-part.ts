// Stores a part of a bulk request, within the daily limit of its website.
import type { Deps } from "../../deps.ts";
import type { Credentials } from "../../domain/clients/client.ts";
import { hasNoEffect, RequestFailure } from "../../domain/failure.ts";
import { isOver, type OverLimit, type Taken } from "../../domain/messages/daily-limit.ts";
import type { AcceptedMessage } from "../../domain/messages/send.ts";
import { describeError } from "../../platform/describe-error.ts";
import { LIMITER_MILLISECONDS } from "../../platform/rate-limiter.ts";
import { withinTime } from "../../platform/time-limit.ts";
import { requireRoom } from "../../store/databases/database-state.ts";
import { findPart, type Stored, storeMessages } from "../../store/messages/bulk-messages.ts";
import { type BulkPart, keepKey } from "../../store/messages/idempotency-keys.ts";
import { isRefused } from "../../store/messages/insert-messages.ts";
import { duplicatesUntil } from "./accept-message.ts";
import { settleUnstored, toFailed } from "./unstored-sends.ts";

/**
 * Stores a part whole or not at all. Its texts are counted before; what then turns out to cost nothing is given back.
 * @param part null: the request has no Idempotency-Key
 * @param fieldOf names a message by its id
 * @throws RequestFailure daily-limit-reached, and what settleUnstored says of a failure
 */
export async function storePart(
  deps: Deps,
  client: Credentials,
  part: BulkPart | null,
  messages: AcceptedMessage[],
  fieldOf: (messageId: string) => string = String,
): Promise<Stored> {
  const taken = await takeTexts(deps, client, messages.filter((message) => !isRefused(message)).length);
  if (isOver(taken)) return findRefused(deps, client, part, taken);
  const leave = (texts: number) => giveBack(deps, client.websiteId, taken, texts);
  try {
    const stored = await store(deps, client, part, messages);
    leave(stored.kind === "stored" ? stored.texts : 0);
    return stored;
  } catch (error) {
    if (hasNoEffect(error)) leave(0);
    const unconfirmed = messages.map(({ messageId }) => ({ field: fieldOf(messageId), messageId }));
    throw await settleUnstored(deps, unconfirmed, toFailed(error), { isKeyed: part !== null, isLost: false });
  }
}

async function store(deps: Deps, client: Credentials, part: BulkPart | null, messages: AcceptedMessage[]) {
  const { websiteId, clientId } = client;
  requireRoom(deps.db, deps.now());
  const options = { websiteId, clientId, acceptedAt: deps.now(), part, duplicatesUntil: duplicatesUntil(deps, client) };
  return storeMessages(deps.db, options, messages);
}

/** What the limit refuses may repeat a part that is stored. @throws RequestFailure daily-limit-reached */
async function findRefused(
  deps: Deps,
  { clientId }: Credentials,
  part: BulkPart | null,
  overLimit: OverLimit,
): Promise<Stored> {
  const found = part && (await findPart(deps.db, part, []));
  if (found) return found;
  if (part) await keepKey(deps.db, { ...part, clientId }, deps.now());
  throw new RequestFailure({ kind: "daily-limit-reached", ...overLimit });
}

/** @returns null: the website has no limit, or its object does not answer: a text that is late is worse than a limit that slips */
async function takeTexts(
  deps: Deps,
  { websiteId, dailyLimit }: Credentials,
  texts: number,
): Promise<Taken | OverLimit | null> {
  if (dailyLimit === null || texts === 0) return null;
  try {
    return await withinTime(LIMITER_MILLISECONDS, deps.limiter.take(websiteId, texts, dailyLimit));
  } catch (error) {
    deps.log("error", "rate-limiter.failed", { websiteId, error: describeError(error) });
    return null;
  }
}

/** Leaves so many of the taken texts counted, after the answer. What is lost here counts for 24 hours. */
function giveBack(deps: Deps, websiteId: string, taken: Taken | null, left: number): void {
  if (!taken || taken.texts <= left) return;
  const giving = deps.limiter.giveBack(websiteId, { ...taken, texts: taken.texts - left });
  deps.waitUntil(
    withinTime(LIMITER_MILLISECONDS, giving).catch((error: unknown) =>
      deps.log("error", "rate-limiter.failed", { websiteId, error: describeError(error) }),
    ),
  );
}
