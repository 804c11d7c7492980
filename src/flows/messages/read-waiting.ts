// The messages that wait, by website, purpose and client. Every website is looked at, however many messages another has.
import type { Deps } from "../../deps.ts";
import { chunk } from "../../domain/chunk.ts";
import type { PendingPart } from "../../store/messages/find-waiting.ts";
import type { Looked, Place } from "../../store/messages/look.ts";
import {
  findWebsitesWithPending,
  lookAtWaiting,
  type ScheduledGroup,
  type WaitingGroup,
} from "../../store/messages/waiting.ts";

/** How much a look reads of a database, of messages that have a job and of those that have none yet, each. While a statement runs, no other does. */
export const LOOK = {
  messages: 100_000,
  /** A tenth of a second. */
  messagesOfOneCall: 10_000,
  /** Each website has so many looked at, even if there are very many websites. */
  leastOfWebsite: 20,
  websitesOfOneCall: 50,
  /** No call begins later, once each website was looked at. */
  milliseconds: 1000,
};

export interface AllWaiting {
  waiting: WaitingGroup[];
  scheduled: ScheduledGroup[];
  /** The websites that have more than was looked at. */
  cut: ReadonlySet<string>;
}

/** @param websiteId null: all websites of the database */
export async function readWaiting(deps: Deps, websiteId: string | null): Promise<AllWaiting> {
  const waiting = await readPart(deps, "waiting", websiteId);
  const scheduled = await readPart(deps, "scheduled", websiteId);
  const found = [...waiting.found, ...scheduled.found];
  return {
    waiting: joinWaiting(found.flatMap((it) => it.waiting)),
    scheduled: joinScheduled(found.flatMap((it) => it.scheduled)),
    cut: new Set([...waiting.cut, ...scheduled.cut]),
  };
}

async function readPart({ db, now, config }: Deps, part: PendingPart, websiteId: string | null) {
  const websiteIds = websiteId === null ? await findWebsitesWithPending(db, part) : [websiteId];
  return lookThrough(now, websiteIds, (places) =>
    lookAtWaiting(db, part, places, now(), config.submitWithinMilliseconds),
  );
}

/** Goes on in rounds, so that no website waits for another that has very many. */
async function lookThrough<Found>(
  now: () => number,
  websiteIds: string[],
  look: (places: Place[]) => Promise<Looked<Found>[]>,
): Promise<{ found: Found[]; cut: string[] }> {
  const until = now() + LOOK.milliseconds;
  const found: Found[] = [];
  let open = websiteIds.map((websiteId) => ({ websiteId, after: "" }));
  let left = LOOK.messages;
  do {
    const share = Math.max(LOOK.leastOfWebsite, Math.floor(left / open.length));
    const limit = Math.min(LOOK.messagesOfOneCall, share);
    const atOnce = Math.min(LOOK.websitesOfOneCall, Math.floor(LOOK.messagesOfOneCall / limit));
    const next: typeof open = [];
    for (const some of chunk(open, atOnce)) {
      const looked = await look(some.map((place) => ({ ...place, limit })));
      looked.forEach((it, index) => {
        found.push(it.found);
        left -= it.count;
        if (it.next !== null) next.push({ websiteId: some[index]?.websiteId ?? "", after: it.next });
      });
    }
    open = next;
  } while (open.length > 0 && left > 0 && now() < until);
  return { found, cut: open.map(({ websiteId }) => websiteId) };
}

const least = (numbers: (number | null)[]): number | null => {
  const known = numbers.filter((it) => it !== null);
  return known.length > 0 ? Math.min(...known) : null;
};
const sumOf = (groups: { count: number }[]): number => groups.reduce((sum, { count }) => sum + count, 0);

/** Joins the groups of several looks, the one with the oldest message first. */
function joinWaiting(groups: WaitingGroup[]): WaitingGroup[] {
  const keyOf = ({ websiteId, sendPurpose, clientId, hold }: WaitingGroup) =>
    JSON.stringify([websiteId, sendPurpose, clientId, hold?.holdId ?? null]);
  const joined = [...Map.groupBy(groups, keyOf).values()].map((same) => ({
    ...(same[0] as WaitingGroup),
    count: sumOf(same),
    kind: same.every(({ kind }) => kind === same[0]?.kind) ? (same[0]?.kind ?? null) : null,
    cause: same.find(({ cause }) => cause !== null)?.cause ?? null,
    nextTryAt: least(same.map(({ nextTryAt }) => nextTryAt)),
    oldestAt: Math.min(...same.map(({ oldestAt }) => oldestAt)),
    endsAt: Math.min(...same.map(({ endsAt }) => endsAt)),
  }));
  return joined.sort((a, b) => a.oldestAt - b.oldestAt);
}

/** Joins the groups of several looks, the one that goes first in front. What sending hours hold is apart. */
function joinScheduled(groups: ScheduledGroup[]): ScheduledGroup[] {
  const keyOf = (it: ScheduledGroup) => JSON.stringify([it.websiteId, it.sendPurpose, it.clientId, it.held === null]);
  const joined = [...Map.groupBy(groups, keyOf).values()].map((same) => {
    const [first] = same.toSorted((a, b) => a.opensAt - b.opensAt) as [ScheduledGroup];
    return { ...first, count: sumOf(same), oldestAt: Math.min(...same.map(({ oldestAt }) => oldestAt)) };
  });
  return joined.sort((a, b) => a.opensAt - b.opensAt);
}
