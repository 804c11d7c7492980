import { WEBSITE_ID } from "../domain/clients/website.ts";
import type { CarrierState } from "../domain/operations/service-state.ts";
import { type Overview as Read, readOverview } from "../flows/operations/read-overview.ts";
import { inQuery, ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { type CARRIER_LOOKS, type OverviewAnswers, overviewAnswers } from "./answers/overview.ts";
import { operatorCall } from "./operator-call.ts";
import { readWebsiteId } from "./params.ts";
import { nowProblemView, pastProblemView } from "./views/overview-problem.ts";

type Overview = OverviewAnswers["Overview"];

const OUTCOMES = { sent: 27, noReceipt: 1, delivered: 25, undelivered: 1 };
const FIGURES = {
  ...{ accepted: 32, scheduled: 1, waiting: 2, held: 0, notSubscribed: 1, endedBefore: 0, notTaken: 1 },
  ...OUTCOMES,
};

const GROWTH = { clicked: 3, optedOut: 1, joined: 40, parted: 2 };

const EXAMPLE = {
  asOf: TIME,
  hasTexts: true,
  needs: { overdue: 0, held: 0, toDecide: 0, problems: 0 },
  problems: [],
  lastProblems: [],
  minutes: [{ at: TIME, ...FIGURES }],
  hour: { oldestWithoutReceiptSeconds: 42 },
  days: [{ day: "2026-11-21", ...FIGURES, ...GROWTH }],
  websites: [
    {
      ...{ websiteId: "brand", name: "Brand", ...FIGURES, today: FIGURES, month: FIGURES },
      ...{ overdue: 0, waitsFor: null, optedOut30Days: 31, failingEndpoints: 0 },
    },
  ],
  isCut: false,
  carriers: [{ carrier: "twilio", ...OUTCOMES, waiting: 0, state: "accepting" }],
} satisfies Overview;

const get = operatorCall({
  id: "getOverview",
  method: "GET",
  path: "/operator/overview",
  tag: "Service state",
  summary: "Look at the last hour, the last 30 days and what needs an operator",
  description:
    "The texts that were accepted, and what has become of them: by the minute and by the day of acceptance, by website and by carrier. By day, also how many numbers were subscribed and unsubscribed. The sweep counts once a minute, so the counts are at most two minutes old. A look reads at most 6,000 rows of each database, whatever the traffic, and two for each pending message that waits for a later time, or whose website has a hold of a purpose or a client, 50,000 messages of both at most. It writes nothing.",
  parameters: [
    inQuery("website", "Only the texts of this website. Problems are those of the service.", {
      pattern: WEBSITE_ID.source,
    }),
  ],
  answers: [ok(overviewAnswers.Overview, "As of now.", EXAMPLE)],
  errors: ["resource-unknown"],
  command: { name: "overview", hasProblem: ({ problems }) => problems.length > 0 },
  run: async (request, deps) => {
    const websiteId = await readWebsiteId(request, deps);
    const read = await readOverview(deps, websiteId, new URL(request.url).origin, request.requestId);
    return toAnswer(read);
  },
});

function toAnswer(read: Read): Overview {
  const { state, asOf, minutes, days, month, websites, carriers, isCut, overdue, past, names, missing } = read;
  return {
    asOf: asOf === null ? null : toTime(asOf),
    hasTexts: month.accepted > 0,
    needs: { overdue, held: month.held, toDecide: state.maybeOptOuts.count ?? 0, problems: state.details.length },
    problems: state.details.map((detail) => nowProblemView(detail, read)),
    lastProblems: past.map((problem) => pastProblemView(problem, names)),
    minutes: minutes.map((minute) => ({ ...minute, at: toTime(minute.at) })),
    hour: { oldestWithoutReceiptSeconds: state.messages.withoutReceipt.oldestSeconds },
    days,
    websites: websites.map((website) => toWebsite(website, state)),
    isCut,
    carriers: toCarriers(carriers, state),
    ...missing,
  };
}

/** What is red on the overview is among its problems. */
function toWebsite(website: Read["websites"][number], { details }: Read["state"]): Overview["websites"][number] {
  const { carrier, timeZone: _, ...figures } = website;
  const isFailing = (it: (typeof details)[number]) =>
    it.problem === "endpoint-failing" && it.websiteId === website.websiteId;
  const failingEndpoints = details.filter(isFailing).length;
  return { ...figures, waitsFor: website.overdue ? carrier : null, failingEndpoints };
}

const NONE = { sent: 0, noReceipt: 0, delivered: 0, undelivered: 0 };

/** Those that websites use, or that have taken a text in the last hour. */
function toCarriers(counted: Read["carriers"], { carriers, details }: Read["state"]): Overview["carriers"] {
  return carriers.flatMap((state) => {
    const { carrier } = state;
    const own = counted.find((it) => it.carrier === carrier);
    if (!own && !state.isInUse) return [];
    const outcomes = own ?? { carrier, ...NONE };
    const isFailing = details.some((it) => it.carrier === carrier && it.problem === "carrier-failing");
    const waiting = (state.waiting.count ?? 0) + (state.retrying.count ?? 0);
    return [{ ...outcomes, waiting, state: lookOf(state, isFailing, outcomes.sent) }];
  });
}

function lookOf(state: CarrierState, isFailing: boolean, sent: number): (typeof CARRIER_LOOKS)[number] {
  if (!state.isSetUp) return "not-set-up";
  if (state.isUnauthorized) return "refusing";
  if (state.pause) return "paused";
  if (isFailing) return "failing";
  return sent > 0 ? "accepting" : "idle";
}

export const overview: Resource = { calls: [get], schemas: overviewAnswers };
