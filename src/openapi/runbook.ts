import type { Problem } from "../domain/operations/problems.ts";

interface Entry {
  meaning: string;
  action: string;
  /** Whether it is safe to repeat or to send again. */
  isSafe: string;
}

/** What an operator does about each problem. */
export const RUNBOOK: Record<Problem, Entry> = {
  "database-away": {
    meaning:
      "D1 does not answer: requests are 503, jobs are retried, and nothing else of the state is known. `cause` has its words. With a `database`, one of several: only its websites get 503. `unbound`: websites are in it, and `wrangler.toml` binds nothing under its name.",
    action:
      "Look at Cloudflare's status page. `OPERATOR_TOKEN` is valid meanwhile, a token of a name is not. Clients repeat, and jobs wait in the queues.",
    isSafe: "Yes: nothing accepted is lost.",
  },
  "database-behind": {
    meaning: "D1 took more than two seconds to answer, or refuses calls because too many wait (`overloaded`).",
    action:
      "Wait: refused requests come again later. If it lasts: hold a large campaign, and look for statements that read much in the dashboard of D1.",
    isSafe: "Yes.",
  },
  "migration-missing": {
    meaning: "The database lacks a migration of this version: `cause` names it. With a `database`, one of several.",
    action: "`npx wrangler d1 migrations apply DB --remote`, with the name of the database in place of `DB`.",
    isSafe: "Yes: a migration that is applied is passed over.",
  },
  "state-incomplete": {
    meaning:
      "Parts of this state could not be read, such as for want of a table: `failing` names them, each with its error. No alert says that a problem is over meanwhile.",
    action: "The error says what is missing. `health.failing` in the log has it under the `requestId`.",
    isSafe: "Yes: to look changes nothing.",
  },
  "sweep-late": {
    meaning:
      "No sweep has ended for five minutes: the cron trigger does not run. Lost jobs are not requeued, deadlines do not pass, nothing is purged.",
    action:
      "Look for `sweep` in the log and for the trigger in the dashboard. `npm run deploy` sets the trigger again.",
    isSafe: "Yes: concurrent sweeps are safe.",
  },
  "sweep-failing": {
    meaning: "A job of the last sweep failed: `sweep.failedJobs` names it, `sweep.failed` in the log has the error.",
    action: "Usually the store: see `/health`. The other jobs ran.",
    isSafe: "Yes: the next sweep retries it.",
  },
  "database-filling": {
    meaning: "A database has reached 70 % of D1's limit, 10 GB. `cause` says how many days are left.",
    action:
      "Bind another database, put new websites into it, and move large ones there: see *When a database fills* in `docs/procedures.md`.",
    isSafe: "Yes.",
  },
  "database-full": {
    meaning:
      "A database has reached 95 % of D1's limit, 10 GB. Its websites cannot send (50301). Receipts and opt-outs are still stored, and callbacks are still posted.",
    action:
      "Bind another database, put new websites into it, and move large ones there: see *When a database fills* in `docs/procedures.md`.",
    isSafe: "Yes: what is refused is not stored.",
  },
  "messages-late": {
    meaning:
      "Messages have waited for their job for more than five minutes, or the carrier could not accept them for so long (`retriedSeconds`): then it has a problem of its own. With a `backlog`, the consumer is too slow or fails (`job` with `retried` in the log). Without one, jobs were lost (`queue.failed`), and the sweep requeues them.",
    action: "Find the cause. Send nothing again.",
    isSafe: "Yes: only one run can claim a message.",
  },
  "messages-stuck": {
    meaning: "The run that submitted the messages was cut off: the carrier may have them or not.",
    action:
      "Wait 6 minutes: a job may still bring the outcome. After that, the sweep makes them SENDING, and a receipt decides. To know more, ask the carrier by number and time.",
    isSafe: "**No**: sending them again may text a person twice.",
  },
  "carrier-not-set-up": {
    meaning:
      "A website names a carrier without all of its settings (`missingSettings`). Its messages wait for `SUBMIT_WITHIN_HOURS`, then they are FAILED_TO_SEND.",
    action: "`npx wrangler secret put …`, then `try-carrier`; or `put-website --carrier`.",
    isSafe: "Yes: nothing was submitted, and the waiting messages go out by themselves.",
  },
  "sandbox-in-use": {
    meaning:
      "A website of a deployed service uses the sandbox: its messages become DELIVERED, but nobody receives them.",
    action: "`put-website --carrier … --sender …`.",
    isSafe: "Yes: the client may send those messages again.",
  },
  "carrier-credentials": {
    meaning:
      "The carrier rejects our credentials (`isUnauthorized`), and has neither accepted nor refused a message since.",
    action:
      "`npx wrangler secret put …` with the right token or key. A wrong `TWILIO_ACCOUNT_SID` or URL shows as 404. The problem ends at once with the first submission that works, such as after `try-carrier`, or an hour after the last try.",
    isSafe: "Nothing was sent. Everything is retried for `SUBMIT_WITHIN_HOURS`.",
  },
  "carrier-failing": {
    meaning:
      "In the last five minutes, the carrier accepted fewer submissions than it refused, deferred or left unknown; or it has accepted none since three that failed, in the last hour. `reasonDetail` of `GET /operator/messages/{messageId}` has the carrier's own words.",
    action:
      "`refused`: fix the account or the sender. `later`: retried for `SUBMIT_WITHIN_HOURS`. `unknown`: see `messages-stuck`. The problem ends with the first text that is accepted after all have failed. Where only a part fails, it ends with a minute in which most are accepted.",
    isSafe: "`refused`: yes, the carrier does not have the message. `unknown`: no.",
  },
  "carrier-paused": {
    meaning:
      "The circuit breaker of the carrier is open: several submissions in a row have failed, or were not answered within 2 seconds. `cause` has its words, `since` the first opening, `nextTryAt` the next try. One message is tried each minute; the others wait.",
    action:
      "Repair the gateway, or ask the carrier. The first answer makes the waiting messages due, and ends the problem unless it takes longer than 2 seconds. `try-carrier` does so at once.",
    isSafe: "Yes. The waiting messages are sent within `SUBMIT_WITHIN_HOURS`.",
  },
  "deliveries-failing": {
    meaning:
      "The carrier takes the texts of a sender, and they do not arrive. Among the texts of the last hour that have a final receipt, the undelivered ones are more than 30 in 100 and three: 5 of 5, 10 of 20, 34 of 100. Or among those of the last five minutes, they are more than half and three: 7 of 7, 14 of 20. `sender` is that of the website. `cause` has the commonest reason and the carrier's code, such as `CARRIER_FILTERED, 30034 × 28 of 30`.",
    action:
      "`CARRIER_FILTERED`: register the sender (in the USA a 10DLC brand and campaign, or the toll-free verification), or ask the carrier why it is blocked. Look any other code up at the carrier. Meanwhile `hold` the website. The problem ends with the first text that arrives after all have failed. Otherwise it ends when fewer fail, or an hour after the last text of the sender.",
    isSafe: "**No**: a text that is sent again fails again, and repeated failures harm the sender. Unsubscribe nobody.",
  },
  "receipts-missing": {
    meaning:
      "In the last hour, the carrier has accepted five texts or more, each at least 15 minutes ago and after the last text that has a final receipt, and for 15 minutes no receipt has come at all. On a new deployment, the problem shows 17 minutes after the fifth text at the latest. The messages are SENDING, and after `RECEIPT_WITHIN_HOURS` FAILED_TO_DELIVERY, `NO_RECEIPT`.",
    action:
      "Look at the `receipts` queue first: with a `backlog`, they wait here. Then at `PUBLIC_ORIGIN`: the carrier must reach it from the internet, without a firewall or a login before it. Requests with code 40302 in the log, which has one in a hundred of them, are receipts whose signature or key does not fit. A Kannel whose SMSC gives no receipts has this problem whenever it sends. The problem ends with the first receipt, or an hour after the last text.",
    isSafe: "**No**: the texts may have arrived. Send nothing again.",
  },
  "move-stuck": {
    meaning:
      "The move of a website has failed in the last day: the website is open where it was. Or no job has worked on it for five minutes: its calls answer 503 meanwhile.",
    action:
      "`npm run operator -- move-status <websiteId>` shows the problem. Of a failed move, begin it again. Of any other, see whether both databases answer and the sweep runs: it goes on by itself. `abort-move` opens the website where it was.",
    isSafe: "Yes: what is stored in the target is not read before all of it is compared.",
  },
  "callbacks-late": {
    meaning:
      "Callbacks have been due for more than five minutes. Their endpoints time out (each is then left alone for a minute), or the consumer fails (`callbacks.failed`).",
    action: "`callback.posted` in the log names them. Ask the client to answer 2xx at once.",
    isSafe: "Yes: no callback is posted twice.",
  },
  "callbacks-failing": {
    meaning:
      "In the last five minutes, more callbacks failed than succeeded; or none has succeeded since three that failed, in the last hour. `not-posted`: the client has no URL any longer, or `SERVICE_KEY` changed (see `response` of `GET /operator/messages/{messageId}`).",
    action:
      "Tell the client. For a changed `SERVICE_KEY`: restore the old key, or `rotate-client` each client. The problem ends as `carrier-failing` does.",
    isSafe: "A callback is posted once, ever. The client can read `GET /text/message/status`.",
  },
  "endpoint-failing": {
    meaning:
      "The last three callbacks to the endpoint of a client failed, or more. `details` has website, client, host and cause.",
    action:
      "Tell the client. The problem ends with the next callback that succeeds, with another URL, or an hour after the last.",
    isSafe: "As for `callbacks-failing`.",
  },
  "callbacks-unknown": {
    meaning:
      "A run was cut off while it posted callbacks, or the response could not be stored (`callbacks.not-recorded`).",
    action: "Nothing: the client may have received them.",
    isSafe: "As for `callbacks-failing`.",
  },
  "dead-jobs": {
    meaning: "Jobs failed for good: six times by themselves, for two hours because of the store, or malformed.",
    action: "`npm run operator -- dead-jobs` shows the errors. Fix the cause, deploy, then `put-back --all`.",
    isSafe:
      "Yes: requeueing is idempotent. A job changes only what its claim, or its message's status, still allows. If it fails again, it is a new dead job.",
  },
  "credentials-behind": {
    meaning: "KV has rejected a change to a client for five minutes: a suspended client may still have access.",
    action: "See `/health`. The sweep retries the copy each minute.",
    isSafe: "Yes.",
  },
  "keywords-without-effect": {
    meaning:
      "In the last day, a STOP, START or HELP reached no website, or came from a sender that is no phone number: a person who opted out may still be texted.",
    action:
      "`npm run operator -- inbound --without-effect` lists them. Opt the number out by an import. Give the website its sender, or make the gateway send numbers in international form.",
    isSafe: "Yes.",
  },
  "maybe-opt-outs": {
    meaning:
      'In the last three days, a person who is not opted out texted an opt-out word among other words, such as "please stop texting me". The service does not guess what is meant: the person is still subscribed.',
    action:
      "`npm run operator -- texts --to-decide` lists them. Read each: if the person wants no more texts, `decide` it with `--opt-out`, else with `--no-opt-out`. The problem ends when each is decided, or three days after the text. If many people write the same word, add it to the website's `optOutWords`.",
    isSafe: "Yes.",
  },
};
