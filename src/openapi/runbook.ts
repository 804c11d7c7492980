import type { Problem } from "../domain/operations/problems.ts";
import { type Entry, OF_CARRIERS } from "./runbook-carriers.ts";

const ADD_DATABASE = [
  "Look at `npm run operator -- databases`. Keep less, or add a database: [When a database fills](procedures.md#when-a-database-fills).",
] as const;

const ASK_CLIENT = "Tell the client's engineers the host and cause from the details.";

const POSTED_ONCE = "Nothing is posted again. The client can catch up with `GET /text/events`.";

/** What an operator does about each problem. */
export const RUNBOOK: Record<Problem, Entry> = {
  "database-away": {
    meaning:
      "D1 does not respond. Requests get 503, and jobs are retried. `cause` has D1's error, or `unbound`: `wrangler.toml` does not bind the database of some websites. `database` names one of several.",
    steps: [
      "`unbound`: add the binding to `wrangler.toml` again and deploy.",
      "Otherwise look at Cloudflare's status page, and wait.",
      "Meanwhile use `OPERATOR_TOKEN` in the shell.",
    ],
    isSafe: "Yes: nothing accepted is lost.",
  },
  "database-behind": {
    meaning: "D1 took more than two seconds to answer, or refuses calls because too many are waiting (`overloaded`).",
    steps: [
      "Wait a few minutes.",
      "If it lasts, find a large campaign (`npm run operator -- waiting`), and hold it: `npm run operator -- hold <websiteId> --purpose <purpose>`.",
    ],
    isSafe: "Yes.",
  },
  "migration-missing": {
    meaning: "The database lacks the migration in `cause`. `database` names one of several.",
    steps: ["Run `npx wrangler d1 migrations apply DB --remote`, with `database` in place of `DB`."],
    isSafe: "Yes.",
  },
  "state-incomplete": {
    meaning: "Parts of the state could not be read. Meanwhile no alert says that a problem is over.",
    steps: ["Read the errors in `failing`, or in `health.failing` of the log."],
    isSafe: "Yes.",
  },
  "sweep-late": {
    meaning: "No sweep has ended for five minutes. Lost jobs, deadlines and deletions wait for it.",
    steps: [
      "Look for `sweep` in the log, and for the cron trigger in the dashboard of the Worker.",
      "Run `npm run deploy`, which sets the trigger again.",
    ],
    isSafe: "Yes.",
  },
  "sweep-failing": {
    meaning:
      "A job of the last sweep failed. `sweep.failedJobs` names it, and `sweep.failed` in the log has its error.",
    steps: ["Usually the database is the cause: look at `/health`."],
    isSafe: "Yes: the next sweep retries.",
  },
  "alerts-refused": {
    meaning: "`ALERT_URL` has taken no alert for five minutes. `cause` has its answer.",
    steps: [
      "`HTTP 400`, `401`, `403` or `404`: correct `ALERT_URL`, which must take [these posts](monitoring.md#alerts). For Alertmanager, use the metrics.",
      "Otherwise look at the service behind it.",
    ],
    isSafe: "Yes: the sweep repeats them.",
    ends: "with the first alert that is taken.",
  },
  "database-filling": {
    meaning: "A database has reached 70 % of D1's limit of 10 GB. `cause` says how many days are left.",
    steps: ADD_DATABASE,
    isSafe: "Yes.",
  },
  "database-full": {
    meaning:
      "A database has reached 95 % of D1's limit of 10 GB, so its websites cannot send (50301). Receipts, opt-outs and callbacks continue.",
    steps: ADD_DATABASE,
    isSafe: "Yes: a refused message is not stored.",
  },
  "messages-late": {
    meaning: "Messages have been pending for more than five minutes.",
    steps: [
      "Run `npm run operator -- health`. If a carrier has a problem too (`retriedSeconds`), fix that first.",
      "If the queue has a `backlog`, look for `job` with `retried` in the log.",
      "Otherwise, the sweep requeues lost jobs (`queue.failed`) within two minutes.",
    ],
    isSafe: "Yes, but send nothing again.",
  },
  "messages-stuck": {
    meaning:
      "A worker run was interrupted while it submitted these messages. The carrier may have them. After 18 minutes they become SENDING with `OUTCOME_UNKNOWN`.",
    steps: ["Wait 2 minutes: the outcome may still arrive. The carrier knows more, by number and time."],
    isSafe: "**No**: a person may get the text twice.",
  },
  ...OF_CARRIERS,
  "callbacks-late": {
    meaning:
      "Callbacks have been due for more than five minutes: their endpoints time out, or the consumer fails (`callbacks.failed`).",
    steps: ["Find the endpoints in `callback.posted` of the log. Ask their clients to answer 2xx at once."],
    isSafe: "Yes: no callback is posted twice.",
  },
  "callbacks-failing": {
    meaning:
      "In the last five minutes, more callbacks failed than succeeded, and at least 3. Or, in the last hour, the last 3 or more failed. `not-posted`: the client has no URL any more, or `SERVICE_KEY` changed.",
    steps: [
      ASK_CLIENT,
      "If `SERVICE_KEY` changed (`npm run operator -- message <messageId>` says so), restore the old key, or run `rotate-client` for each client.",
    ],
    isSafe: POSTED_ONCE,
    ends: "with the first success, if all have failed, otherwise with a minute in which most succeed.",
  },
  "endpoint-failing": {
    meaning:
      "At least the last three callbacks to the endpoint of one client failed. Those of a website of the sandbox are a rehearsal, and no problem.",
    steps: [ASK_CLIENT, "After the repair, try it: `npm run operator -- test-event <clientId>`."],
    isSafe: POSTED_ONCE,
    ends: "with the next success, another URL, or an hour after the last failure.",
  },
  "callbacks-unknown": {
    meaning:
      "In the last day, callbacks were interrupted, or their responses not stored (`callbacks.not-recorded`). The client may have them.",
    steps: ["Do nothing."],
    isSafe: POSTED_ONCE,
    ends: "a day after the last of these posts.",
  },
  "dead-jobs": {
    meaning:
      "Jobs have used up their retries: six failures of their own, or one to two and a half hours without the database. Or they could not be read.",
    steps: [
      "Read the errors: `npm run operator -- dead-jobs`.",
      "Fix the cause, and requeue them: `npm run operator -- put-back --all`.",
      "`malformed`: first deploy a version that can read the job, such as that before a rollback. Otherwise, `put-back` only ends the problem.",
    ],
    isSafe: "Yes. A job that fails again is a new dead job.",
  },
  "credentials-behind": {
    meaning: "KV has rejected a change to a client for five minutes: a suspended client may still have access.",
    steps: ["Look at `/health`. The sweep retries each minute."],
    isSafe: "Yes.",
  },
  "keywords-without-effect": {
    meaning:
      "In the last day, a STOP, START or HELP reached no website, or came from a sender that is no phone number. Somebody who opted out may still get texts.",
    steps: [
      "List them: `npm run operator -- inbound --without-effect`.",
      "Opt the number out by an import: see [A text after STOP](#a-text-after-stop).",
      "Give the website its sender, or make the gateway send numbers in international form.",
    ],
    isSafe: "Yes.",
  },
  "maybe-opt-outs": {
    meaning:
      'In the last three days, a person texted an opt-out word among other words, such as "please stop texting me", and is still subscribed.',
    steps: [
      "List them: `npm run operator -- texts --to-decide`.",
      "Decide each: `npm run operator -- decide <websiteId> <carrier> <carrierMessageId> --opt-out` if the person wants no more texts, otherwise `--no-opt-out`. The list prints the commands.",
      "If many write the same word, add it to the website's `optOutWords`.",
    ],
    isSafe: "Yes.",
    ends: "with the decision, or three days after the text.",
  },
  "inbound-unreadable": {
    meaning:
      "In the last day, a carrier called for inbound texts in a form, or with a character set, that Textgate does not read. An opt-out may be among them. `cause` counts each.",
    steps: [
      "Read the texts from `since` on in the carrier's own log. `npm run operator -- texts` has those with an unknown character set, perhaps with wrong letters.",
      "Opt out who asked for it, with an import: see [A text after STOP](#a-text-after-stop).",
      "`unknown form`: set the webhook as [carriers.md](carriers.md) says. No other product, such as Twilio's Conversations, may have this URL.",
      "`character set`: let the gateway use UTF-8 (Kannel: `mo-recode = true`).",
    ],
    isSafe: "Yes.",
    ends: "a day after the last of these calls.",
  },
};
