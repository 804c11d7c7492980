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
} satisfies Record<string, Entry>;
