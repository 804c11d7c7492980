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

const FIGURES = { accepted: 32, submitted: 27, delivered: 25, undelivered: 1, noReceipt: 1, waiting: 5 };
const { accepted, submitted, delivered, undelivered, noReceipt } = FIGURES;

const GROWTH = { clicked: 3, optedOut: 1, joined: 40, parted: 2 };

const EXAMPLE = {
  asOf: TIME,
  hasTexts: true,
  needs: { waiting: 0, toDecide: 0, problems: 0 },
  problems: [],
  lastProblems: [],
  minutes: [{ at: TIME, ...FIGURES }],
  hour: { oldestWithoutReceiptSeconds: 42 },
  days: [{ day: "2026-11-21", accepted, sent: submitted, delivered, undelivered, ...GROWTH }],
  websites: [
    {
      ...{ websiteId: "brand", name: "Brand", accepted, sent: submitted, delivered, undelivered, noReceipt },
      ...{ waiting: 0, waitsFor: null, textsToday: 412, failedToday: 4 },
      ...{ sent30Days: 9120, optedOut30Days: 31, failingEndpoints: 0 },
    },
  ],
  isCut: false,
  carriers: [{ carrier: "twilio", submitted, delivered, undelivered, noReceipt, waiting: 0, state: "accepting" }],
} satisfies Overview;

const get = operatorCall({
  id: "getOverview",
  method: "GET",
  path: "/operator/overview",
  tag: "Service state",
  summary: "Look at the last hour, the last 30 days and what needs an operator",
  description:
    "The texts that were accepted, and their outcomes: by the minute and by the day of acceptance, by website and by carrier. By day, also how many numbers were subscribed and unsubscribed. A look reads at most 4,000 rows of each database, whatever the traffic, and two more for each pending message of a website that has a hold of a purpose or a client, 10,000 messages at most. It writes nothing.",
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
  const { state, minutes, days, websites, carriers, isCut, waiting, past, names, missing } = read;
  return {
    asOf: state.checkedAt,
    hasTexts: days.some((day) => day.accepted > 0),
    needs: { waiting, toDecide: state.maybeOptOuts.count ?? 0, problems: state.details.length },
    problems: state.details.map((detail) => nowProblemView(detail, read)),
    lastProblems: past.map((problem) => pastProblemView(problem, names)),
    minutes: minutes.map((minute) => ({ ...minute, at: toTime(minute.at) })),
    hour: { oldestWithoutReceiptSeconds: state.messages.withoutReceipt.oldestSeconds },
    days: days.map(({ submitted: sent, noReceipt: _, waiting: __, ...day }) => ({ ...day, sent })),
    websites: websites.map((website) => toWebsite(website, state)),
    isCut,
    carriers: toCarriers(carriers, state),
    ...missing,
  };
}

function toWebsite(website: Read["websites"][number], { callbacks }: Read["state"]): Overview["websites"][number] {
  const { websiteId, name, carrier, accepted, submitted: sent, delivered, undelivered, noReceipt, waiting } = website;
  const { acceptedToday: textsToday, failedToday, sent30Days, optedOut30Days } = website;
  const failingEndpoints = callbacks.failingEndpoints.filter((it) => it.websiteId === websiteId).length;
  return {
    ...{ websiteId, name, accepted, sent, delivered, undelivered, noReceipt, waiting },
    ...{
      waitsFor: waiting ? carrier : null,
      textsToday,
      failedToday,
      sent30Days,
      optedOut30Days,
      failingEndpoints,
    },
  };
}

const NONE = { submitted: 0, delivered: 0, undelivered: 0, noReceipt: 0 };

/** Those that websites use, or that have taken a text in the last hour. */
function toCarriers(counted: Read["carriers"], { carriers, details }: Read["state"]): Overview["carriers"] {
  return carriers.flatMap((state) => {
    const { carrier } = state;
    const own = counted.find((it) => it.carrier === carrier);
    if (!own && !state.isInUse) return [];
    const { submitted, delivered, undelivered, noReceipt } = own ?? NONE;
    const isFailing = details.some((it) => it.carrier === carrier && it.problem === "carrier-failing");
    const waiting = (state.waiting.count ?? 0) + (state.retrying.count ?? 0);
    const look = lookOf(state, isFailing, submitted);
    return [{ carrier, submitted, delivered, undelivered, noReceipt, waiting, state: look }];
  });
}

function lookOf(state: CarrierState, isFailing: boolean, submitted: number): (typeof CARRIER_LOOKS)[number] {
  if (!state.isSetUp) return "not-set-up";
  if (state.isUnauthorized) return "refusing";
  if (state.pause) return "paused";
  if (isFailing) return "failing";
  return submitted > 0 ? "accepting" : "idle";
}

export const overview: Resource = { calls: [get], schemas: overviewAnswers };
