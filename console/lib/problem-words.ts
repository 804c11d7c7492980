// Pure. What each problem of the service is to an operator: a sentence, whom it hurts and whether anything is lost, and what to do.
import type { Problem as Code } from "../../src/domain/operations/problems.ts";
import type { PastProblem, Problem } from "../answers.ts";
import { countOf, listOf } from "./numbers.ts";

/** `go`: a page of the console. `try`: the carrier is tried. `note`: words for the client's developers are copied. */
export type Act = { label: string; go: string } | { label: string; try: string } | { label: string; note: string };

export interface ProblemWords {
  sentence: string;
  effect: string;
  steps: string[];
  acts: Act[];
  tone: "bad" | "wait";
}

interface Named extends Partial<Omit<Problem, "problem">> {
  carrier: string | null;
  host: string | null;
  database: string | null;
}

type Words = (problem: Named) => Omit<ProblemWords, "tone" | "acts"> & { tone?: "wait"; acts?: Act[] };

const SAFE = "Nothing accepted is lost.";
const carrierOf = ({ carrier }: Named) => carrier ?? "The carrier";
const brandsOf = ({ websiteNames }: Named) => (websiteNames?.length ? listOf(websiteNames) : "the websites");
const clientOf = ({ clientName, host }: Named) => clientName ?? host ?? "a client";
const textsOf = (problem: Named) =>
  problem.affected
    ? `${countOf(problem.affected, "text")} of ${brandsOf(problem)} wait.`
    : `Texts of ${brandsOf(problem)} wait.`;
const tryCarrier = (problem: Named): Act[] => [
  ...(problem.carrier ? [{ label: `Try ${problem.carrier} now`, try: problem.carrier }] : []),
  { label: "See what waits", go: "#/waiting" },
];
const endpoint = (problem: Named): Act[] => [
  ...(problem.websiteId ? [{ label: "See the endpoint", go: `#/websites/${problem.websiteId}?at=clients` }] : []),
  {
    label: "Copy a note",
    note: `Textgate posts its callbacks to ${problem.host ?? "your endpoint"}, and they fail${problem.since ? ` since ${problem.since}` : ""}. It answers: ${problem.cause ?? "nothing"}. Each callback is posted once. GET /text/events has all of them. Answer 2xx within 10 seconds; then we send a test event.`,
  },
];
const databases: Act[] = [{ label: "See the databases", go: "#/databases" }];
const conversations: Act[] = [{ label: "Read them", go: "#/conversations?show=decide" }];

const WORDS: Record<Code, Words> = {
  "database-away": ({ database }) => ({
    sentence: `Database ${database ?? "DB"} does not answer`,
    effect: `Its websites get 503, and their clients repeat. Jobs wait in the queues. ${SAFE}`,
    steps: ["Look at Cloudflare’s status page.", "Wait: it goes on by itself."],
    acts: databases,
  }),
  "database-behind": ({ database }) => ({
    sentence: `Database ${database ?? "DB"} answers slowly`,
    effect: `Some requests are refused with 503 and come again. ${SAFE}`,
    steps: ["Wait. If it lasts, hold the largest campaign."],
    acts: databases,
    tone: "wait",
  }),
  "migration-missing": ({ database }) => ({
    sentence: `Database ${database ?? "DB"} lacks a migration`,
    effect: "Calls that need it fail.",
    steps: [`npx wrangler d1 migrations apply ${database ?? "DB"} --remote`],
  }),
  "state-incomplete": () => ({
    sentence: "A part of the service’s state cannot be read",
    effect: "Texts are not affected. A problem may be missing here.",
    steps: ["Read the error. The log has it as health.failing."],
    tone: "wait",
  }),
  "sweep-late": () => ({
    sentence: "The sweep of each minute does not run",
    effect: "Texts go, but lost jobs are not requeued, and deadlines do not pass.",
    steps: ["Look for the cron trigger in the dashboard.", "npm run deploy sets it again."],
  }),
  "sweep-failing": () => ({
    sentence: "A job of the sweep fails",
    effect: "The other jobs run, and the next sweep tries it again.",
    steps: ["Read sweep.failed in the log."],
    tone: "wait",
  }),
  "database-filling": ({ database }) => ({
    sentence: `Database ${database ?? "DB"} fills`,
    effect: "Texts are not affected yet. At 95 % its websites cannot send.",
    steps: ["Bind another database.", "Move a large website there."],
    acts: databases,
    tone: "wait",
  }),
  "database-full": ({ database }) => ({
    sentence: `Database ${database ?? "DB"} is full`,
    effect:
      "Its websites cannot send. Receipts and opt-outs are still stored. What is refused is not lost: clients know.",
    steps: ["Bind another database.", "Move a large website there."],
    acts: databases,
  }),
  "messages-late": (problem) => ({
    sentence: "Texts wait for longer than five minutes",
    effect: `${textsOf(problem)} They go by themselves. ${SAFE}`,
    steps: ["Find the cause among the other problems.", "Send nothing again."],
    acts: [{ label: "See what waits", go: "#/waiting" }],
    tone: "wait",
  }),
  "messages-stuck": () => ({
    sentence: "It is not known whether some texts were sent",
    effect: "A run was cut off while it submitted them. A receipt decides.",
    steps: ["Wait 6 minutes.", "Send nothing again: a person may get it twice."],
  }),
  "carrier-not-set-up": (problem) => ({
    sentence: `${carrierOf(problem)} is not set up`,
    effect: `${textsOf(problem)} They go by themselves when its settings are there.`,
    steps: ["npx wrangler secret put, for each that is missing.", "Then try it."],
    acts: tryCarrier(problem),
  }),
  "sandbox-in-use": (problem) => ({
    sentence: "The sandbox takes texts of a deployed service",
    effect: `Texts of ${brandsOf(problem)} are called delivered, and nobody receives them.`,
    steps: ["Give the website its carrier and sender."],
    acts: problem.websiteId ? [{ label: "See its settings", go: `#/websites/${problem.websiteId}?at=settings` }] : [],
  }),
  "carrier-credentials": (problem) => ({
    sentence: `${carrierOf(problem)} refuses our credentials`,
    effect: `${textsOf(problem)} They go by themselves when ${carrierOf(problem)} accepts them.`,
    steps: ["npx wrangler secret put, with the right token or key.", "Then try it."],
    acts: tryCarrier(problem),
  }),
  "carrier-failing": (problem) => ({
    sentence: `${carrierOf(problem)} takes few texts`,
    effect: "What it defers is tried again by itself. What it refuses ends as not sent.",
    steps: ["Read its words below.", "Fix the account or the sender."],
    acts: tryCarrier(problem),
  }),
  "carrier-paused": (problem) => ({
    sentence: `${carrierOf(problem)} does not answer`,
    effect: `${textsOf(problem)} One text is tried each minute; with its first answer all go by themselves.`,
    steps: ["Repair the gateway, or ask the carrier.", "Then try it."],
    acts: tryCarrier(problem),
  }),
  "deliveries-failing": (problem) => ({
    sentence: `Texts from ${problem.sender ?? "a sender"} do not arrive`,
    effect: `${carrierOf(problem)} takes them, and they are lost on the way. Repeated failures harm the sender.`,
    steps: ["If it is filtered: register the sender.", "Meanwhile hold the website."],
    acts: [
      { label: "See what failed", go: "#/messages?q=status:undelivered" },
      { label: "See what waits", go: "#/waiting" },
    ],
  }),
  "receipts-missing": (problem) => ({
    sentence: `${carrierOf(problem)} sends no receipts`,
    effect: "Texts go, and may arrive: nobody knows. Send nothing again.",
    steps: ["See whether the receipts queue has a backlog.", "Then whether the carrier reaches PUBLIC_ORIGIN."],
    tone: "wait",
  }),
  "move-stuck": () => ({
    sentence: "The move of a website does not go on",
    effect: "Until it ends, calls of the website may answer 503. No row is lost.",
    steps: ["Read why.", "Begin it again, or end it."],
    acts: databases,
  }),
  "callbacks-late": () => ({
    sentence: "Callbacks wait for longer than five minutes",
    effect: "Texts are not affected. Each is posted once, later.",
    steps: ["Ask the client to answer 2xx at once."],
    tone: "wait",
  }),
  "callbacks-failing": () => ({
    sentence: "More callbacks fail than are taken",
    effect: "Texts are not affected. A callback is posted once; clients read the missed ones at GET /text/events.",
    steps: ["Tell the client.", "Has SERVICE_KEY changed? Restore the old one."],
    acts: [{ label: "See the websites", go: "#/websites" }],
  }),
  "endpoint-failing": (problem) => ({
    sentence: `The endpoint of ${clientOf(problem)} fails`,
    effect: `Texts are not affected. ${brandsOf(problem) === "the websites" ? "Its" : `${brandsOf(problem)}’s`} platform missed ${problem.affected ? countOf(problem.affected, "callback") : "callbacks"}; each is posted once. It can read them all at GET /text/events.`,
    steps: ["Tell its developers.", "When they have repaired it, send a test event."],
    acts: endpoint(problem),
  }),
  "callbacks-unknown": () => ({
    sentence: "It is not known whether some callbacks were taken",
    effect: "A run was cut off while it posted them. They are not posted again.",
    steps: ["Nothing: the client may have them."],
    tone: "wait",
  }),
  "dead-jobs": ({ affected }) => ({
    sentence: affected ? `${countOf(affected, "job")} failed for good` : "Jobs failed for good",
    effect: "What they were to do is not done. They are kept, and can be put back.",
    steps: ["Read their errors, fix the cause, deploy.", "Then put them back."],
    acts: [{ label: "See the dead jobs", go: "#/dead-jobs" }],
  }),
  "credentials-behind": () => ({
    sentence: "A change to a client has not taken effect",
    effect: "A client that is suspended may still have access. The sweep tries each minute.",
    steps: ["Look at Cloudflare’s status page for KV."],
  }),
  "keywords-without-effect": ({ affected }) => ({
    sentence: affected
      ? `${countOf(affected, "STOP, START or HELP", "keywords")} reached no website`
      : "A keyword reached no website",
    effect: "A person who opted out may still be texted.",
    steps: ["Read them, and opt these people out.", "Give the website its sender."],
    acts: conversations,
  }),
  "maybe-opt-outs": ({ affected }) => ({
    sentence: affected ? `${countOf(affected, "text")} may be opt-outs` : "Texts may be opt-outs",
    effect: "The service does not guess: these people are still subscribed.",
    steps: ["Read each, and decide."],
    acts: conversations,
    tone: "wait",
  }),
};

export function wordsOf(problem: Named & { problem: string }): ProblemWords {
  const words = WORDS[problem.problem as Code]?.(problem);
  return {
    acts: [],
    tone: "bad",
    ...(words ?? { sentence: problem.problem.replaceAll("-", " "), effect: "", steps: [] }),
  };
}

/** The sentence of one that may have ended. */
export const pastSentence = (past: PastProblem): string =>
  `${wordsOf(past).sentence}${past.websiteName ? `, ${past.websiteName}` : ""}`;
