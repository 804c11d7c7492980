import { addLoads, type Load, MESSAGE_STATES } from "../../domain/operations/service-state.ts";
import type { StateCounts } from "../../store/operations/service-state.ts";

/**
 * The counts of several databases as one. The last sweep, the migrations, unreadable texts and a failure are those of the
 * first: of the others, their own states tell.
 */
export function addCounts(first: StateCounts, others: StateCounts[]): StateCounts {
  const known = others.filter(({ failure }) => failure === null);
  if (first.failure !== null || known.length === 0) return first;
  const all = [first, ...known];
  const add = (read: (counts: StateCounts) => Load | undefined) => addLoads(all.map(read));
  const carriers = new Set(all.flatMap(({ messages }) => [...messages.keys()]));
  const retried = all.flatMap(({ retriedSince }) => retriedSince ?? []);
  const statesOf = (carrier: string) =>
    Object.fromEntries(MESSAGE_STATES.map((state) => [state, add(({ messages }) => messages.get(carrier)?.[state])]));
  return {
    ...first,
    failing: [...new Map(all.flatMap(({ failing }) => failing).map((it) => [it.part, it])).values()],
    messages: new Map([...carriers].map((carrier) => [carrier, statesOf(carrier)])),
    retriedSince: retried.length === 0 ? null : Math.min(...retried),
    pauses: all.flatMap(({ pauses }) => pauses),
    failingEndpoints: all.flatMap(({ failingEndpoints }) => failingEndpoints),
    callbacks: { due: add(({ callbacks }) => callbacks.due), claimed: add(({ callbacks }) => callbacks.claimed) },
    deadJobs: add(({ deadJobs }) => deadJobs),
    credentialsBehind: add(({ credentialsBehind }) => credentialsBehind),
    keywordsWithoutEffect: add(({ keywordsWithoutEffect }) => keywordsWithoutEffect),
    maybeOptOuts: add(({ maybeOptOuts }) => maybeOptOuts),
    lastSweep: first.lastSweep && {
      endedAt: first.lastSweep.endedAt,
      failedJobs: [...new Set(all.flatMap(({ lastSweep }) => lastSweep?.failedJobs ?? []))],
    },
    alertRefusal: first.alertRefusal,
    isCut: all.some(({ isCut }) => isCut),
    outcomes: all.flatMap(({ outcomes }) => outcomes),
    receipts: all.flatMap(({ receipts }) => receipts),
    countedAfter: Math.max(...all.map(({ countedAfter }) => countedAfter)),
    carriersInUse: [...new Set(all.flatMap(({ carriersInUse }) => carriersInUse))],
  };
}
