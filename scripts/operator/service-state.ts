import type { ServiceStateAnswers } from "../../src/http/operator/service-state.ts";
import { callOperator } from "./api.ts";
import type { Command } from "./command.ts";
import { type Cell, toTable } from "./table.ts";

type ServiceState = ServiceStateAnswers["ServiceState"];

export const SERVICE_STATE_COMMANDS: Command[] = [
  {
    name: "health",
    parameters: [],
    summary: "show what waits, what is stuck and what fails",
    options: {},
    notes: "docs/operating.md says what to do about each problem.",
    run: (service) => callOperator(service, "GET", "/health"),
    show: showServiceState,
  },
];

const STATES = [
  "waiting",
  "retrying",
  "claimed",
  "stuck",
  "withoutReceipt",
] as const satisfies (keyof ServiceState["messages"])[];

function showServiceState(answer: string): string {
  const state = JSON.parse(answer) as ServiceState;
  const { sweep, callbacks } = state;
  const failed = sweep.failedJobs.length > 0 ? `; failed: ${sweep.failedJobs.join(", ")}` : "";
  return [
    toTable([
      ["at", state.checkedAt],
      ["problems", state.problems.join(", ") || "none"],
      ...state.details.filter(isAbout).map((it): Cell[] => [`  ${it.problem}`, describe(it)]),
      ["sweep", sweep.ageSeconds === null ? "has never ended" : `ended ${sweep.ageSeconds} s ago${failed}`],
      ...state.queues.map((it) => [
        `queue of ${it.queue}`,
        toCell({ count: it.backlog ?? Number.NaN, oldestSeconds: it.oldestSeconds }),
      ]),
      ["callbacks due", toCell(callbacks.due)],
      ["callbacks claimed", toCell(callbacks.claimed)],
      ["callbacks, last 5 minutes", toCounts(callbacks.lastFiveMinutes)],
      ["callbacks, last hour", toCounts(callbacks.lastHour)],
      ["dead jobs", toCell(state.deadJobs)],
      ["credentials behind", toCell(state.credentialsBehind)],
      ["keywords without effect, last day", toCell(state.keywordsWithoutEffect)],
    ]),
    "",
    toTable([
      ["CARRIER", "WAITING", "RETRYING", "CLAIMED", "STUCK", "NO RECEIPT", "LAST 5 MIN", "LAST HOUR"],
      ...carrierRows(state),
    ]),
    ...(state.isCut ? ["", "More than is counted waits: the oldest 10,000 of a state are."] : []),
  ].join("\n");
}

type Detail = ServiceState["details"][number];

const isAbout = ({ problem: _, ...about }: Detail) => Object.values(about).some((value) => value !== null);

function describe({ carrier, websiteId, clientId, host, since, cause, nextTryAt }: Detail): string {
  return [
    carrier,
    websiteId && `website ${websiteId}`,
    clientId && `client ${clientId}`,
    host,
    since && `since ${since}`,
    cause,
    nextTryAt && `next try ${nextTryAt}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function carrierRows({ carriers }: ServiceState): Cell[][] {
  return carriers.map((it) => {
    const lacks = it.isSetUp ? "" : ` NOT SET UP${it.missingSettings.map((name) => ` ${name}`).join("")}`;
    const refused = it.isUnauthorized ? " CREDENTIALS REFUSED" : "";
    return [
      it.carrier + lacks + refused,
      ...STATES.map((state) => toCell(it[state])),
      toCounts(it.lastFiveMinutes),
      toCounts(it.lastHour),
    ];
  });
}

function toCell({ count, oldestSeconds }: ServiceState["deadJobs"]): string {
  if (Number.isNaN(count)) return "no answer";
  return oldestSeconds === null ? String(count) : `${count} (${oldestSeconds} s)`;
}

function toCounts(counts: Record<string, number>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([name, count]) => `${name} ${count}`).join(", ") || "none";
}
