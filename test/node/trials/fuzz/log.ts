// What the Worker and workerd print while they are fuzzed: errors of either are faults of the run.

/** workerd, or its Worker in front that has the assets, says so of each request that is no HTTP, or for no host. */
const BROKEN_HTTP =
  /^(Uncaught exception: |e = )(kj\/compat\/(http|url)\.c\+\+|.*: remote\.jsg\.TypeError: Invalid URL string)/;

/** An endpoint whose host does not exist. */
const NO_HOST = /^e = .*failed to lookup address information/;

export class Log {
  /** How often each event above level "info" came. */
  readonly troubles = new Map<string, number>();
  readonly faults: string[] = [];

  take(line: string): void {
    const { level, event } = read(line);
    if (level === "info") return;
    const name = `${level} ${event}`;
    this.troubles.set(name, (this.troubles.get(name) ?? 0) + 1);
    if (level === "error") this.faults.push(line);
  }
}

/** What is no line of the service's own is workerd's: an exception that nobody caught, a crash. */
function read(line: string): { level: string; event: string } {
  if (BROKEN_HTTP.test(line)) return { level: "workerd:", event: "broken HTTP" };
  if (NO_HOST.test(line)) return { level: "workerd:", event: "no such host" };
  try {
    const { level, event } = JSON.parse(line);
    if (typeof level === "string" && typeof event === "string") return { level, event };
  } catch {
    // No JSON.
  }
  return { level: "error", event: "printed" };
}
