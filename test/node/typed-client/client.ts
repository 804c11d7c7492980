// A client as its engineer writes it, with types that openapi-typescript has made of the OpenAPI document.
// test/node/journeys/typed-client.long.test.ts makes the types, compiles this and runs it.
import createClient from "openapi-fetch";
import type { paths, webhooks } from "./api.d.ts";

type StatusEvent = webhooks["message.status"]["post"]["requestBody"]["content"]["application/json"];
type ClickEvent = webhooks["message.clicked"]["post"]["requestBody"]["content"]["application/json"];

const [baseUrl = "", id = "", secret = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { "X-Client-ID": id, "X-Client-Secret": secret } });
const [phone, stranger] = ["+12125550100", "+12125550199"];
const text = { text: "Brand: hello", callbackData: "{}", sendPurpose: "typed" };

/** A call that must succeed. */
async function take<Data>(call: Promise<{ data?: Data; error?: { code: number; message: string } }>): Promise<Data> {
  const { data, error } = await call;
  if (data === undefined) throw new Error(`${error?.code}: ${error?.message}`);
  return data;
}

const params = { header: { "Idempotency-Key": "typed-1" } };
const { messageId } = await take(client.POST("/text/message/send", { params, body: { phone, ...text } }));
const again = await take(client.POST("/text/message/send", { params, body: { phone, ...text } }));
const { status, reason } = await take(client.GET("/text/message/status", { params: { query: { messageId } } }));
const { messages: listed } = await take(client.POST("/text/message/statuses", { body: { messageIds: [messageId] } }));
const feed = await take(client.GET("/text/events", { params: { query: { limit: 10 } } }));
const links = feed.events.flatMap((event) => (event.eventType === "message.clicked" ? event.clickUrl : []));
const messages = [
  { phone, ...text },
  { email: "nobody@example.com", ...text },
  { phone: "1.2E+10", ...text },
];
const { successSent, failedSent } = await take(client.POST("/text/bulk/message/send", { body: { messages } }));
const subscribed = await take(
  client.POST("/text/subscribe", { body: { phone_numbers: [stranger], sendPurpose: "typed" } }),
);
const unsubscribed = await take(client.POST("/text/unsubscribe", { body: { phone_numbers: [stranger] } }));
const { phoneNumberStatuses } = await take(
  client.POST("/text/subscription/status", { body: { phone_numbers: [phone, stranger] } }),
);
const refused = await client.POST("/text/message/send", { body: { phone: "12", ...text } });
const code: 40000 | 40001 | undefined = refused.response.status === 400 ? codeOf(refused.error) : undefined;

function codeOf(error: typeof refused.error): 40000 | 40001 | undefined {
  return error?.code === 40000 || error?.code === 40001 ? error.code : undefined;
}

console.log(
  JSON.stringify({
    isSame: messageId === again.messageId,
    status,
    reason,
    listed: listed.map((message) => message.messageId === messageId),
    feed: [
      feed.events.every((event) => "messageId" in event && event.messageId === messageId),
      links.length,
      feed.more,
    ],
    bulk: [successSent.map(({ index }) => index), failedSent.map(({ index }) => index)],
    refusedNumbers: [subscribed.failedToProcessNumbers, unsubscribed.invalidPhoneNumbers].flat(),
    subscribed: phoneNumberStatuses.map(({ phoneNumber, subscriptionStatus }) => [phoneNumber, subscriptionStatus]),
    code,
    field: refused.error?.details?.[0]?.field,
  }),
);

/** Not run: each line must not compile, or the types are too loose. */
export function mistakes(event: StatusEvent, click: ClickEvent): void {
  void new URL(click.clickUrl);
  // @ts-expect-error: `text` is required
  void client.POST("/text/message/send", { body: { phone, callbackData: "", sendPurpose: "typed" } });
  // @ts-expect-error: neither phone nor email
  void client.POST("/text/message/send", { body: text });
  // @ts-expect-error: not a string
  void client.POST("/text/message/send", { body: { phone: 12125550100, ...text } });
  // @ts-expect-error: not a string
  void client.POST("/text/bulk/message/send", { body: { messages: [{ phone: 5, ...text }] } });
  const withoutText = [{ phone, callbackData: "", sendPurpose: "typed" }];
  // @ts-expect-error: `text` is required
  void client.POST("/text/bulk/message/send", { body: { messages: withoutText } });
  // @ts-expect-error: neither list
  void client.POST("/text/subscription/status", { body: {} });
  // @ts-expect-error: `sendPurpose` is required
  void client.POST("/text/subscribe", { body: { phone_numbers: [phone] } });
  // @ts-expect-error: never posted
  void (event.status === "PENDING_TO_SEND");
  void (event.reason === "UNDELIVERED" || event.reason === null);
  // @ts-expect-error: no such reason
  void (event.reason === "LANDLINE");
  // @ts-expect-error: only a click has it
  void event.clickUrl;
  // @ts-expect-error: no such path
  void client.GET("/text/messages");
}
