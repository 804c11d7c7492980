// Pure. The words of each problem, where {carrier}, {brands} and such stand for what it names; problem-words.ts fills them in.
import type { Problem as Code } from "../../src/domain/operations/problems.ts";

export interface Words {
  sentence: string;
  /** What it counts, and the page that shows them: `950 texts`, or `Texts` where nobody has counted. The effect goes on from there. */
  counts?: readonly [one: string, many?: string, href?: string];
  effect: string;
  steps: readonly string[];
  acts?: readonly ("try" | "note" | readonly [label: string, go: string])[];
  tone?: "wait";
  short?: string;
}

const WAITING = ["See what waits", "#/waiting"] as const;
const DATABASES = ["See the databases", "#/databases"] as const;
const DECIDE = ["Read them", "#/conversations?show=decide"] as const;
const TO_DECIDE = "#/conversations?show=decide";
const MAKE_ROOM = ["Bind another database: new websites go there.", "Keep messages for fewer days."];

export const PROBLEM_TABLE: Record<Code, Words> = {
  "database-away": {
    sentence: "Database {database} does not answer",
    effect: "Its websites get 503, and their clients repeat. Jobs wait. Nothing accepted is lost.",
    steps: ["Look at Cloudflare’s status page.", "Wait: it goes on by itself."],
    acts: [DATABASES],
  },
  "database-behind": {
    sentence: "Database {database} answers slowly",
    effect: "Some requests get 503 and come again. Nothing accepted is lost.",
    steps: ["Wait. If it lasts, hold the largest campaign."],
    acts: [DATABASES],
    tone: "wait",
  },
  "migration-missing": {
    sentence: "Database {database} lacks a migration",
    effect: "Calls that need it fail.",
    steps: ["npx wrangler d1 migrations apply {database} --remote"],
  },
  "state-incomplete": {
    sentence: "A part of the service’s state cannot be read",
    effect: "Texts are not affected. A problem may be missing here.",
    steps: ["Read health.failing in the log."],
    tone: "wait",
  },
  "sweep-late": {
    sentence: "The sweep of each minute does not run",
    effect: "Texts go, but lost jobs are not requeued, and deadlines do not pass.",
    steps: ["npm run deploy sets its cron trigger again."],
  },
  "sweep-failing": {
    sentence: "A job of the sweep fails",
    effect: "The other jobs run, and the next sweep tries it again.",
    steps: ["Read sweep.failed in the log."],
    tone: "wait",
  },
  "alerts-refused": {
    sentence: "ALERT_URL takes no alerts",
    effect: "Texts go, but nobody is told of problems.",
    steps: ["The cause has its answer: correct ALERT_URL."],
    tone: "wait",
  },
  "database-filling": {
    sentence: "Database {database} fills",
    effect: "Texts are not affected yet. At 95 % its websites cannot send.",
    steps: MAKE_ROOM,
    acts: [DATABASES],
    tone: "wait",
  },
  "database-full": {
    sentence: "Database {database} is full",
    effect: "Its websites cannot send. Receipts and opt-outs are still stored.",
    steps: MAKE_ROOM,
    acts: [DATABASES],
  },
  "messages-late": {
    sentence: "Texts wait for longer than five minutes",
    counts: ["text"],
    effect: " of {brands} wait. They go by themselves.",
    steps: ["Find the cause among the other problems.", "Send nothing again."],
    acts: [WAITING],
    tone: "wait",
    short: "texts wait",
  },
  "messages-stuck": {
    sentence: "It is not known whether some texts were sent",
    effect: "A run was cut off while it submitted them. A receipt decides.",
    steps: ["Wait 2 minutes.", "Send nothing again: a person may get it twice."],
  },
  "carrier-not-set-up": {
    sentence: "{carrier} is not set up",
    counts: ["text"],
    effect: " of {brands} wait. They go by themselves when its settings are there.",
    steps: ["npx wrangler secret put, for each that is missing.", "Then try it."],
    acts: ["try", WAITING],
  },
  "sandbox-in-use": {
    sentence: "The sandbox takes texts of a deployed service",
    effect: "Texts of {brands} are called delivered, and nobody receives them.",
    steps: ["Give the website its carrier and sender."],
    acts: [["See its settings", "#/websites/{websiteId}?at=settings"]],
  },
  "carrier-credentials": {
    sentence: "{carrier} refuses our account",
    counts: ["text"],
    effect: " of {brands} wait. They go by themselves when {carrier} accepts them.",
    steps: ["Its words say why: pay, or npx wrangler secret put with the right token or key.", "Then try it."],
    acts: ["try", WAITING],
    short: "{carrier} refuses",
  },
  "carrier-failing": {
    sentence: "{carrier} takes few texts",
    effect: "What it defers is tried again by itself. What it refuses ends as not sent.",
    steps: ["Read its words.", "Fix the account or the sender."],
    acts: ["try", WAITING],
    short: "{carrier} fails",
  },
  "carrier-paused": {
    sentence: "{carrier} does not answer",
    counts: ["text"],
    effect: " of {brands} wait. One is tried each minute; with the first that is taken all go by themselves.",
    steps: ["Repair the gateway, or ask the carrier.", "Then try it."],
    acts: ["try", WAITING],
    short: "{carrier} is silent",
  },
  "sender-paused": {
    sentence: "{sender} is beyond its limit at {carrier}",
    counts: ["text"],
    effect: " of {brands} wait. One is tried each minute; with the first that is taken all go by themselves.",
    steps: ["Send more slowly, or hold the campaign.", "Or ask {carrier} for a higher rate."],
    acts: ["try", WAITING],
    tone: "wait",
    short: "{sender} waits",
  },
  "deliveries-failing": {
    sentence: "Texts from {sender} do not arrive",
    effect: "{carrier} takes them, and they are lost on the way. Repeated failures harm the sender.",
    steps: ["Register the sender, if it is filtered.", "Meanwhile hold the website."],
    acts: [["See what failed", "#/messages?q=status:undelivered"], WAITING],
    short: "{sender} fails",
  },
  "receipts-missing": {
    sentence: "{carrier} sends no receipts",
    effect: "Texts go, and may arrive: nobody knows. Send nothing again.",
    steps: ["Look at the queue of receipts.", "Does the carrier reach PUBLIC_ORIGIN?"],
    tone: "wait",
    short: "no receipts",
  },
  "callbacks-late": {
    sentence: "Callbacks wait for longer than five minutes",
    effect: "Texts are not affected. Each is posted once, later.",
    steps: ["Ask the client to answer 2xx at once."],
    tone: "wait",
  },
  "callbacks-failing": {
    sentence: "More callbacks fail than are taken",
    effect: "Texts are not affected. Each is posted once. GET /text/events has them all.",
    steps: ["Tell the client.", "Has SERVICE_KEY changed? Restore the old one."],
    acts: [["See the websites", "#/websites"]],
  },
  "endpoint-failing": {
    sentence: "The endpoint of {client} fails",
    counts: ["callback", "callbacks", "#/websites/{websiteId}?at=clients"],
    effect: " of {brands} were not taken, and are posted once. Texts are not affected. GET /text/events has them all.",
    steps: ["Tell its developers.", "When they have repaired it, send a test event."],
    acts: [["See the endpoint", "#/websites/{websiteId}?at=clients"], "note"],
  },
  "callbacks-unknown": {
    sentence: "It is not known whether some callbacks were taken",
    effect: "A run was cut off while it posted them. They are not posted again.",
    steps: ["Nothing: the client may have them."],
    tone: "wait",
  },
  "dead-jobs": {
    sentence: "Jobs failed for good",
    counts: ["job", "jobs", "#/dead-jobs"],
    effect: " failed at every try. Nothing is lost: what is put back runs again.",
    steps: ["Read their errors, fix the cause, deploy.", "Then put them back."],
    acts: [["See the dead jobs", "#/dead-jobs"]],
  },
  "credentials-behind": {
    sentence: "A change to a client has not taken effect",
    effect: "A suspended client may still have access. The sweep tries each minute.",
    steps: ["Look at Cloudflare’s status page."],
  },
  "keywords-without-effect": {
    sentence: "A STOP, START or HELP reached no website",
    counts: ["text", "texts", TO_DECIDE],
    effect: " had no effect: a person who opted out may still be texted.",
    steps: ["Read them, and opt these people out.", "Give the website its sender."],
    acts: [DECIDE],
  },
  "maybe-opt-outs": {
    sentence: "Some texts may be opt-outs",
    counts: ["text", "texts", TO_DECIDE],
    effect: " may mean stop. The service does not guess: these people are still subscribed.",
    steps: ["Read each, and decide."],
    acts: [DECIDE],
    tone: "wait",
  },
  "inbound-unreadable": {
    sentence: "Some texts of people at {carrier} cannot be read",
    counts: ["text"],
    effect: " may hold an opt-out: these people are still texted.",
    steps: ["Read them in its log, and opt out who asked for it.", "Correct its webhook, or its character set."],
    short: "{carrier} is unreadable",
  },
};
