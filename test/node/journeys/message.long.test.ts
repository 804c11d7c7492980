import { afterAll, beforeAll, test } from "vitest";
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
import { makeClient, operate, send, sweep, untilStatus } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";

let service: SharedService;
const endpoints: Receiver[] = [];

beforeAll(async () => {
  service = await sharedService();
});

afterAll(async () => {
  for (const it of endpoints) await it.close();
});

/** Stays SENDING: one callback. */
const PHONE = "+12125550003";
/** The sandbox takes a text to it at the second try, a second later. */
const RETRIED = "+12125550004";

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
  return { receiver, client: await makeClient(service.url, `${receiver.url}/callbacks`, [PHONE, RETRIED]) };
}

/** What came back from the first callback of a message. */
function untilOutcome(messageId: string) {
  return waitFor("the outcome of a callback", async () => {
    const { callbacks } = await operate(service.url, "GET", `/messages/${messageId}`);
    return callbacks[0]?.outcome ? callbacks[0] : undefined;
  });
}

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

test.concurrent("many callbacks to an endpoint that hangs do not hold up another client's", async ({ expect }) => {
  const slow = await makeEndpoint(hang);
  const healthy = await makeEndpoint();
  await Promise.all(Array.from({ length: 40 }, () => send(slow.client, { phone: PHONE })));
  await waitFor("the slow endpoint to be called", () => slow.receiver.received.length > 0);
  const called = performance.now();
  await send(healthy.client, { phone: PHONE });
  await waitFor("the healthy callback", () => healthy.receiver.received.length === 1);
  // The service gives up none of the others before: so the healthy one has not waited for the end of any.
  expect(performance.now() - called).toBeLessThan(TIMEOUT_MILLISECONDS);
});

test.concurrent("a text that the carrier takes at the second try goes out once, and is called back once for each status", async ({
  expect,
}) => {
  const { receiver, client } = await makeEndpoint();
  const { messageId } = await send(client, { phone: RETRIED });
  expect(await untilStatus(service.url, messageId, "DELIVERED")).toMatchObject({ attempts: 2 });
  await waitFor("its callbacks", () => receiver.received.length >= 2);
  // What a sweep would post a second time has come before the callback of a message sent after it.
  await sweep(service.url);
  await send(client, { phone: PHONE });
  await waitFor("the callback of a later message", () => receiver.received.length >= 3);
  const statuses = receiver.received.map(({ body }) => JSON.parse(body).status);
  expect(statuses).toEqual(["SENDING", "DELIVERED", "SENDING"]);
});
