// What `npm start` has filled an empty service with.

interface Total {
  accepted: number;
  delivered: number;
  waiting: number;
  failed: Record<string, number>;
  clicked: number;
  optedOut: number;
}

/**
 * Counts what the console has to show of the demo's brands.
 * @param link to the console, with the token of an operator
 */
export async function readDemo(url: string, link: string) {
  const [, token] = link.split("#/in/");
  const read = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}/operator${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.json() as Promise<T>;
  };
  const { websites } = await read<{ websites: { websiteId: string; name: string; holds: unknown[] }[] }>("/websites");
  const brands = websites.filter(({ name }) => name.endsWith("(demo)"));
  const reports = await Promise.all(
    brands.map(({ websiteId }) => read<{ total: Total; rows: unknown[] }>(`/websites/${websiteId}/report?by=day`)),
  );
  const { callbacks } = await read<{ callbacks: { failingEndpoints: unknown[] } }>("/health");
  const { deadJobs } = await read<{ deadJobs: { putBackAt: string | null }[] }>("/dead-jobs");
  const { texts } = await read<{ texts: unknown[] }>("/inbound/without-effect");
  const sum = (of: (total: Total) => number) => reports.reduce((all, { total }) => all + of(total), 0);
  return {
    brands: brands.map(({ websiteId }) => websiteId),
    days: reports.map(({ rows }) => rows.length),
    accepted: sum((total) => total.accepted),
    counts: {
      delivered: sum((total) => total.delivered),
      waiting: sum((total) => total.waiting),
      refused: sum(({ failed }) => failed.FAILED_TO_SEND ?? 0),
      undelivered: sum(({ failed }) => failed.FAILED_TO_DELIVERY ?? 0),
      unknown: sum(({ failed }) => failed.NOT_FOUND ?? 0),
      unsubscribed: sum(({ failed }) => failed.NOT_SUBSCRIBED ?? 0),
      clicked: sum((total) => total.clicked),
      optedOut: sum((total) => total.optedOut),
    },
    troubles: {
      holds: brands.flatMap(({ holds }) => holds).length,
      deadJobs: deadJobs.filter(({ putBackAt }) => putBackAt === null).length,
      maybeOptOuts: texts.length,
      failingEndpoints: callbacks.failingEndpoints.length,
    },
  };
}
