import { setTimeout as wait } from "node:timers/promises";
import { inOrderOf } from "../../../random.ts";
import { CountingReceiver, thank } from "../../harness/counting-receiver.ts";
import { type Bundle, Service } from "../../harness/killable-service.ts";
import { answer, type Behaviour, hang, streamWithoutEnd } from "../../harness/receiver.ts";
import { operate } from "../../harness/service.ts";
import { makeSelfSigned } from "./certificate.ts";
import { makeWebsite } from "./client.ts";
import { HealthyNeighbor, type Latency, Messages, sendPaced } from "./neighbors.ts";

/** One way in which an endpoint fails, and what the record must say of each post to it. */
interface EndpointFault {
  name: string;
  /** How the endpoint answers; none: it cannot be reached. */
  behave?: (stray: string) => Behaviour;
  /** Under which URL, when not its own. */
  callbackUrl?: string;
  hasOwnCertificate?: boolean;
  outcome: "answered" | "timed-out" | "unreachable";
  httpStatus: number | null;
}

const FAULTS: EndpointFault[] = [
  { name: "works", behave: () => thank, outcome: "answered", httpStatus: 200 },
  { name: "500", behave: () => answer(500, { connection: "close" }), outcome: "answered", httpStatus: 500 },
  {
    name: "redirects inside",
    behave: (stray) => answer(307, { location: stray, connection: "close" }),
    outcome: "answered",
    httpStatus: 307,
  },
  { name: "streams for ever", behave: () => streamWithoutEnd, outcome: "answered", httpStatus: 200 },
  { name: "bad certificate", behave: () => thank, hasOwnCertificate: true, outcome: "unreachable", httpStatus: null },
  {
    name: "no such name",
    callbackUrl: "https://does-not-resolve.example/",
    outcome: "unreachable",
    httpStatus: null,
  },
  // What is due to it after the first posts have timed out waits a minute.
  { name: "hangs", behave: () => hang, outcome: "timed-out", httpStatus: null },
];

const MESSAGES = 30;
const EVENTS_A_MESSAGE = 2;

export interface EndpointRow {
  fault: string;
  due: number;
  posted: number;
  twice: number;
  recorded: number;
  waiting: number;
  healthy: Latency;
  faults: string[];
}

/** A website with an endpoint that fails in each of these ways, beside one whose endpoint works. */
export async function callbackFaults(options: { bundle: Bundle; seed: number; keep: boolean }): Promise<EndpointRow[]> {
  const service = await Service.start({ ...options, sendSmsUrl: "http://127.0.0.1:9/cgi-bin/sendsms" });
  const messages = new Messages();
  const healthy = await HealthyNeighbor.make(service.url, messages);
  const stray = await new CountingReceiver().open();
  try {
    const rows: EndpointRow[] = [];
    for (const fault of inOrderOf(options.seed, FAULTS)) {
      rows.push(await runFault(fault, { service, messages, healthy, stray }));
    }
    return rows;
  } finally {
    await service.remove();
    for (const it of [stray, healthy.receiver]) await it.close();
  }
}

interface World {
  service: Service;
  messages: Messages;
  healthy: HealthyNeighbor;
  /** Where a redirect leads: nobody should come here. */
  stray: CountingReceiver;
}

async function runFault(fault: EndpointFault, { service, messages, healthy, stray }: World): Promise<EndpointRow> {
  const tls = fault.hasOwnCertificate ? makeSelfSigned("127.0.0.1") : undefined;
  const receiver = await new CountingReceiver(fault.behave?.(stray.url), tls).open();
  try {
    const mine = messages.take(MESSAGES);
    const websiteId = `endpoint-${fault.name.replaceAll(/[^a-z0-9]+/g, "-")}`;
    const endpoint = { url: fault.callbackUrl ?? receiver.url, secret: "" };
    const client = await makeWebsite(service.url, { websiteId, carrier: "sandbox", messages: mine }, endpoint);
    receiver.secret = endpoint.secret;
    const [sent, latency] = await Promise.all([
      sendPaced(client, websiteId, mine, { size: 10, everyMilliseconds: 1000 }),
      healthy.measure(),
    ]);
    const ids = [...sent.values()].map(({ messageId }) => String(messageId));
    const callbacks = await untilPosted(service.url, ids, fault);
    return toRow(fault, { callbacks, receiver, stray, healthy: latency });
  } finally {
    await receiver.close();
  }
}

/** What the operator sees of a callback. */
interface Seen {
  eventId: string;
  attemptedAt: string | null;
  outcome: string | null;
  httpStatus: number | null;
}

const LONGEST_END_MILLISECONDS = 15_000;

/** Looks until each callback has an outcome; of an endpoint that hangs, until none is under way. */
async function untilPosted(url: string, ids: string[], { outcome }: EndpointFault): Promise<Seen[]> {
  const deadline = performance.now() + LONGEST_END_MILLISECONDS;
  for (;;) {
    const seen: Seen[] = [];
    for (const messageId of ids) seen.push(...(await operate(url, "GET", `/messages/${messageId}`)).callbacks);
    const isDone = (it: Seen) => it.outcome !== null || (outcome === "timed-out" && it.attemptedAt === null);
    const isAll = seen.length === ids.length * EVENTS_A_MESSAGE && seen.every(isDone);
    if (isAll && seen.some((it) => it.outcome !== null)) return seen;
    if (performance.now() > deadline) return seen;
    await wait(300);
  }
}

function toRow(
  fault: EndpointFault,
  {
    callbacks,
    receiver,
    stray,
    healthy,
  }: { callbacks: Seen[]; receiver: CountingReceiver; stray: CountingReceiver; healthy: Latency },
): EndpointRow {
  const faults = callbacks.flatMap((callback) => {
    const posts = receiver.received.get(callback.eventId) ?? 0;
    const expected = fault.outcome === "unreachable" || callback.outcome === null ? 0 : 1;
    const isRight =
      posts === expected &&
      (callback.outcome === null
        ? fault.outcome === "timed-out" && callback.attemptedAt === null
        : callback.outcome === fault.outcome && callback.httpStatus === fault.httpStatus);
    return isRight ? [] : [`endpoint ${fault.name}: ${JSON.stringify(callback)}, posted ${posts} times`];
  });
  if (receiver.wronglySigned > 0) faults.push(`endpoint ${fault.name}: ${receiver.wronglySigned} wrongly signed`);
  if (stray.received.size > 0) faults.push(`endpoint ${fault.name}: a redirect was followed`);
  const posts = [...receiver.received.values()];
  return {
    fault: fault.name,
    due: callbacks.length,
    posted: posts.length,
    twice: posts.filter((count) => count > 1).length,
    recorded: callbacks.filter(({ outcome }) => outcome !== null).length,
    waiting: callbacks.filter(({ attemptedAt }) => attemptedAt === null).length,
    healthy,
    faults,
  };
}
