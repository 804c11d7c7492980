import type { Problem } from "../domain/operations/problems.ts";

interface Entry {
  /** What is wrong, and what it does to texts. Two or three sentences; the first of them is shown in tables. */
  meaning: string;
  /** What the operator does, in order. */
  steps: readonly string[];
  /** Whether it is safe to repeat a step, or to send again. */
  isSafe: string;
  /** When the problem ends, if it is not with its cause. */
  ends?: string;
}

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
  "carrier-not-set-up": {
    meaning:
      "A website names a carrier that lacks settings (`missingSettings`). Its messages wait for `SUBMIT_WITHIN_HOURS`, and then become FAILED_TO_SEND.",
    steps: [
      "Set what is missing: `npx wrangler secret put …`. Then run `npm run operator -- try-carrier <carrier>`.",
      "Or give the website another carrier: `npm run operator -- put-website <websiteId> --carrier …`.",
    ],
    isSafe: "Yes: nothing was submitted, and the pending messages are sent by themselves.",
  },
  "sandbox-in-use": {
    meaning:
      "A website of a deployed service uses the sandbox: its messages become DELIVERED, but nobody receives them.",
    steps: ["Give the website a carrier: `npm run operator -- put-website <websiteId> --carrier … --sender …`."],
    isSafe: "Yes: the client may send those messages again.",
  },
  "carrier-credentials": {
    meaning:
      "The carrier rejects our credentials or our account (`isUnauthorized`), and has taken and refused no message since. Nothing was sent, and everything is retried for `SUBMIT_WITHIN_HOURS`.",
    steps: [
      "Read the carrier's error message in `npm run operator -- message <messageId>`: [the codes](carriers.md#what-a-code-means) say more.",
      "If the credentials are wrong, set the right token or key: `npx wrangler secret put …`.",
      "If the account is suspended or lacks funds, mend that at the carrier.",
      "If the carrier answers 404, check `TWILIO_ACCOUNT_SID` and the URL.",
      "Test it: `npm run operator -- try-carrier <carrier>`.",
    ],
    isSafe: "Yes: nothing was sent.",
    ends: "With the first submission that works, or an hour after the last try.",
  },
  "carrier-failing": {
    meaning:
      "In the last five minutes, at least 3 submissions to this carrier failed, and more failed than succeeded. Or, in the last hour, 3 or more failed and none has succeeded since.",
    steps: [
      "Run `npm run operator -- message <messageId>` for one of the messages: `reasonDetail` is the carrier's error message.",
      "`refused`: fix the account or the sender. `later`: wait, because the message is retried for `SUBMIT_WITHIN_HOURS`. `unknown`: see [messages-stuck](#messages-stuck).",
    ],
    isSafe: "`refused`: yes, the carrier does not have the message. `unknown`: no.",
    ends: "With the first text that is accepted, if all have failed before. If only a part fails, with a minute in which most are accepted.",
  },
  "carrier-paused": {
    meaning:
      "Textgate has paused submissions to this carrier, because several in a row failed, or took longer than 2 seconds. `cause` is the carrier's error message, after `our account` if it is about that. `since` is the first pause, and `nextTryAt` the next try. One message per minute tests the carrier; the others wait.",
    steps: [
      "If `cause` begins with `our account`, look at its rate, status and balance at the carrier. Otherwise fix the gateway, or contact the carrier.",
      "Test it now: `npm run operator -- try-carrier <carrier>`.",
    ],
    isSafe: "Yes. The waiting messages are sent within `SUBMIT_WITHIN_HOURS`.",
    ends: "When the carrier answers a message within 2 seconds. All waiting messages are then sent.",
  },
  "sender-paused": {
    meaning:
      "A sender is beyond its queue, rate or daily limit at the carrier, so Textgate has paused the texts of that sender. The other senders of the carrier continue. `sender` and `websiteId` say whose texts wait; if several websites have the sender, `cause` names them. `cause` has the carrier's error message. One message per minute tests the sender.",
    steps: [
      "If texts must go now, hold the campaign that fills the queue: `npm run operator -- hold <websiteId> --purpose <purpose>`.",
      "Send more slowly: ask the client to spread the campaign, set the [pace](carriers.md#the-pace-of-a-sender) that the carrier allows: `npm run operator -- set-sender <carrier> <sender> --messages-per-minute …`, or give the website a sender with a higher rate: `npm run operator -- put-website <websiteId> --sender …`.",
      "Test it now: `npm run operator -- try-carrier <carrier>`, which also tests its senders.",
    ],
    isSafe:
      "Yes. The waiting messages are sent within `SUBMIT_WITHIN_HOURS`. Unsubscribe nobody, because the numbers are fine.",
    ends: "When the carrier accepts or refuses a message of the sender. All its waiting messages are then sent.",
  },
  "deliveries-failing": {
    meaning:
      "The carrier accepts the texts of a sender, but they do not arrive. Among the texts of the last hour with a final receipt, the undelivered ones are more than 30 in 100 and three (5 of 5, 10 of 20, 34 of 100). Or, among those of the last five minutes, they are more than half and three (7 of 7, 14 of 20). `sender` is the website's. `cause` has the commonest reason and the carrier's code, such as `CARRIER_FILTERED, 30034 × 28 of 30`.",
    steps: [
      "Hold the website, because repeated failures harm the sender: `npm run operator -- hold <websiteId>`.",
      "`CARRIER_FILTERED`: [register the sender](deploying.md#0-a-sender), or ask the carrier why it is blocked. Look any other code up in the carrier's list.",
      "Release the website: `npm run operator -- release <websiteId>`.",
    ],
    isSafe: "**No**: a text that is sent again fails again. Unsubscribe nobody.",
    ends: "With the first text that arrives, if all have failed before. Otherwise when fewer fail, or an hour after the last text of the sender.",
  },
  "receipts-missing": {
    meaning:
      "In the last hour, the carrier has accepted five texts or more, each at least 15 minutes ago and after the last text that has a final receipt, and for 15 minutes no receipt has come. On a new deployment, the problem shows at most 17 minutes after the fifth text. The messages stay SENDING, and become FAILED_TO_DELIVERY with `NO_RECEIPT` after `RECEIPT_WITHIN_HOURS`.",
    steps: [
      "Look at the queue `receipts` in `health`. If it has a `backlog`, the receipts wait here.",
      "Check `PUBLIC_ORIGIN`: the carrier must reach it from the internet, without a firewall or a login in between.",
      "Look for requests with code 40302 in the log (one in a hundred has a line): these are receipts whose signature or key does not fit. If a Webhooks Rule at Twilio signs them, `TWILIO_WEBHOOK_SIGNING_KEY` must have its key.",
      "A Kannel whose SMSC gives no receipts has this problem whenever it sends.",
    ],
    isSafe: "**No**: the texts may have arrived. Send nothing again.",
    ends: "With the first receipt, or an hour after the last text.",
  },
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
};
