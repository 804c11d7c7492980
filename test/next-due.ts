// When the sweep may find something next: World.pass jumps to that minute.
import { env } from "cloudflare:workers";
import type { Deps } from "../src/deps.ts";
import {
  LONGEST_RUN_MILLISECONDS,
  RECOVERY_MILLISECONDS,
  SCHEDULED_LEAD_MILLISECONDS,
} from "../src/domain/messages/retry-policy.ts";
import { boundDatabase } from "./databases.ts";

const HOUR = 3_600_000;

/**
 * The rows that wait, each with the next time at which a sweep may do something about it. A time that has passed stands for the next
 * minute. All in milliseconds: ?1 until a job counts as lost, ?2 and ?3 the deadlines of a submission and of a receipt, ?4 the longest
 * run, ?5 how long the end of a run waits for a recovery job, ?6 how early a scheduled message gets its job.
 */
const WAITING = [
  `SELECT min(due_at + ?1, coalesce(expires_at, coalesce(send_at, accepted_at) + ?2)) AS at
    FROM messages WHERE due_at IS NOT NULL AND claimed_at IS NULL`,
  `SELECT coalesce(interrupted_at + ?5, claimed_at + ?4) AS at
    FROM messages WHERE due_at IS NOT NULL AND claimed_at IS NOT NULL`,
  "SELECT updated_at + ?3 AS at FROM messages WHERE status = 'SENDING'",
  "SELECT send_at - ?6 AS at FROM messages WHERE status = 'PENDING_TO_SEND' AND due_at IS NULL",
  "SELECT due_at + ?1 AS at FROM events WHERE due_at IS NOT NULL AND attempted_at IS NULL",
  "SELECT 0 AS at FROM carrier_pauses",
];
const EARLIEST = `SELECT ${WAITING.map((rows) => `(SELECT min(at) FROM (${rows}))`).join(", ")}`;

/** @returns the next time at which a sweep may find something: at most the next hour, whose first sweep has jobs of its own */
export async function nextDue({ config, others }: Deps, now: number): Promise<number> {
  const { requeueAfterMilliseconds, submitWithinMilliseconds, receiptWithinMilliseconds } = config;
  const times = [
    requeueAfterMilliseconds,
    submitWithinMilliseconds,
    receiptWithinMilliseconds,
    LONGEST_RUN_MILLISECONDS,
    RECOVERY_MILLISECONDS,
    SCHEDULED_LEAD_MILLISECONDS,
  ];
  const databases = [env.DB, ...[...others.keys()].map(boundDatabase)];
  const found = await Promise.all(
    databases.map((db) =>
      db
        .prepare(EARLIEST)
        .bind(...times)
        .raw<(number | null)[]>(),
    ),
  );
  const nextHour = Math.floor(now / HOUR) * HOUR + HOUR;
  return Math.min(nextHour, ...found.flat(2).map((at) => at ?? nextHour));
}
