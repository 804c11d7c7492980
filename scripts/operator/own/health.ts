import { setTimeout } from "node:timers/promises";
import { describeProblem } from "../../../src/domain/operations/problems.ts";
import type { ServiceStateAnswers } from "../../../src/operator/views/service-state.ts";
import { callOperator, type Service, Unreachable } from "../api.ts";
import { type Command, type Own, toNumber, type Values } from "../command.ts";
import { type Cell, toTable } from "../table.ts";

type ServiceState = ServiceStateAnswers["ServiceState"];

export const HEALTH: Own = { show: showServiceState };

export const WATCH: Command = {
  name: "watch",
  parameters: [],
  group: "Service state",
  summary: "Show the state of the service every few seconds, until Ctrl-C",
  options: {
    seconds: { value: "<n>", summary: "Seconds between two looks. Default: 5." },
    looks: { value: "<n>", summary: "Number of looks. Default: no limit." },
  },
  run: async (service, _, values) => {
    const answer = await watch(service, values);
    const { problems } = JSON.parse(answer) as ServiceState;
    return { answer, show: () => showServiceState(answer, service), hasProblem: problems.length > 0 };
  },
};

const CLEAR = "\x1b[2J\x1b[H";

/** Prints each look but the last, which the command prints as any other. */
async function watch(service: Service, values: Values): Promise<string> {
  const seconds = toNumber("seconds", values.seconds) ?? 5;
  const looks = toNumber("looks", values.looks) ?? Number.POSITIVE_INFINITY;
  for (let look = 1; ; look++) {
    const answer = await callOperator(service, "GET", "/health").catch(unlessRefused);
    if (look >= looks && typeof answer === "string") return answer;
    const show = values.json ? (text: string) => text : (text: string) => showServiceState(text, service);
    const shown = typeof answer === "string" ? show(answer) : answer.message;
    console.log(`${process.stdout.isTTY ? CLEAR : ""}${shown}\n`);
    await setTimeout(seconds * 1000);
  }
}

/** A watch goes on while the service does not answer. @throws what is not for want of an answer */
function unlessRefused(error: unknown): Unreachable {
  if (error instanceof Unreachable) return error;
  throw error;
}

const STATES = [
  "waiting",
  "held",
  "retrying",
  "claimed",
  "stuck",
  "withoutReceipt",
] as const satisfies (keyof ServiceState["messages"])[];

function showServiceState(answer: string, { url }: Service): string {
  const state = JSON.parse(answer) as ServiceState;
  const { sweep, callbacks } = state;
  const failed = sweep.failedJobs.length > 0 ? `; failed: ${sweep.failedJobs.join(", ")}` : "";
  return [
    toTable([
      ["at", state.checkedAt],
      ["problems", state.problems.join(", ") || "none"],
      ...state.details.filter(isAbout).map((it): Cell[] => [`  ${it.problem}`, describeProblem(it)]),
      ...state.problems.map((name, index) => [index === 0 ? "what to do" : "", `${url}/docs/operator#${name}`]),
      ["database", describeDatabase(state.database)],
      ...state.failing.map((it): Cell[] => [`  no answer: ${it.part}`, it.error]),
      ...(state.failing.length > 0 ? [["  in the log", `requestId ${state.requestId}`]] : []),
      [
        "sweep",
        sweep.ageSeconds === null
          ? state.failing.length > 0
            ? "no answer"
            : "has never ended"
          : `ended ${sweep.ageSeconds} s ago${failed}`,
      ],
      ...state.queues.map((it) => [
        `queue of ${it.queue}`,
        toCell({ count: it.backlog, oldestSeconds: it.oldestSeconds }),
      ]),
      ["callbacks due", toCell(callbacks.due)],
      ["callbacks claimed", toCell(callbacks.claimed)],
      ["callbacks, last 5 minutes", toCounts(callbackCounts(callbacks, "lastFiveMinutes"))],
      ["callbacks, last hour", toCounts(callbackCounts(callbacks, "lastHour"))],
      ...endpointRows(state),
      ["dead jobs", toCell(state.deadJobs)],
      ["credentials behind", toCell(state.credentialsBehind)],
      ["keywords without effect, last day", toCell(state.keywordsWithoutEffect)],
      ["texts that may be opt-outs, last 3 days", toCell(state.maybeOptOuts)],
      ...state.unreadableTexts.map((it): Cell[] => [`unreadable texts of ${it.carrier}, last day`, `${it.count}`]),
    ]),
    "",
    toTable([
      ["CARRIER", "WAITING", "HELD", "RETRYING", "CLAIMED", "STUCK", "NO RECEIPT", "LAST 5 MIN", "LAST HOUR"],
      ...carrierRows(state),
    ]),
    ...(state.senders.length > 0
      ? ["", toTable([["SENDER", "CARRIER", "LAST 5 MIN", "LAST HOUR", "MOST FAIL FOR"], ...senderRows(state)])]
      : []),
    ...(state.isCut ? ["", "Counts stop at 10,000 per state. The real numbers are higher."] : []),
  ].join("\n");
}

type Detail = ServiceState["details"][number];

const isAbout = ({ problem: _, ...about }: Detail) => Object.values(about).some((value) => value !== null);

function carrierRows({ carriers }: ServiceState): Cell[][] {
  return carriers.map((it) => {
    const lacks = it.isSetUp ? "" : ` NOT SET UP${it.missingSettings.map((name) => ` ${name}`).join("")}`;
    const refused = it.isUnauthorized ? " CREDENTIALS REFUSED" : "";
    return [
      it.carrier + lacks + refused,
      ...STATES.map((state) => toCell(it[state])),
      toCounts({ ...it.lastFiveMinutes, ...it.receipts.lastFiveMinutes }),
      toCounts({ ...it.lastHour, ...it.receipts.lastHour }),
    ];
  });
}

function senderRows({ senders }: ServiceState): Cell[][] {
  return senders.map((it) => [
    it.sender ?? "-",
    it.carrier,
    toCounts(it.lastFiveMinutes),
    toCounts(it.lastHour),
    it.cause ?? "-",
  ]);
}

/** Failing endpoints that are no problem: those of websites that use the sandbox. */
function endpointRows({ callbacks, details }: ServiceState): Cell[][] {
  const { failingEndpoints } = callbacks;
  const others = failingEndpoints.filter(({ clientId }) => !details.some((it) => it.clientId === clientId));
  return others.map(({ failures: _, ...about }) => ["  endpoint failing (sandbox)", describeProblem(about)]);
}

/** With the statuses in place of their sum. */
function callbackCounts({ answered, ...callbacks }: ServiceState["callbacks"], when: "lastFiveMinutes" | "lastHour") {
  const { refused, ...counts } = callbacks[when];
  const known = answered.reduce((sum, it) => sum + it[when], 0);
  const statuses = Object.fromEntries(answered.map((it) => [`answered ${it.status}:`, it[when]]));
  return { ...counts, ...statuses, "answered otherwise": refused === null ? null : refused - known };
}

function toCell({ count, oldestSeconds }: ServiceState["deadJobs"]): string {
  if (count === null) return "no answer";
  return oldestSeconds === null ? String(count) : `${count} (${oldestSeconds} s)`;
}

function describeDatabase({ status, milliseconds, cause, missing }: ServiceState["database"]): string {
  const words = { ok: `answered in ${milliseconds} ms`, behind: `BEHIND: ${cause}`, away: `AWAY: ${cause}` }[status];
  return missing ? `${words}; MIGRATION MISSING: ${missing}` : words;
}

function toCounts(counts: Record<string, number | null>): string {
  if (Object.values(counts).includes(null)) return "no answer";
  const some = Object.entries(counts).filter(([, count]) => count !== 0);
  return some.map(([name, count]) => `${name} ${count}`).join(", ") || "none";
}
