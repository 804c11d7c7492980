// Whether the endpoints of clients take their callbacks: the posts of a day, and the last that failed.
import { runNamed } from "../database.ts";
import { prepare, type Sql, sql } from "../sql.ts";
import { SLOT_MILLISECONDS, SLOTS, slotOf } from "./endpoint-posts.ts";

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
  taken: number;
  failed: number;
  total_ms: number;
  slowest_ms: number;
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
      sql<PostsRow>`SELECT p.* FROM clients c CROSS JOIN endpoint_posts p ON p.client_id = c.client_id AND p.slot > ${slotOf(now) - SLOTS}
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
  const posted = posts.reduce((sum, { taken, failed }) => sum + taken + failed, 0);
  const total = posts.reduce((sum, { total_ms }) => sum + total_ms, 0);
  // What failed at another URL says nothing of this one.
  const isFailing = url !== null && host !== null && URL.parse(url)?.host === host;
  return {
    slots: Array.from({ length: SLOTS }, (_, index) => {
      const own = slotOf(now) - SLOTS + 1 + index;
      const row = posts.find(({ slot }) => slot === own);
      return { at: own * SLOT_MILLISECONDS, taken: row?.taken ?? 0, failed: row?.failed ?? 0 };
    }),
    meanMilliseconds: posted === 0 ? null : Math.round(total / posted),
    slowestMilliseconds: posted === 0 ? null : Math.max(...posts.map(({ slowest_ms }) => slowest_ms)),
    failing: isFailing ? { since, failures } : null,
    lastFailure: last === null ? null : (JSON.parse(last) as EndpointHealth["lastFailure"]),
  };
}
