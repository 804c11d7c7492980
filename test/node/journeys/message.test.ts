import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { waitFor } from "../harness/processes.ts";
import { answer, type Receiver, startReceiver } from "../harness/receiver.ts";
import { type Client, makeClient, operate, send, sweep, untilStatus } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";

let service: SharedService;
let receiver: Receiver;
let barrier: Client;

beforeAll(async () => {
  [service, receiver] = await Promise.all([sharedService(), startReceiver()]);
  barrier = await makeClient(service.url, receiver.url);
});

afterAll(() => receiver?.close());

/** The callbacks of one message, as far as they have come. */
function callbacksOf(messageId: string) {
  return receiver.received.filter(({ body }) => JSON.parse(body).messageId === messageId);
}

async function untilCalledBack(messageId: string, statuses: string[]) {
  await waitFor(`callbacks ${statuses}`, () => callbacksOf(messageId).length >= statuses.length);
  // What a sweep would post a second time has come before the callback of a message sent after it.
  await sweep(service.url);
  const { messageId: last } = await send(barrier, { phone: "+12125550199" });
  await waitFor("the callback of a later message", () => callbacksOf(last).length > 0);
  const callbacks = callbacksOf(messageId);
  expect(callbacks.map(({ body }) => JSON.parse(body).status)).toEqual(statuses);
  return callbacks;
}

test.concurrent("a text is delivered and called back once for each status, signed and with its callbackData byte for byte", async () => {
  const client = await makeClient(service.url, `${receiver.url}/hooks?of=me`, ["+12125550100"]);
  const callbackData = '{"profile":"01H","n":1.0, "quoted":"\\"é\\u00e9💬\\n", "empty":{}}';
  const sent = await send(client, { phone: "+12125550100", callbackData, sendPurpose: "spring-sale_01" });
  expect(sent.status).toBe(200);
  const callbacks = await untilCalledBack(sent.messageId, ["SENDING", "DELIVERED"]);
  for (const { path, headers, body } of callbacks) {
    expect(path).toBe("/hooks?of=me");
    expect(headers["content-type"]).toBe("application/json");
    const event = new Webhook(client.callbackSecret).verify(body, headers) as Record<string, unknown>;
    expect(event).toMatchObject({ eventType: "message.status", messageId: sent.messageId, phone: "+12125550100" });
    expect(event).toMatchObject({ eventId: headers["webhook-id"], callbackData, sendPurpose: "spring-sale_01" });
  }
  expect(new Set(callbacks.map(({ headers }) => headers["webhook-id"])).size).toBe(2);
});

test.concurrent("a body that was altered on its way does not verify", async () => {
  const client = await makeClient(service.url, receiver.url, ["+12125550100"]);
  const { messageId } = await send(client, { phone: "+12125550100" });
  const [callback] = await untilCalledBack(messageId, ["SENDING", "DELIVERED"]);
  if (!callback) throw new Error("no callback");
  const altered = callback.body.replace("SENDING", "DELIVERED");
  expect(() => new Webhook(client.callbackSecret).verify(altered, callback.headers)).toThrow();
});

describe.concurrent("each number of the sandbox", () => {
  test.each([
    ["+12125550001", ["FAILED_TO_SEND"], 1],
    ["+12125550002", ["SENDING", "FAILED_TO_DELIVERY"], 1],
    ["+12125550003", ["SENDING"], 1],
    ["+12125550005", ["SENDING"], 1],
  ])("%s: %j", async (phone, statuses, attempts) => {
    const client = await makeClient(service.url, receiver.url, [phone]);
    const { messageId } = await send(client, { phone });
    await untilCalledBack(messageId, statuses);
    const message = await untilStatus(service.url, messageId, statuses.at(-1) ?? "");
    expect(message.attempts).toBe(attempts);
  });
});

describe.concurrent("who is not subscribed gets nothing, and the client hears why", () => {
  test.each([
    [{ phone: "+12125550120" }, "NOT_SUBSCRIBED"],
    [{ phone: "+12125550121" }, "NOT_FOUND"],
    [{ email: "gone@example.com" }, "FAILED_TO_MATCH"],
    [{ email: "nobody@example.com" }, "FAILED_TO_MATCH"],
  ])("%j: %s", async (recipient, status) => {
    const client = await makeClient(service.url, receiver.url, ["+12125550120,gone@example.com,false"]);
    const { messageId } = await send(client, recipient);
    await untilCalledBack(messageId, [status]);
    expect(await untilStatus(service.url, messageId, status)).toMatchObject({ attempts: 0, carrierMessageId: null });
  });
});

describe.concurrent("bodies as marketing platforms send them", () => {
  test.each([
    {
      phone: "",
      email: "ada@example.com",
      text: "Brand: Happy Birthday, Ada!",
      clickUrl: "https://click.example.com",
      mediaUrl: "https://example.com/image/1.jpg",
      callbackData: '{"profileID":"01H","metricName":"Flow Name","flow":"Flow Name"}',
      sendPurpose: "Flow Name",
    },
    {
      phone: "+12125550100",
      email: "",
      text: "Brand: hello",
      mediaUrl: "",
      clickUrl: "",
      callbackData: "{}",
      sendPurpose: "spring-sale_01",
    },
  ])("$sendPurpose", async (body) => {
    const client = await makeClient(service.url, receiver.url, ["+12125550100,ada@example.com"]);
    const { status, messageId } = await send(client, body);
    expect(status).toBe(200);
    const callbacks = await untilCalledBack(messageId, ["SENDING", "DELIVERED"]);
    for (const callback of callbacks) {
      expect(JSON.parse(callback.body)).toMatchObject({ phone: "+12125550100", callbackData: body.callbackData });
    }
  });
});

test.concurrent("a client that wants no callbacks gets none", async () => {
  const client = await makeClient(service.url, receiver.url, ["+12125550100"]);
  const { messageId } = await send(client, { phone: "+12125550100", callbackData: "" });
  const message = await untilStatus(service.url, messageId, "DELIVERED");
  expect(message).toMatchObject({ callbacks: [], events: [{ status: "SENDING" }, { status: "DELIVERED" }] });
  await untilCalledBack(messageId, []);
});

test.concurrent("while a secret is being replaced, callbacks carry a signature of each", async () => {
  const client = await makeClient(service.url, receiver.url, ["+12125550001"]);
  const rotated = await operate(service.url, "POST", `/clients/${client.clientId}/rotate`, { graceSeconds: 60 });
  const { messageId } = await send({ ...client, ...rotated }, { phone: "+12125550001" });
  const [callback] = await untilCalledBack(messageId, ["FAILED_TO_SEND"]);
  for (const secret of [client.callbackSecret, rotated.callbackSecret]) {
    expect(new Webhook(secret).verify(callback?.body ?? "", callback?.headers ?? {})).toMatchObject({ messageId });
  }
});

test.concurrent("what an endpoint answers is kept for the operator", async () => {
  const endpoint = await startReceiver(answer(418));
  const client = await makeClient(service.url, endpoint.url, ["+12125550003"]);
  const { messageId } = await send(client, { phone: "+12125550003" });
  const [callback] = await waitFor("the outcome of its callback", async () => {
    const { callbacks } = await operate(service.url, "GET", `/messages/${messageId}`);
    return callbacks[0]?.outcome && callbacks;
  });
  expect(callback).toMatchObject({ outcome: "answered", httpStatus: 418, response: "thanks" });
  await endpoint.close();
});
