import { type Cell, toTable } from "./operator-report.ts";

interface Backlog {
  count: number;
  oldestSeconds: number | null;
}

const STATES = ["waiting", "retrying", "claimed", "stuck", "withoutReceipt"] as const;

type States = Record<(typeof STATES)[number], Backlog>;

interface ServiceState {
  checkedAt: string;
  problems: string[];
  isCut: boolean;
  sweep: { ageSeconds: number | null; failedJobs: string[] };
  queues: { queue: string; backlog: number | null; oldestSeconds: number | null }[];
  carriers: (States & {
    carrier: string;
    isInUse: boolean;
    isSetUp: boolean;
    missingSettings: string[];
    isUnauthorized: boolean;
    lastHour: Record<string, number>;
  })[];
  callbacks: { due: Backlog; claimed: Backlog; lastHour: Record<string, number> };
  deadJobs: Backlog;
  credentialsBehind: Backlog;
  keywordsWithoutEffect: Backlog;
}

export function showHealth(answer: string): string {
  const state = JSON.parse(answer) as ServiceState;
  const { sweep, callbacks } = state;
  const failed = sweep.failedJobs.length > 0 ? `; failed: ${sweep.failedJobs.join(", ")}` : "";
  return [
    toTable([
      ["at", state.checkedAt],
      ["problems", state.problems.join(", ") || "none"],
      ["sweep", sweep.ageSeconds === null ? "has never ended" : `ended ${sweep.ageSeconds} s ago${failed}`],
      ...state.queues.map((it) => [
        `queue of ${it.queue}`,
        toCell({ count: it.backlog ?? Number.NaN, oldestSeconds: it.oldestSeconds }),
      ]),
      ["callbacks due", toCell(callbacks.due)],
      ["callbacks claimed", toCell(callbacks.claimed)],
      ["callbacks, last hour", toCounts(callbacks.lastHour)],
      ["dead jobs", toCell(state.deadJobs)],
      ["credentials behind", toCell(state.credentialsBehind)],
      ["keywords without effect, last day", toCell(state.keywordsWithoutEffect)],
    ]),
    "",
    toTable([["CARRIER", "WAITING", "RETRYING", "CLAIMED", "STUCK", "NO RECEIPT", "LAST HOUR"], ...carrierRows(state)]),
    ...(state.isCut ? ["", "More than is counted waits: the oldest 10,000 of a state are."] : []),
  ].join("\n");
}

function carrierRows({ carriers }: ServiceState): Cell[][] {
  return carriers.map((it) => {
    const lacks = it.isSetUp ? "" : ` NOT SET UP${it.missingSettings.map((name) => ` ${name}`).join("")}`;
    const refused = it.isUnauthorized ? " CREDENTIALS REFUSED" : "";
    return [it.carrier + lacks + refused, ...STATES.map((state) => toCell(it[state])), toCounts(it.lastHour)];
  });
}

function toCell({ count, oldestSeconds }: Backlog): string {
  if (Number.isNaN(count)) return "no answer";
  return oldestSeconds === null ? String(count) : `${count} (${oldestSeconds} s)`;
}

function toCounts(counts: Record<string, number>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([name, count]) => `${name} ${count}`).join(", ") || "none";
}

export function showDeadJobs(answer: string): string {
  const { deadJobs } = JSON.parse(answer) as {
    deadJobs: { id: string; diedAt: string; body: unknown; error: string | null; putBackAt: string | null }[];
  };
  if (deadJobs.length === 0) return "No dead jobs.";
  const rows = deadJobs.map((it) => [it.id, it.diedAt, it.putBackAt, toKind(it.body), it.error]);
  return toTable([["ID", "DIED", "PUT BACK", "KIND", "ERROR"], ...rows]);
}

function toKind(body: unknown): string {
  const isNamed = typeof body === "object" && body !== null && "kind" in body;
  return isNamed ? String(body.kind) : "unknown";
}

export function showPutBack(answer: string): string {
  const { putBack, left = 0 } = JSON.parse(answer) as { putBack: number; left?: number };
  const jobs = `Put back ${putBack} ${putBack === 1 ? "job" : "jobs"}`;
  return left > 0 ? `${jobs}, ${left} left.` : `${jobs}.`;
}
