import type { Deps } from "../../deps.ts";
import { isStoreUnavailable, RequestFailure } from "../../domain/failure.ts";
import { type Hold, isMeant, type MessageFilter, type Released } from "../../domain/messages/hold.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { countWaiting, findReleased, makeDue, type WaitingCount } from "../../store/messages/find-waiting.ts";
import { addHold, dropHolds, endHolds, readHolds } from "../../store/messages/holds.ts";
import { audited } from "../operations/audit.ts";
import { queueOverdue } from "./queue-jobs.ts";
import { throughWaiting, type Worked } from "./through-waiting.ts";

/** A count of held messages begins no step after this: while it reads the store, the store does nothing else. */
export const LONGEST_COUNT_MILLISECONDS = 1000;

const UNCOUNTED: WaitingCount = { count: 0, atLeast: true };

/**
 * From now on, no run claims such a message. What a run has claimed goes. They are counted afterwards, so that a hold takes effect at once
 * however many wait.
 */
export async function holdMessages(
  deps: Deps,
  author: Author,
  websiteId: string,
  { sendPurpose, clientId, reason }: MessageFilter & { reason: string | null },
): Promise<{ holdId: string; isNew: boolean; held: WaitingCount }> {
  const own = deps.newId();
  const hold = { holdId: own, sendPurpose, clientId, since: deps.now(), by: author.operator, reason };
  const holdId = await addHold(deps.db, author, websiteId, hold);
  const [held = UNCOUNTED] = await countHeld(deps, websiteId, [hold]);
  return { holdId, isNew: holdId === own, held };
}

/** How many waiting messages each hold covers, within some time. A store that does not answer leaves the count open. */
export async function countHeld(deps: Deps, websiteId: string, holds: MessageFilter[]): Promise<WaitingCount[]> {
  const until = deps.now() + LONGEST_COUNT_MILLISECONDS;
  try {
    return await countWaiting(deps.db, websiteId, "waiting", holds, () => deps.now() < until);
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
    return holds.map(() => UNCOUNTED);
  }
}

/** What a release has done: `count` messages are due now. */
interface Release extends Worked {
  ended: Hold[];
  remaining: Hold[];
}

/**
 * Makes due now what was held. One that was cut off, or that came to no end, is repeated: until its end, the holds are there as ending.
 * @throws RequestFailure resource-unknown: it would end no hold
 */
export async function releaseMessages(
  deps: Deps,
  author: Author,
  websiteId: string,
  asked: Released,
): Promise<Release> {
  const holds = await readHolds(deps.db, websiteId);
  const ended = holds.filter((hold) => isMeant(asked, hold));
  const remaining = holds.filter((hold) => !hold.isEnding && !ended.includes(hold));
  if (ended.length === 0) {
    const details = remaining.map((hold) => ({ field: "holdId", message: describeHold(hold) }));
    throw new RequestFailure({ kind: "resource-unknown", what: "hold", details });
  }
  const scopes = ended.map(({ holdId, sendPurpose, clientId }) => ({ holdId, sendPurpose, clientId }));
  const worked = await audited(
    deps,
    author,
    { action: "release", websiteId, after: { holds: scopes } },
    () => release(deps, websiteId, ended),
    ({ count, more }) => ({ released: count, ...(more ? { more } : {}) }),
  );
  return { ...worked, ended, remaining };
}

/** A hold, for whoever has named none. */
function describeHold({ holdId, sendPurpose, clientId, by }: Hold): string {
  const scope = [sendPurpose && `sendPurpose ${sendPurpose}`, clientId && `clientId ${clientId}`].filter(Boolean);
  return `${holdId}: ${scope.join(", ") || "the whole website"}, held by ${by}`;
}

async function release(deps: Deps, websiteId: string, ended: Hold[]): Promise<Worked> {
  const ids = ended.map(({ holdId }) => holdId);
  await endHolds(deps.db, websiteId, ids);
  const now = deps.now();
  const find = (after: string) => findReleased(deps.db, websiteId, ended, after, now);
  const worked = await throughWaiting(deps, find, async (found) => {
    const due = await makeDue(deps.db, found, now);
    await queueOverdue(
      deps,
      due.map((messageId) => ({ messageId, websiteId, at: now })),
      now,
    );
    return due.length;
  });
  if (!worked.more) await dropHolds(deps.db, websiteId, ids);
  return worked;
}
