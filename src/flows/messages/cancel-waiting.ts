import type { Deps } from "../../deps.ts";
import { RequestFailure } from "../../domain/failure.ts";
import type { MessageFilter } from "../../domain/messages/hold.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { cancelMessages } from "../../store/messages/cancel.ts";
import { countWaiting, findWaiting, type PendingPart, type WaitingStep } from "../../store/messages/find-waiting.ts";
import { audited } from "../operations/audit.ts";
import { queueCallbacks } from "./queue-jobs.ts";
import { type Find, throughWaiting, type Worked } from "./through-waiting.ts";

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

/** A place is the part and the place in it: `scheduled` before the first. */
const placeIn = (part: PendingPart, after: string) => `${part} ${after}`;

/**
 * The steps go through the messages without a job first: the sweep gives them jobs meanwhile, and never takes one away, so none is missed.
 * Some may be found twice.
 */
async function findCancellable(
  db: D1Database,
  websiteId: string,
  filter: MessageFilter,
  place: string,
): Promise<WaitingStep> {
  const [part = "", after = ""] = place === "" ? ["scheduled"] : place.split(" ");
  const { messageIds, next } = await findWaiting(db, websiteId, part as PendingPart, filter, after);
  if (next !== null) return { messageIds, next: placeIn(part as PendingPart, next) };
  return { messageIds, next: part === "scheduled" ? placeIn("waiting", "") : null };
}

/** How many messages cancelWaiting would end. One that the sweep gives a job meanwhile may count twice. */
export async function countCancellable(db: D1Database, websiteId: string, filter: MessageFilter): Promise<number> {
  let count = 0;
  for (const part of ["scheduled", "waiting"] as const)
    count += (await countWaiting(db, websiteId, part, [filter]))[0]?.count ?? 0;
  return count;
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
