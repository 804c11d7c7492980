// A program of somebody who has installed the package. test/node/journeys/client-package.long.test.ts compiles it and runs it, elsewhere.
import {
  type CallbackEvent,
  type FeedEvent,
  type SendRequest,
  SignatureError,
  Textgate,
  TextgateError,
  verifyCallback,
} from "textgate-client";

declare const process: { argv: string[] };

const [url = "", clientId = "", clientSecret = "", phone = "", stranger = ""] = process.argv.slice(2);
const textgate = new Textgate({ url, clientId, clientSecret });
const about = { callbackData: "{}", sendPurpose: "packed" };
const message: SendRequest = { phone, text: "Brand: hello", ...about };

const { messageId } = await textgate.send(message, { idempotencyKey: "packed-1" });
const again = await textgate.send(message, { idempotencyKey: "packed-1" });
const other = await textgate.send(message);
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const later = await textgate.send({ ...message, sendAt: tomorrow });
const { cancelled, notCancelled } = await textgate.cancel([later.messageId, "unknown"]);
const { status, reason } = await textgate.status(messageId);
const { messages, unknownMessageIds } = await textgate.statuses([messageId, "unknown"]);
const { successSent, failedSent } = await textgate.sendBulk([
  message,
  { email: "nobody@example.com", text: "Hello", ...about },
  { phone: "1.2E+10", text: "Hello", ...about },
]);
const subscribed = await textgate.subscribe({ phone_numbers: [stranger], sendPurpose: "packed" });
const csv_file = btoa(`phone_numbers\n${stranger}\n1.2E+10\n`);
const unsubscribed = await textgate.unsubscribe({ csv_file });
const { phoneNumberStatuses } = await textgate.subscriptionStatus({ phone_numbers: [phone, stranger] });
const refusal = await textgate.send({ ...message, phone: "12" }).catch((error: unknown) => error);
const unsigned = await verifyCallback({ secret: "whsec_AAAA", headers: {}, body: "{}" }).catch(
  (error: unknown) => error,
);

const { refused } = await textgate.requests(100);
const tested = await textgate.testEvent();
const feed = textgate.events({ limit: 1 });
const events: string[] = [];
for await (const event of feed) events.push(describe(event));

console.log(
  JSON.stringify({
    isSame: [messageId === again.messageId, messageId === other.messageId],
    isScheduled: later.scheduledFor === tomorrow,
    cancelled: [cancelled.length, cancelled[0] === later.messageId, notCancelled],
    status: [typeof status, reason, messages[0]?.messageId === messageId, unknownMessageIds],
    bulk: [successSent.map(({ index }) => index), failedSent.map(({ index }) => index)],
    lists: [subscribed.invalidPhoneNumbers, unsubscribed.invalidPhoneNumbers],
    subscribed: phoneNumberStatuses.map(({ phoneNumber, subscriptionStatus }) => [phoneNumber, subscriptionStatus]),
    refusal: refusal instanceof TextgateError && [refusal.code, refusal.details[0]?.field, refusal.outcome],
    hasRequestId: refusal instanceof TextgateError && refusal.requestId !== null,
    refused: Array.isArray(refused),
    tested: tested.outcome,
    isUnsigned: unsigned instanceof SignatureError,
    cancelledEvent: events.includes(`${later.messageId} FAILED_TO_SEND CANCELLED`),
    hasCursor: typeof feed.cursor,
  }),
);

function describe(event: FeedEvent): string {
  if (event.eventType !== "message.status") return event.eventType;
  return `${event.messageId} ${event.status} ${event.reason}`;
}

/** Not run: each line must not compile, or the types are too loose. */
export function mistakes(event: CallbackEvent): void {
  // @ts-expect-error: `text` is required
  void textgate.send({ phone, ...about });
  // @ts-expect-error: a name with a slip
  void textgate.send({ ...message, sendAT: tomorrow });
  // @ts-expect-error: not a string
  void textgate.send({ ...message, phone: 12125550100 });
  // @ts-expect-error: `sendPurpose` is required
  void textgate.subscribe({ phone_numbers: [phone] });
  // @ts-expect-error: no secret
  void new Textgate({ url, clientId });
  // @ts-expect-error: only a click has it
  void event.clickUrl;
  if (event.eventType === "message.clicked") void event.clickUrl.length;
  // @ts-expect-error: parsed already
  void verifyCallback({ secret: "", headers: {}, body: {} });
}
