import type { Problem } from "../domain/operations/problems.ts";
import { type Entry, OF_CARRIERS } from "./runbook-carriers.ts";

const ADD_DATABASE = [
  "Look at the size and growth of each database: `npm run operator -- databases`.",
  "Follow [When a database fills](procedures.md#when-a-database-fills): keep less, or add a database and put new websites into it.",
] as const;

const ASK_CLIENT = "Tell the client's engineers: website, client, host and cause are in the details of the problem.";

const POSTED_ONCE =
  "A callback is posted once, ever. The client can read `GET /text/message/status`, or catch up with `GET /text/events`.";

/** What an operator does about each problem. */
export const RUNBOOK: Record<Problem, Entry> = {
  "database-away": {
    meaning:
      "D1 does not respond. Requests get 503, jobs are retried, and no accepted message is lost. `cause` has D1's error. If `database` names one of several databases, only its websites are affected. The cause `unbound` means that websites are in a database that `wrangler.toml` does not bind any more.",
    steps: [
      "If the cause is `unbound`, add the binding to `wrangler.toml` again and deploy.",
      "Otherwise look at Cloudflare's status page, and wait. Clients repeat their requests, and jobs wait in the queues.",
      "Sign in with `OPERATOR_TOKEN` meanwhile, because named tokens are checked in D1.",
    ],
    isSafe: "Yes: nothing accepted is lost.",
  },
  "database-behind": {
    meaning:
      "D1 took more than two seconds to answer, or it refuses calls because too many are waiting (`overloaded`). Refused requests come again later.",
    steps: [
      "Wait a few minutes.",
      "If it lasts, look for a large campaign (`npm run operator -- waiting`), and hold it: `npm run operator -- hold <websiteId> --purpose <purpose>`. In the dashboard of D1, look for statements that read many rows.",
    ],
    isSafe: "Yes.",
  },
  "migration-missing": {
    meaning:
      "The database lacks a migration of this version. `cause` names the migration. If you run several databases, `database` names the one.",
    steps: ["Run `npx wrangler d1 migrations apply DB --remote`. For another database, use its name in place of `DB`."],
    isSafe: "Yes: a migration that is applied is passed over.",
  },
  "state-incomplete": {
    meaning:
      "Parts of the state could not be read, for example because a table is missing. `failing` names each part with its error. Meanwhile no alert says that a problem is over.",
    steps: ["Read the error. `health.failing` in the log has it too, under the `requestId`."],
    isSafe: "Yes: a look changes nothing.",
  },
  "sweep-late": {
    meaning:
      "No sweep has ended for five minutes, because the cron trigger does not run. Lost jobs are not requeued, deadlines do not pass, and nothing is deleted.",
    steps: [
      "Look for `sweep` in the log, and for the trigger in the dashboard of the Worker.",
      "Run `npm run deploy`: it sets the trigger again.",
    ],
    isSafe: "Yes: concurrent sweeps are safe.",
  },
  "sweep-failing": {
    meaning:
      "A job of the last sweep failed. `sweep.failedJobs` names the job, and `sweep.failed` in the log has its error. The other jobs ran.",
    steps: ["Usually the database is the cause: look at `/health`."],
    isSafe: "Yes: the next sweep retries the job.",
  },
  "alerts-refused": {
    meaning:
      "`ALERT_URL` has taken no alert for five minutes, so alerts reach nobody. `cause` has its answer, such as `HTTP 400`. Texts are not affected.",
    steps: [
      "If the cause is `HTTP 400`, `401`, `403` or `404`, correct `ALERT_URL`: [Alerts](monitoring.md#alerts) shows what it receives. Alertmanager takes other posts: use the metrics for it.",
      "Otherwise look at the service behind it.",
    ],
    isSafe: "Yes: each sweep repeats the first alert that was not taken, and then posts the others.",
    ends: "With the first alert that is taken.",
  },
  "database-filling": {
    meaning: "A database has reached 70 % of D1's limit of 10 GB. `cause` says how many days are left.",
    steps: ADD_DATABASE,
    isSafe: "Yes.",
  },
  "database-full": {
    meaning:
      "A database has reached 95 % of D1's limit of 10 GB, so its websites cannot send (50301). Receipts and opt-outs are still stored, and callbacks are still posted.",
    steps: ADD_DATABASE,
    isSafe: "Yes, because a refused message is not stored.",
  },
  "messages-late": {
    meaning: "Messages have been pending for more than five minutes.",
    steps: [
      "Run `npm run operator -- health`. If a carrier has a problem too, fix that first: its messages wait for it (`retriedSeconds`).",
      "If the queue has a `backlog`, the consumer is slow or fails: look for `job` with `retried` in the log.",
      "If there is no backlog, jobs were lost (`queue.failed`). The sweep requeues them within two minutes.",
    ],
    isSafe: "Yes: only one run can claim a message. Send nothing again.",
  },
  "messages-stuck": {
    meaning:
      "A worker run was interrupted while it submitted these messages. The carrier may have them or not. After 18 minutes the messages become SENDING with the reason `OUTCOME_UNKNOWN`, and the carrier's receipt decides.",
    steps: ["Wait 2 minutes: the outcome may still arrive.", "To know more, ask the carrier by number and time."],
    isSafe: "**No**: sending them again may text a person twice.",
  },
  ...OF_CARRIERS,
  "callbacks-late": {
    meaning:
      "Callbacks have been due for more than five minutes. Their endpoints time out (Textgate then leaves an endpoint alone for a minute), or the consumer fails (`callbacks.failed`).",
    steps: ["Look for `callback.posted` in the log: it names the endpoints.", "Ask the client to answer 2xx at once."],
    isSafe: "Yes: no callback is posted twice.",
  },
  "callbacks-failing": {
    meaning:
      "In the last five minutes, at least 3 callbacks failed, and more failed than succeeded. Or, in the last hour, 3 or more failed and none has succeeded since. `not-posted` means that the client has no URL any more, or that `SERVICE_KEY` changed.",
    steps: [
      ASK_CLIENT,
      "If `SERVICE_KEY` changed, restore the old key, or run `rotate-client` for each client. `response` of `GET /operator/messages/{messageId}` says so.",
    ],
    isSafe: POSTED_ONCE,
    ends: "With the first callback that succeeds, if all have failed before. If only a part fails, with a minute in which most succeed.",
  },
  "endpoint-failing": {
    meaning: "At least the last three callbacks to the endpoint of one client failed.",
    steps: [ASK_CLIENT, "Try the endpoint after its repair: `npm run operator -- test-event <clientId>`."],
    isSafe: POSTED_ONCE,
    ends: "With the next callback that succeeds, with another URL, or an hour after the last failure.",
  },
  "callbacks-unknown": {
    meaning:
      "In the last day, a worker run was interrupted while it posted callbacks, or their responses could not be stored (`callbacks.not-recorded`). The client may have received them.",
    steps: ["Do nothing."],
    isSafe: POSTED_ONCE,
    ends: "A day after the last of these posts.",
  },
  "dead-jobs": {
    meaning:
      "Jobs have used up their retries: six failures of their own, or one to two and a half hours without the database. Or they could not be read.",
    steps: [
      "Read the errors: `npm run operator -- dead-jobs`.",
      "Fix the cause, deploy, and requeue the jobs: `npm run operator -- put-back --all`.",
      "A job with the error `malformed` cannot be read by this version, for example after a rollback. If a newer version can read it, deploy that version first. Otherwise, `put-back` does not requeue the job, but ends the problem.",
    ],
    isSafe:
      "Yes: requeueing is idempotent, because a job changes only what its claim, or its message's status, still allows. If it fails again, it is a new dead job.",
  },
  "credentials-behind": {
    meaning: "KV has rejected a change to a client for five minutes: a suspended client may still have access.",
    steps: ["Look at `/health`. The sweep retries the copy each minute."],
    isSafe: "Yes.",
  },
  "keywords-without-effect": {
    meaning:
      "In the last day, a STOP, START or HELP reached no website, or came from a sender that is no phone number. A person who opted out may still get texts.",
    steps: [
      "List them: `npm run operator -- inbound --without-effect`.",
      "Opt the number out with an import: [A text after STOP](#a-text-after-stop) has the file and the command.",
      "Give the website its sender, or make the gateway send numbers in international form.",
    ],
    isSafe: "Yes.",
  },
  "maybe-opt-outs": {
    meaning:
      'In the last three days, a person texted an opt-out word among other words, such as "please stop texting me". The service does not guess the meaning, so the person is still subscribed.',
    steps: [
      "List them: `npm run operator -- texts --to-decide`.",
      "Decide each with the command that the list prints, such as `npm run operator -- decide <websiteId> <carrier> <carrierMessageId> --opt-out` if the person wants no more texts, and otherwise with `--no-opt-out`.",
      "If many people write the same word, add it to the website's `optOutWords`.",
    ],
    isSafe: "Yes.",
    ends: "When each text is decided, or three days after the text.",
  },
  "inbound-unreadable": {
    meaning:
      "In the last day, a carrier called for inbound texts in a form, or with a character set, that Textgate does not read. An opt-out may be among these texts, so a person who opted out may still get texts. `cause` says how many there were of each.",
    steps: [
      "Read the inbound texts since `since` in the carrier's own log. `npm run operator -- texts` has those with an unknown character set, but letters may be wrong.",
      "Opt out who asked for it, with an import: [A text after STOP](#a-text-after-stop) has the file and the command.",
      "`unknown form`: set the webhook and its URL at the carrier as [carriers.md](carriers.md) says. A webhook of another product, such as Twilio's Conversations, must not have this URL.",
      "`character set`: let the gateway hand texts over in UTF-8 (Kannel: `mo-recode = true`).",
    ],
    isSafe: "Yes.",
    ends: "A day after the last of these calls.",
  },
};
