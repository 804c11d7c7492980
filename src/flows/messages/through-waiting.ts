import type { Deps } from "../../deps.ts";
import type { WaitingStep } from "../../store/messages/find-waiting.ts";

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

/** Finds some of the waiting messages. @param after `next` of the step before; `""`: the first */
export type Find = (after: string) => Promise<WaitingStep>;

/** Goes through the waiting messages of a website once. */
export async function throughWaiting(
  deps: Deps,
  find: Find,
  work: (messageIds: string[]) => Promise<number>,
): Promise<Worked> {
  const started = deps.now();
  let count = 0;
  let next: string | null = "";
  for (let step = 0; next !== null && step < MOST_STEPS && deps.now() - started < LONGEST_MILLISECONDS; step++) {
    const found: WaitingStep = await find(next);
    if (found.messageIds.length > 0) count += await work(found.messageIds);
    next = found.next;
  }
  return { count, more: next !== null };
}
