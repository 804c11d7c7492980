import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { waitFor } from "../harness/processes.ts";
import {
  answer,
  type Behaviour,
  closeConnection,
  hang,
  type Receiver,
  startReceiver,
  streamWithoutEnd,
} from "../harness/receiver.ts";
import { makeClient, operate, type Service, send, startService, sweep, untilStatus } from "../harness/service.ts";

let service: Service;
let receiver: Receiver;
const endpoints: Receiver[] = [];

beforeAll(async () => {
  service = await startService({ REQUEUE_AFTER_SECONDS: "1" });
  receiver = await startReceiver();
});

afterAll(async () => {
  await service?.stop();
  for (const it of [receiver, ...endpoints]) await it?.close();
});

/** The callbacks of one message, as far as they have come. */
function callbacksOf(messageId: string) {
  return receiver.received.filter(({ body }) => JSON.parse(body).messageId === messageId);
}

async function untilCalledBack(messageId: string, statuses: string[]) {
  await waitFor(`callbacks ${statuses}`, () => callbacksOf(messageId).length >= statuses.length);
  // What a sweep would post a second time has come before the callback of a message sent after it.
  await sweep(service.url);
  const barrier = await makeClient(service.url, receiver.url);
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

describe("each number of the sandbox", () => {
  test.concurrent.each([
    ["+12125550001", ["FAILED_TO_SEND"], 1],
    ["+12125550002", ["SENDING", "FAILED_TO_DELIVERY"], 1],
    ["+12125550003", ["SENDING"], 1],
    ["+12125550004", ["SENDING", "DELIVERED"], 2],
    ["+12125550005", ["SENDING"], 1],
  ])("%s: %j", async (phone, statuses, attempts) => {
    const client = await makeClient(service.url, receiver.url, [phone]);
    const { messageId } = await send(client, { phone });
    await untilCalledBack(messageId, statuses);
    const message = await untilStatus(service.url, messageId, statuses.at(-1) ?? "");
    expect(message.attempts).toBe(attempts);
  });
});

describe("who is not subscribed gets nothing, and the client hears why", () => {
  test.concurrent.each([
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

describe("bodies as marketing platforms send them", () => {
  test.concurrent.each([
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

/** Stays SENDING: one callback. */
const PHONE = "+12125550003";

const TIMEOUT_MILLISECONDS = 10_000;

const FAULTY: [name: string, behaviour: Behaviour, outcome: string, httpStatus: number | null][] = [
  ["answers 500", answer(500), "answered", 500],
  ["redirects", answer(302, { location: "/elsewhere" }), "answered", 302],
  ["hangs", hang, "timed-out", null],
  ["closes the connection", closeConnection, "unreachable", null],
  ["says gzip of what is none", answer(200, { "content-encoding": "gzip" }), "answered", 200],
  ["streams without end", streamWithoutEnd, "answered", 200],
];

async function makeEndpoint(behaviour?: Behaviour) {
  const receiver = await startReceiver(behaviour);
  endpoints.push(receiver);
  return { receiver, client: await makeClient(service.url, `${receiver.url}/callbacks`, [PHONE]) };
}

/** What came back from the first callback of a message. */
function untilOutcome(messageId: string) {
  return waitFor("the outcome of a callback", async () => {
    const { callbacks } = await operate(service.url, "GET", `/messages/${messageId}`);
    return callbacks[0]?.outcome ? callbacks[0] : undefined;
  });
}

test.concurrent("what an endpoint answers is kept for the operator", async () => {
  const { client } = await makeEndpoint(answer(418));
  const { messageId } = await send(client, { phone: PHONE });
  expect(await untilOutcome(messageId)).toMatchObject({ outcome: "answered", httpStatus: 418, response: "thanks" });
});

test.concurrent("every endpoint gets each callback once, whatever it does, and holds up nobody else's", async ({
  expect,
}) => {
  const healthy = await makeEndpoint();
  const faulty = await Promise.all(FAULTY.map(([, behaviour]) => makeEndpoint(behaviour)));
  const sent = await Promise.all(faulty.map(({ client }) => send(client, { phone: PHONE })));
  await waitFor("a request at each endpoint", () => faulty.every(({ receiver }) => receiver.received.length > 0));
  const began = Date.now();

  await send(healthy.client, { phone: PHONE });
  await waitFor("the healthy callback", () => healthy.receiver.received.length === 1, 3000);
  expect(Date.now() - began).toBeLessThan(TIMEOUT_MILLISECONDS);

  await Promise.all(
    FAULTY.map(async ([name, , outcome, httpStatus], index) => {
      const callback = await untilOutcome(sent[index]?.messageId ?? "");
      expect.soft(callback, name).toMatchObject({ outcome, httpStatus });
    }),
  );

  await sweep(service.url);
  await send(healthy.client, { phone: PHONE });
  await waitFor("a healthy callback after the sweep", () => healthy.receiver.received.length === 2);
  for (const [index, { receiver }] of faulty.entries()) {
    expect
      .soft(
        receiver.received.map(({ path }) => path),
        FAULTY[index]?.[0],
      )
      .toEqual(["/callbacks"]);
  }
});

test.concurrent("many callbacks to an endpoint that hangs do not hold up another client's", async () => {
  const slow = await makeEndpoint(hang);
  const healthy = await makeEndpoint();
  await Promise.all(Array.from({ length: 40 }, () => send(slow.client, { phone: PHONE })));
  await waitFor("the slow endpoint to be called", () => slow.receiver.received.length > 0);
  await send(healthy.client, { phone: PHONE });
  await waitFor("the healthy callback", () => healthy.receiver.received.length === 1, 3000);
});
