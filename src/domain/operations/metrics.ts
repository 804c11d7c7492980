// Pure. The state of the service in Prometheus' text format: https://prometheus.io/docs/instrumenting/exposition_formats/
import { OUTCOME_CLASSES } from "../messages/outcome-class.ts";
import { PROBLEMS, type ServiceState } from "./problems.ts";
import { isKnown, MESSAGE_STATES, type StatePart } from "./service-state.ts";
import type { Traffic } from "./traffic.ts";

const DAY_SECONDS = 86_400;

type Labels = Record<string, string>;
type Sample = [labels: Labels, value: number | null];

/** A gauge: counts of the service go down as well, when they are purged. Samples without a value are left out. */
function gauge(name: string, help: string, samples: Sample[]): string {
  const known = samples.filter((sample): sample is [Labels, number] => sample[1] !== null);
  const lines = known.map(([labels, value]) => `textgate_${name}${toLabels(labels)} ${value}\n`);
  return `# HELP textgate_${name} ${help}\n# TYPE textgate_${name} gauge\n${lines.join("")}`;
}

function toLabels(labels: Labels): string {
  const quoted = (value: string) => value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
  const some = Object.entries(labels).map(([name, value]) => `${name}="${quoted(value)}"`);
  return some.length === 0 ? "" : `{${some.join(",")}}`;
}

const byOutcome = (counts: Record<string, number | null>, labels: Labels = {}): Sample[] =>
  Object.entries(counts).map(([outcome, count]) => [{ ...labels, outcome }, count]);

/** @param month the texts of the last 30 days; null: not known */
export function toMetrics(state: ServiceState, month: Traffic | null): string {
  const { sweep, carriers, callbacks, failing } = state;
  const ifKnown = (part: StatePart, value: number) => (isKnown(failing, part) ? value : null);
  const byState = (read: (backlog: ServiceState["deadJobs"]) => number | null): Sample[] =>
    carriers.flatMap((it) =>
      MESSAGE_STATES.map((name): Sample => [{ carrier: it.carrier, state: name }, read(it[name])]),
    );
  return [
    gauge(
      "problem",
      "1 while the problem lasts.",
      PROBLEMS.map((problem) => [{ problem }, state.problems.includes(problem) ? 1 : 0]),
    ),
    gauge("sweep_age_seconds", "Since the last sweep ended.", [[{}, sweep.ageSeconds]]),
    gauge("sweep_failed_jobs", "Jobs of the last sweep that failed.", [
      [{}, ifKnown("lastSweep", sweep.failedJobs.length)],
    ]),
    ...storeGauges(state),
    gauge(
      "messages",
      "Texts that were accepted in the last 30 days, by what has become of them.",
      OUTCOME_CLASSES.map((name) => [{ class: name }, month?.[name] ?? null]),
    ),
    gauge(
      "open_messages",
      "Messages that are not final, up to 10,000 of a state.",
      byState(({ count }) => count),
    ),
    gauge(
      "open_messages_oldest_seconds",
      "Age of the oldest in that state.",
      byState(({ oldestSeconds }) => oldestSeconds),
    ),
    gauge("messages_retried_seconds", "Age of the oldest message that is retried.", [[{}, state.retriedSeconds]]),
    ...carrierGauges(state),
    gauge("callbacks_due", "Callbacks that wait to be posted.", [[{}, callbacks.due.count]]),
    gauge("callbacks_due_oldest_seconds", "Age of the oldest of them.", [[{}, callbacks.due.oldestSeconds]]),
    gauge("callbacks_claimed", "Callbacks that are being posted.", [[{}, callbacks.claimed.count]]),
    gauge("callbacks_5m", "Callbacks of the last five minutes, by outcome.", byOutcome(callbacks.lastFiveMinutes)),
    gauge("endpoints_failing", "Endpoints whose last callbacks failed.", [
      [{}, ifKnown("endpoints", callbacks.failingEndpoints.length)],
    ]),
    gauge("dead_jobs", "Jobs that used up their retries.", [[{}, state.deadJobs.count]]),
    gauge("credentials_behind", "Clients whose copy in KV is out of date.", [[{}, state.credentialsBehind.count]]),
  ].join("");
}

function carrierGauges({ carriers, failing }: ServiceState): string[] {
  const ifKnown = (value: number) => (isKnown(failing, "pauses") ? value : null);
  return [
    gauge(
      "carrier_paused",
      "1 while the circuit breaker of the carrier and our account there is open.",
      carriers.map(({ carrier, pause }) => [{ carrier }, ifKnown(pause ? 1 : 0)]),
    ),
    gauge(
      "senders_paused",
      "Senders of the carrier whose circuit breakers are open.",
      carriers.map(({ carrier, senderPauses }) => [{ carrier }, ifKnown(senderPauses.length)]),
    ),
    gauge(
      "submissions_5m",
      "Submissions of the last five minutes, by outcome.",
      carriers.flatMap(({ carrier, lastFiveMinutes }) => byOutcome(lastFiveMinutes, { carrier })),
    ),
    gauge(
      "receipts_5m",
      "Texts that a carrier took in the last five minutes, by final receipt.",
      carriers.flatMap(({ carrier, receipts }) => byOutcome(receipts.lastFiveMinutes, { carrier })),
    ),
  ];
}

function storeGauges({ databases, queues }: ServiceState): string[] {
  return [
    gauge(
      "database_bytes",
      "Size of a database.",
      databases.map(({ database, bytes }) => [{ database }, bytes]),
    ),
    gauge(
      "database_remaining_seconds",
      "Until it is full, at its present growth: in whole days.",
      databases.map(({ database, daysLeft }) => [{ database }, daysLeft === null ? null : daysLeft * DAY_SECONDS]),
    ),
    gauge(
      "queue_backlog",
      "Jobs in a queue, as it reports them.",
      queues.map(({ queue, backlog }) => [{ queue }, backlog]),
    ),
  ];
}
