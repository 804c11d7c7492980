// Whether the endpoints of clients take their callbacks: the posts of a day, and the last that failed.
import { runNamed } from "../database.ts";
import type { Count } from "../operations/counts.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import type { EndpointResult } from "./failing-endpoints.ts";

const SLOT_MILLISECONDS = 20 * 60_000;

/** A day of 20 minutes each: the strip that shows whether an endpoint takes its callbacks. */
export const SLOTS = 72;

export const slotOf = (now: number) => Math.floor(now / SLOT_MILLISECONDS);

/** The posts of a run to each endpoint, and how long they took: in all, and the longest. */
export const toPosts = (results: EndpointResult[], now: number): Count[] =>
  results.flatMap(({ clientId: subject, taken, failed, totalMilliseconds, slowestMilliseconds: slowest }) => {
    const place = { span: "slot", at: slotOf(now), subject, detail: "" } as const;
    const posts = [
      { ...place, kind: "taken", count: taken },
      { ...place, kind: "failed", count: failed },
      { ...place, kind: "milliseconds", count: totalMilliseconds, lastAt: slowest },
    ];
    return posts.filter(({ count }) => count > 0);
  });

/** Times in milliseconds since 1970. */
export interface EndpointHealth {
  /** The posts of the last day, by 20 minutes: 72 counts, the oldest first. */
  slots: { at: number; taken: number; failed: number }[];
  /** null: none was posted. */
  meanMilliseconds: number | null;
  slowestMilliseconds: number | null;
  /** Since when each has failed, and how many in a row; null: the last was taken, or none was posted to this URL. */
  failing: { since: number; failures: number } | null;
  /** The last that failed of the latest 100 events; null: none of them. */
  lastFailure: { at: number; outcome: string; httpStatus: number | null; response: string | null } | null;
}

interface PostsRow {
  client_id: string;
  slot: number;
  kind: "taken" | "failed" | "milliseconds";
  count: number;
  /** The longest, of milliseconds. */
  most: number;
}

interface HealthRow {
  client_id: string;
  callback_url: string | null;
  host: string | null;
  since: number;
  failures: number;
  /** JSON. */
  last: string | null;
}

/** A client, or all clients of a website. */
export type WhoseEndpoints = { clientId: string } | { websiteId: string };

/** By client: all that there are. For each, 72 counts and 100 events are read at most. */
export async function readEndpoints(
  db: D1Database,
  whose: WhoseEndpoints,
  now: number,
): Promise<Map<string, EndpointHealth>> {
  const isOne: Sql =
    "clientId" in whose ? sql`c.client_id = ${whose.clientId}` : sql`c.website_id = ${whose.websiteId}`;
  const { posts, health } = await runNamed(db, {
    posts: prepare(
      db,
      sql<PostsRow>`SELECT c.client_id, p.at AS slot, p.kind, p.count, p.last_at AS most
        FROM clients c CROSS JOIN json_each('["taken", "failed", "milliseconds"]') k
        CROSS JOIN counts p ON p.subject = c.client_id AND p.span = 'slot' AND p.kind = k.value AND p.at > ${slotOf(now) - SLOTS}
        WHERE ${isOne}`,
    ),
    health: prepare(
      db,
      sql<HealthRow>`SELECT c.client_id, c.callback_url, f.host, f.since, f.failures,
          (SELECT json_object('at', attempted_at, 'outcome', outcome, 'httpStatus', http_status, 'response', response)
            FROM (SELECT seq, attempted_at, outcome, http_status, response FROM events e
              WHERE e.website_id = c.website_id AND e.client_id = c.client_id ORDER BY seq DESC LIMIT 100)
            WHERE outcome IN ('timed-out', 'unreachable') OR (outcome = 'answered' AND http_status NOT BETWEEN 200 AND 299)
            ORDER BY attempted_at DESC, seq DESC LIMIT 1) AS last
        FROM clients c LEFT JOIN failing_endpoints f ON f.client_id = c.client_id WHERE ${isOne}`,
    ),
  });
  return new Map(
    health.map((row) => [
      row.client_id,
      toHealth(
        row,
        posts.filter((it) => it.client_id === row.client_id),
        now,
      ),
    ]),
  );
}

function toHealth({ callback_url: url, host, since, failures, last }: HealthRow, posts: PostsRow[], now: number) {
  const sum = (...kinds: string[]) =>
    posts.filter(({ kind }) => kinds.includes(kind)).reduce((total, { count }) => total + count, 0);
  const posted = sum("taken", "failed");
  // What failed at another URL says nothing of this one.
  const isFailing = url !== null && host !== null && URL.parse(url)?.host === host;
  return {
    slots: Array.from({ length: SLOTS }, (_, index) => {
      const own = slotOf(now) - SLOTS + 1 + index;
      const count = (name: string) => posts.find(({ slot, kind }) => slot === own && kind === name)?.count ?? 0;
      return { at: own * SLOT_MILLISECONDS, taken: count("taken"), failed: count("failed") };
    }),
    meanMilliseconds: posted === 0 ? null : Math.round(sum("milliseconds") / posted),
    slowestMilliseconds: posted === 0 ? null : Math.max(...posts.map(({ most }) => most)),
    failing: isFailing ? { since, failures } : null,
    lastFailure: last === null ? null : (JSON.parse(last) as EndpointHealth["lastFailure"]),
  };
}
