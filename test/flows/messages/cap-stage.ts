/** Claims that are made by hand, and what of them may not be submitted. */
import { toRecord } from "../../../src/flows/messages/submission-record.ts";
import { endedBefore } from "../../../src/flows/messages/submit-message.ts";
import type { ClaimedMessage } from "../../../src/store/messages/claimed-message.ts";
import { recordAndClaim } from "../../../src/store/messages/claims.ts";
import type { World } from "../../world.ts";

export async function claimAs(world: World, claim: string, ids: string[], now = world.now): Promise<ClaimedMessage[]> {
  return (await recordAndClaim(world.deps.db, null, { ids, claim, acceptedAfter: 0 }, now)).claimed;
}

/** Records those of a claim that may not be submitted, as its run does. */
export async function recordRefused(world: World, claim: string, claimed: ClaimedMessage[]): Promise<void> {
  const ended = claimed.flatMap((message) => endedBefore(world.deps, message) ?? []);
  const records = ended.map((one) => toRecord(world.deps, one));
  const outcomes = { claim, records, longestWait: 4 * 3_600_000, counts: [], breakers: [] };
  await recordAndClaim(world.deps.db, outcomes, null, world.now);
}

/** @returns the ids of those that may be submitted */
export const going = (claimed: ClaimedMessage[]): string[] =>
  claimed.filter(({ before }) => before === null).map(({ messageId }) => messageId);
