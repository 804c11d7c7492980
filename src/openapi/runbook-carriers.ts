export interface Entry {
  /** What is wrong, and what it does to texts. Two or three sentences; the first of them is shown in tables. */
  meaning: string;
  /** What the operator does, in order. */
  steps: readonly string[];
  /** Whether it is safe to repeat a step, or to send again. */
  isSafe: string;
  /** When the problem ends, if it is not with its cause. */
  ends?: string;
}

/** What an operator does about the problems of carriers, senders and receipts. */
export const OF_CARRIERS = {
  "carrier-not-set-up": {
    meaning:
      "A website names a carrier that lacks settings (`missingSettings`). Its messages wait for `SUBMIT_WITHIN_HOURS`, and then end as FAILED_TO_SEND.",
    steps: [
      "Set what is missing: `npx wrangler secret put …`. Then run `npm run operator -- try-carrier <carrier>`.",
      "Or give the website another carrier: `npm run operator -- put-website <websiteId> --carrier …`.",
    ],
    isSafe: "Yes: nothing was submitted. Pending messages then go by themselves.",
  },
  "sandbox-in-use": {
    meaning:
      "A website of a deployed service uses the sandbox: its messages become DELIVERED, but nobody receives them.",
    steps: ["Give the website a carrier: `npm run operator -- put-website <websiteId> --carrier … --sender …`."],
    isSafe: "Yes: the client may send those messages again.",
  },
  "carrier-credentials": {
    meaning:
      "The carrier rejects our credentials or our account (`isUnauthorized`). Its messages are retried for `SUBMIT_WITHIN_HOURS`.",
    steps: [
      "Read the carrier's words in `npm run operator -- message <messageId>`, and look up [the code](carriers.md#what-a-code-means).",
      "If the credentials are wrong, run `npx wrangler secret put …`.",
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
      "Run `npm run operator -- message <messageId>` for one of them: `reasonDetail` has the carrier's words.",
      "`refused`: fix the account or the sender. `later`: wait for the retries. `unknown`: see [messages-stuck](#messages-stuck).",
    ],
    isSafe: "`refused`: yes. `unknown`: **no**, the carrier may have the message.",
    ends: "With the first accepted text, if all have failed. Otherwise with a minute in which most are accepted.",
  },
  "carrier-paused": {
    meaning:
      "Textgate has paused this carrier, because several submissions in a row failed, or took longer than 2 seconds. `cause` has the carrier's words, `since` the first pause, and `nextTryAt` the next try. One message per minute tests the carrier, and the others wait.",
    steps: [
      "If `cause` begins with `our account`, look at its rate, status and balance at the carrier. Otherwise fix the gateway, or contact the carrier.",
      "Test it now: `npm run operator -- try-carrier <carrier>`.",
    ],
    isSafe: "Yes: waiting messages are sent within `SUBMIT_WITHIN_HOURS`.",
    ends: "When the carrier answers within 2 seconds. All waiting messages are then sent.",
  },
  "sender-paused": {
    meaning:
      "A sender is beyond its queue, rate or daily limit at the carrier, so its texts wait. Other senders continue. The details have `sender`, `websiteId`, and in `cause` the carrier's words and further websites of the sender. One message per minute tests the sender.",
    steps: [
      "If other texts must go now, hold the campaign that fills the queue: `npm run operator -- hold <websiteId> --purpose <purpose>`.",
      "Send more slowly: ask the client to spread the campaign, or set the carrier's [pace](carriers.md#the-pace-of-a-sender): `npm run operator -- set-sender <carrier> <sender> --messages-per-minute …`. Or use a faster sender: `npm run operator -- put-website <websiteId> --sender …`.",
      "Test it now: `npm run operator -- try-carrier <carrier>`.",
    ],
    isSafe: "Yes: waiting messages are sent within `SUBMIT_WITHIN_HOURS`. Unsubscribe nobody.",
    ends: "When the carrier accepts or refuses a message of the sender. All its messages are then sent.",
  },
  "deliveries-failing": {
    meaning:
      "The carrier accepts the texts of a sender, but they do not arrive. Among the texts with a final receipt, the undelivered ones are more than 30 in 100 and three in the last hour (5 of 5, 34 of 100), or more than half and three in the last five minutes (7 of 7, 14 of 20). `cause` has the commonest reason and the carrier's code, such as `CARRIER_FILTERED, 30034 × 28 of 30`.",
    steps: [
      "Hold the website, because repeated failures harm the sender: `npm run operator -- hold <websiteId>`.",
      "`CARRIER_FILTERED`: [register the sender](deploying.md#0-a-sender), or ask the carrier why it is blocked. Otherwise look up [the code](carriers.md#what-a-code-means).",
      "Release the website: `npm run operator -- release <websiteId>`.",
    ],
    isSafe: "**No**: a text that is sent again fails again. Unsubscribe nobody.",
    ends: "With the first text that arrives, if all have failed. Otherwise when fewer fail, or an hour after the sender's last text.",
  },
  "receipts-missing": {
    meaning:
      "For 15 minutes no receipt has come, although the carrier accepted five texts or more in the hour before. The messages stay SENDING, and become FAILED_TO_DELIVERY with `NO_RECEIPT` after `RECEIPT_WITHIN_HOURS`.",
    steps: [
      "If the queue `receipts` in `health` has a `backlog`, the receipts wait here.",
      "Check `PUBLIC_ORIGIN`: the carrier must reach it from the internet, without a firewall or a login in between.",
      "Look for code 40302 in the log (one in a hundred has a line): receipts whose signature or key does not fit. If a Webhooks Rule at Twilio signs them, `TWILIO_WEBHOOK_SIGNING_KEY` must have its key.",
      "A Kannel whose SMSC gives no receipts always has this problem.",
    ],
    isSafe: "**No**: the texts may have arrived. Send nothing again.",
    ends: "With the first receipt, or an hour after the last text.",
  },
} satisfies Record<string, Entry>;
