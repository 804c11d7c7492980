import * as z from "zod";
import { toMetrics } from "../domain/operations/metrics.ts";
import { readMonthOfAll } from "../flows/operations/read-month.ts";
import { readServiceState } from "../flows/operations/read-service-state.ts";
import { ok, type Resource } from "../http/call.ts";
import { operatorCall } from "./operator-call.ts";
import { SERVICE_STATE, serviceStateAnswers } from "./views/service-state.ts";

const get = operatorCall({
  id: "getServiceState",
  method: "GET",
  path: "/operator/health",
  tag: "Service state",
  summary: "Read the state of the service",
  description:
    "Counts the messages that are not final by their state, in all and by carrier, each with the age of the oldest; `lastHour` counts submissions and callbacks by outcome, and `receipts` the texts of that time by their final receipt.\n\n<!-- states -->\n\n`problems` names what needs an operator.\n\n<!-- problems -->",
  answers: [ok(serviceStateAnswers.ServiceState, "The present state.", SERVICE_STATE)],
  command: {
    name: "health",
    notes: "docs/runbook.md says what to do about each problem. The exit code is 4 while there is one.",
    hasProblem: ({ problems }) => problems.length > 0,
  },
  run: async (request, deps) => {
    const { requestId } = request;
    const state = await readServiceState(deps, new URL(request.url).origin, requestId);
    return { requestId, ...state };
  },
});

/** The version is that of Prometheus' format. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const getMetrics = operatorCall({
  id: "getMetrics",
  method: "GET",
  path: "/operator/metrics",
  tag: "Service state",
  summary: "Read the state of the service for Prometheus",
  description:
    "The same counts in Prometheus' text format, and the texts of the last 30 days as GET /operator/overview has them. `textgate_problem` is 1 while a problem lasts. Nothing in it names a person, a website or a client.",
  answers: [
    {
      status: 200,
      description: "The present state.",
      mediaType: "text/plain",
      schema: z.string(),
      example: '# TYPE textgate_problem gauge\ntextgate_problem{problem="sweep-late"} 0\n',
    },
  ],
  namesNobody: true,
  command: { name: "metrics" },
  run: async (request, deps) => {
    const [state, counted] = await Promise.all([
      readServiceState(deps, new URL(request.url).origin, request.requestId),
      // Without them, the state says what fails.
      readMonthOfAll(deps).catch(() => null),
    ]);
    return new Response(toMetrics(state, counted?.month ?? null), { headers: { "content-type": METRICS_TYPE } });
  },
});

export const serviceState: Resource = { calls: [get, getMetrics], schemas: serviceStateAnswers };
