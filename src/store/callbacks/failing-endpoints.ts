import type { FailingEndpointRow } from "../rows.ts";
import { prepare, type Sql, sql } from "../sql.ts";

/** How the latest callbacks of a run to the endpoint of one client ended. */
export interface EndpointResult {
  clientId: string;
  host: string;
  hasSucceeded: boolean;
  /** Since the last success of the run, if any. */
  failures: number;
  /** Why the latest callback failed, in words. */
  cause: string;
  /** Counts and times of all posts of the run. */
  taken: number;
  failed: number;
  totalMilliseconds: number;
  slowestMilliseconds: number;
}

/**
 * For a transaction that may run twice, and that stores the outcomes.
 * @param isNew condition: it holds until the rest of the transaction has taken effect
 */
export function endpointStatements(
  db: D1Database,
  results: EndpointResult[],
  now: number,
  isNew: Sql,
): D1PreparedStatement[] {
  const worked = results.filter(({ hasSucceeded }) => hasSucceeded).map(({ clientId }) => clientId);
  const failed = results.filter(({ failures }) => failures > 0);
  const ends = sql`DELETE FROM failing_endpoints
    WHERE client_id IN (SELECT value FROM json_each(${JSON.stringify(worked)})) AND ${isNew}`;
  const begins = sql`INSERT INTO failing_endpoints (client_id, host, since, failed_at, failures, cause)
    SELECT value ->> 'clientId', value ->> 'host', ${now}, ${now}, value ->> 'failures', value ->> 'cause'
    FROM json_each(${JSON.stringify(failed)}) WHERE ${isNew}
    ON CONFLICT (client_id) DO UPDATE SET since = iif(host = excluded.host, since, excluded.since),
      failures = iif(host = excluded.host, failures, 0) + excluded.failures, host = excluded.host,
      failed_at = max(failed_at, excluded.failed_at), cause = excluded.cause`;
  return [...(worked.length > 0 ? [prepare(db, ends)] : []), ...(failed.length > 0 ? [prepare(db, begins)] : [])];
}

/** An endpoint whose last callbacks failed. Times in milliseconds since 1970. */
export interface FailingEndpoint {
  clientId: string;
  websiteId: string;
  /** The carrier of the website. */
  carrier: string;
  host: string;
  since: number;
  failures: number;
  cause: string;
}

type FoundRow = FailingEndpointRow & { website_id: string; carrier: string; callback_url: string };

/** Selects the failing endpoints of clients that still have that URL. */
export function selectFailingEndpoints(
  db: D1Database,
  failedAfter: number,
  leastFailures: number,
  most: number,
): D1PreparedStatement {
  return prepare(
    db,
    sql`SELECT f.client_id, f.host, f.since, f.failures, f.cause, c.website_id, w.carrier, c.callback_url
      FROM failing_endpoints f CROSS JOIN clients c ON c.client_id = f.client_id
        CROSS JOIN websites w ON w.website_id = c.website_id
      WHERE f.failed_at > ${failedAfter} AND f.failures >= ${leastFailures} AND c.callback_url IS NOT NULL LIMIT ${most}`,
  );
}

/** @param rows of selectFailingEndpoints */
export function toFailingEndpoints(rows: unknown[]): FailingEndpoint[] {
  return (rows as FoundRow[])
    .filter(({ callback_url, host }) => URL.parse(callback_url)?.host === host)
    .map(({ client_id, website_id, carrier, host, since, failures, cause }) => ({
      clientId: client_id,
      websiteId: website_id,
      carrier,
      host,
      since,
      failures,
      cause,
    }));
}
