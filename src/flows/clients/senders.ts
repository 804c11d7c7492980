import type * as z from "zod";
import type { Deps } from "../../deps.ts";
import { paceAfter, type paceFields } from "../../domain/messages/sender-pace.ts";
import { type AuditEntry, type Author, changeOf } from "../../domain/operations/audit.ts";
import {
  findPace,
  listSenders,
  type SenderName,
  type SenderState,
  storePace,
  takePaced,
} from "../../store/clients/sender-paces.ts";
import { askEach, type Missing } from "../databases/ask-each.ts";
import { inEach, inFirst } from "../databases/places.ts";
import { queueDeliveries } from "../messages/queue-jobs.ts";
import { audited } from "../operations/audit.ts";

/** The senders of all databases. @param only null: all */
export async function readSenders(
  deps: Deps,
  only: SenderName | null = null,
): Promise<{ senders: SenderState[]; missing: Missing }> {
  const { answers, missing } = await askEach(deps, ({ db, now }) => listSenders(db, only, now()));
  const groups = Map.groupBy(answers.flat(), ({ carrier, sender }) => JSON.stringify([carrier, sender]));
  const senders = [...groups.values()].map((same) => same.reduce(join));
  return { senders: senders.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)), missing };
}

const nameOf = ({ carrier, sender }: SenderName) => `${carrier} ${sender}`;

/** The same sender in two databases. */
function join(one: SenderState, other: SenderState): SenderState {
  const longest = (other.pausedUntil ?? 0) > (one.pausedUntil ?? 0) ? other : one;
  return {
    ...one,
    websites: [...one.websites, ...other.websites],
    waiting: one.waiting + other.waiting,
    pausedUntil: longest.pausedUntil,
    why: longest.why,
  };
}

/**
 * Changes the given limits of a sender in every database. Safe to repeat: the first database, which says what is left out, is the last.
 * @throws RequestFailure store-unavailable: some databases may have the change
 */
export async function putPace(
  deps: Deps,
  author: Author,
  name: SenderName,
  given: z.output<typeof paceFields>,
): Promise<void> {
  const { db } = inFirst(deps);
  const present = await findPace(db, name);
  const pace = paceAfter(present, given);
  const entry: AuditEntry = { action: "set-sender", subject: nameOf(name), ...changeOf(present, given) };
  const store = async () => {
    for (const own of inEach(deps).toReversed()) await storePace(own.db, name, pace);
  };
  await audited(deps, author, entry, store, () => ({}));
  for (const own of inEach(deps)) await wakePaced(own, name);
}

/** Messages of one step, and the steps of a change: the rest goes at the times of the pace before. */
const WOKEN = { aStep: 1000, steps: 40 };

async function wakePaced(deps: Deps, name: SenderName): Promise<void> {
  for (let step = 0; step < WOKEN.steps; step++) {
    const ids = await takePaced(deps.db, name, deps.now(), WOKEN.aStep);
    if (ids.length > 0) await queueDeliveries(deps, "bulk", ids);
    if (ids.length < WOKEN.aStep) return;
  }
}
