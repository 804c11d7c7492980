// Waits until nothing is under way: no message that is to be submitted, no callback that is to be posted.

import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "./place.ts";

const LOOK_EVERY_MILLISECONDS = 40;
const LONGEST_MILLISECONDS = 30_000;

const UNDER_WAY = `SELECT (SELECT count(*) FROM messages WHERE status = 'PENDING_TO_SEND') AS messages,
  (SELECT count(*) FROM events WHERE due_at IS NOT NULL) AS callbacks`;

/** @throws Error when something is still under way after 30 seconds, or a callback has come twice */
export async function settle({ query, receiver }: Place): Promise<void> {
  const until = performance.now() + LONGEST_MILLISECONDS;
  for (;;) {
    const [left] = await query(UNDER_WAY);
    if (left?.messages === 0 && left.callbacks === 0) break;
    if (performance.now() > until) throw new Error(`still under way: ${JSON.stringify(left)}`);
    await sleep(LOOK_EVERY_MILLISECONDS);
  }
  const repeated = [...receiver.received].filter(([, count]) => count > 1);
  if (repeated.length > 0) throw new Error(`callbacks came more than once: ${repeated.slice(0, 3)}`);
  receiver.received.clear();
}
