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
      "Set them: `npx wrangler secret put …`. Then run `npm run operator -- try-carrier <carrier>`.",
      "Or give the website another carrier: `npm run operator -- put-website <websiteId> --carrier …`.",
    ],
    isSafe: "Yes: pending messages then go by themselves.",
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
      "Read the carrier's words (`npm run operator -- message <messageId>`) and [the code](carriers.md#what-a-code-means).",
      "Wrong credentials: `npx wrangler secret put …`. A suspended account, or no funds: mend that at the carrier. 404: check `TWILIO_ACCOUNT_SID` and the URL.",
      "Test it: `npm run operator -- try-carrier <carrier>`.",
    ],
    isSafe: "Yes: nothing was sent.",
    ends: "with the first submission that works, or an hour after the last try.",
  },
  "carrier-failing": {
    meaning:
      "In the last five minutes, more submissions to this carrier failed than succeeded, and at least 3. Or, in the last hour, the last 3 or more failed.",
    steps: [
      "Read the carrier's words in `reasonDetail` of one of them: `npm run operator -- message <messageId>`.",
      "`refused`: fix the account or the sender. `later`: wait. `unknown`: see [messages-stuck](#messages-stuck).",
    ],
    isSafe: "`refused`: yes. `unknown`: **no**, the carrier may have the message.",
    ends: "with the first accepted text, if all have failed, otherwise with a minute in which most are accepted.",
  },
  "carrier-paused": {
    meaning:
      "Textgate has paused this carrier, because several submissions in a row failed, or took longer than 2 seconds. `cause` has the carrier's words. One message per minute tests the carrier, and the others wait.",
    steps: [
      "If `cause` begins with `our account`, look at its rate, status and balance at the carrier. Otherwise fix the gateway, or contact the carrier.",
      "Test it now: `npm run operator -- try-carrier <carrier>`.",
    ],
    isSafe: "Yes: waiting messages are sent within `SUBMIT_WITHIN_HOURS`.",
    ends: "when the carrier answers within 2 seconds.",
  },
  "sender-paused": {
    meaning:
      "A sender is beyond its queue, rate or daily limit at the carrier, so its texts wait. `cause` has the carrier's words and further websites of the sender. One message per minute tests the sender.",
    steps: [
      "If other texts must go now, hold the campaign: `npm run operator -- hold <websiteId> --purpose <purpose>`.",
      "Send more slowly, by the carrier's [pace](carriers.md#the-pace-of-a-sender): `npm run operator -- set-sender <carrier> <sender> --messages-per-minute …`. Or use a faster sender: `npm run operator -- put-website <websiteId> --sender …`.",
      "Test it now: `npm run operator -- try-carrier <carrier>`.",
    ],
    isSafe: "Yes: waiting messages are sent within `SUBMIT_WITHIN_HOURS`. Unsubscribe nobody.",
    ends: "when the carrier accepts or refuses a message of the sender.",
  },
  "deliveries-failing": {
    meaning:
      "The carrier accepts the texts of a sender, but they do not arrive: more than 30 in 100 of the last hour, or half of the last five minutes, and at least three. `cause` has the commonest reason and the carrier's code, such as `CARRIER_FILTERED, 30034 × 28 of 30`.",
    steps: [
      "Hold the website, because failures harm the sender: `npm run operator -- hold <websiteId>`.",
      "`CARRIER_FILTERED`: [register the sender](deploying.md#0-a-sender), or ask the carrier why it is blocked. Otherwise look up [the code](carriers.md#what-a-code-means).",
      "Release the website: `npm run operator -- release <websiteId>`.",
    ],
    isSafe: "**No**: a text that is sent again fails again. Unsubscribe nobody.",
    ends: "with the first text that arrives, if all have failed, otherwise when fewer fail, or an hour after the sender's last text.",
  },
  "receipts-missing": {
    meaning:
      "For 15 minutes no receipt has come, although the carrier accepted five texts or more in the hour before. The messages stay SENDING, and end with `NO_RECEIPT` after `RECEIPT_WITHIN_HOURS`.",
    steps: [
      "If the queue `receipts` in `health` has a `backlog`, the receipts wait here.",
      "Check `PUBLIC_ORIGIN`: the carrier must reach it, without a firewall or a login in between.",
      "Look for code 40302 in the log (one in a hundred has a line): signature or key do not fit. If a Webhooks Rule at Twilio signs, set `TWILIO_WEBHOOK_SIGNING_KEY`.",
      "A Kannel whose SMSC gives no receipts always has this problem.",
    ],
    isSafe: "**No**: the texts may have arrived. Send nothing again.",
    ends: "with the first receipt, or an hour after the last text.",
  },
} satisfies Record<string, Entry>;
