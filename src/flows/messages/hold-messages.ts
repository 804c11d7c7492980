import type { Deps } from "../../deps.ts";
import { RequestFailure } from "../../domain/failure.ts";
import type { MessageFilter } from "../../domain/messages/hold.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { cancelMessages } from "../../store/messages/cancel.ts";
import {
  addHold,
  countWaiting,
  findReleased,
  findWaiting,
  makeDue,
  removeHolds,
  type WaitingStep,
} from "../../store/messages/holds.ts";
import { findKept } from "../../store/messages/scheduled.ts";
import { requireOpen } from "../databases/places.ts";
import { audited } from "../operations/audit.ts";
import { queueCallbacks, queueOverdue } from "./queue-jobs.ts";

/** What a call has done. */
export interface Worked {
  count: number;
  /** Messages are left that it has not looked at. */
  more: boolean;
}

/** D1 takes a thousand calls of a request, and a step makes two: 800,000 messages. */
export const MOST_STEPS = 400;

/** A call begins no step after this, because its caller and the proxies between wait for an answer. */
export const LONGEST_MILLISECONDS = 60_000;

/** From now on, no run claims such a message. What a run has claimed goes. @returns how many wait */
export async function holdMessages(
  deps: Deps,
  author: Author,
  websiteId: string,
  { reason, expected, ...given }: MessageFilter & { reason: string | null } & Expecting,
): Promise<number> {
  const { db } = deps;
  const filter = toFilter(given);
  const hold = { filter, reason, expected: expected ?? null };
  if (expected !== undefined) await requireCount(expected, () => countWaiting(db, websiteId, filter));
  const isHeld = await addHold(db, author, websiteId, hold, deps.now());
  const count = await countWaiting(db, websiteId, filter);
  if (!isHeld) throw new RequestFailure({ kind: "count-changed", count });
  return count;
}

/** What the caller has seen; null or undefined: nothing that is to be compared. */
interface Expecting {
  expected?: number | null | undefined;
}

const toFilter = ({ sendPurpose, clientId }: MessageFilter): MessageFilter => ({ sendPurpose, clientId });

/** @throws RequestFailure count-changed */
async function requireCount(expected: number | null, count: () => Promise<number>): Promise<void> {
  if (expected === null) return;
  const present = await count();
  if (present !== expected) throw new RequestFailure({ kind: "count-changed", count: present });
}

/** Makes due now what was held. */
export function releaseMessages(deps: Deps, author: Author, websiteId: string, filter: MessageFilter): Promise<Worked> {
  const entry = { action: "release", websiteId, after: { ...filter } } as const;
  return audited(
    deps,
    author,
    entry,
    () => release(deps, websiteId, filter),
    ({ count, more }) => ({ released: count, ...(more ? { more } : {}) }),
  );
}

async function release(deps: Deps, websiteId: string, filter: MessageFilter): Promise<Worked> {
  await removeHolds(deps.db, websiteId, filter);
  const now = deps.now();
  const find = (after: string) => findReleased(deps.db, websiteId, filter, after, now);
  return throughWaiting(deps, find, async (found) => {
    const due = await makeDue(deps.db, found, now);
    await queueOverdue(
      deps,
      due.map((messageId) => ({ messageId, websiteId, at: now })),
      now,
    );
    return due.length;
  });
}

/**
 * Ends waiting messages, held ones too, with their events and callbacks. Where a count is expected, it ends the messages that were
 * counted, and no other.
 * @throws RequestFailure count-changed
 */
export async function cancelWaiting(
  deps: Deps,
  author: Author,
  websiteId: string,
  { expected, ...given }: MessageFilter & Expecting,
): Promise<Worked> {
  const filter = toFilter(given);
  const entry = { action: "cancel", websiteId, after: { ...filter } } as const;
  const find = await finderOf(deps, websiteId, filter, expected ?? null);
  return audited(
    deps,
    author,
    entry,
    () => cancel(deps, websiteId, find),
    ({ count, more }) => ({ cancelled: count, ...(more ? { more } : {}) }),
  );
}

/**
 * Ends one waiting message, held or not.
 * @throws RequestFailure count-changed: it does not wait any more
 */
export async function cancelOne(deps: Deps, author: Author, messageId: string, websiteId: string): Promise<void> {
  const entry = { action: "cancel-message", websiteId, subject: messageId } as const;
  const cancelled = await audited(
    deps,
    author,
    entry,
    () => cancelSome(deps, websiteId, [messageId]),
    (count) => ({ cancelled: count }),
  );
  if (cancelled === 0) throw new RequestFailure({ kind: "count-changed", count: 0 });
}

type Find = (after: string) => Promise<WaitingStep>;

/** The prefix of a step among the waiting messages, before the place in their own order. */
const WAITING = "waiting ";

/**
 * The steps go through the requests that are kept for their time first, and then through the waiting messages: the sweep makes messages of
 * requests meanwhile, and never the other way round, so none is missed. Some may be found twice.
 */
async function findCancellable(
  db: D1Database,
  websiteId: string,
  filter: MessageFilter,
  after: string,
): Promise<WaitingStep> {
  if (!after.startsWith(WAITING)) {
    const { messageIds, next } = await findKept(db, websiteId, filter, after);
    return { messageIds, next: next ?? WAITING };
  }
  const { messageIds, next } = await findWaiting(db, websiteId, filter, after.slice(WAITING.length));
  return { messageIds, next: next === null ? null : `${WAITING}${next}` };
}

/** How many messages cancelWaiting would end. What the sweep makes a message of meanwhile may count twice. */
export async function countCancellable(db: D1Database, websiteId: string, filter: MessageFilter): Promise<number> {
  let count = 0;
  for (let after: string | null = ""; after !== null; ) {
    const step: WaitingStep = await findKept(db, websiteId, filter, after);
    count += step.messageIds.length;
    after = step.next;
  }
  return count + (await countWaiting(db, websiteId, filter));
}

/**
 * How cancelWaiting finds its messages, step by step. If a count is expected, all of them are found and counted now, and the steps give
 * these messages again: a message that comes in between is not cancelled.
 * @throws RequestFailure count-changed
 */
async function finderOf(
  { db }: Deps,
  websiteId: string,
  filter: MessageFilter,
  expected: number | null,
): Promise<Find> {
  const find = (after: string) => findCancellable(db, websiteId, filter, after);
  if (expected === null) return find;
  const steps = new Map<string, WaitingStep>();
  const ids = new Set<string>();
  for (let after: string | null = ""; after !== null; ) {
    const step: WaitingStep = await find(after);
    const messageIds = step.messageIds.filter((id) => !ids.has(id));
    steps.set(after, { ...step, messageIds });
    for (const id of messageIds) ids.add(id);
    after = step.next;
  }
  await requireCount(expected, async () => ids.size);
  return async (after) => steps.get(after) ?? { messageIds: [], next: null };
}

async function cancel(deps: Deps, websiteId: string, find: Find): Promise<Worked> {
  return throughWaiting(deps, find, (ids) => cancelSome(deps, websiteId, ids));
}

/** @returns how many are cancelled */
async function cancelSome(deps: Deps, websiteId: string, ids: string[]): Promise<number> {
  const what = { ids, websiteId, reason: "cancelled by an operator", now: deps.now() };
  const { cancelled, due } = await cancelMessages(deps.db, what);
  await queueCallbacks(deps, due);
  // A run may have claimed some of them since they were found: those go out.
  return cancelled.size;
}

/** Goes through the waiting messages of a website once. */
async function throughWaiting(
  deps: Deps,
  find: Find,
  work: (messageIds: string[]) => Promise<number>,
): Promise<Worked> {
  const started = deps.now();
  let count = 0;
  let next: string | null = "";
  for (let step = 0; next !== null && step < MOST_STEPS && deps.now() - started < LONGEST_MILLISECONDS; step++) {
    await requireOpen(deps);
    const found: WaitingStep = await find(next);
    if (found.messageIds.length > 0) count += await work(found.messageIds);
    next = found.next;
  }
  return { count, more: next !== null };
}
