import { setTimeout as wait } from "node:timers/promises";
import { drawn, inOrderOf } from "../../../random.ts";
import { CountingReceiver } from "../../harness/counting-receiver.ts";
import { accept, type Conduct, CountingCarrier, RECEIPT, type Submission } from "../../harness/fake-kannel.ts";
import { type Bundle, Service } from "../../harness/killable-service.ts";
import { operate } from "../../harness/service.ts";
import { makeWebsite } from "./client.ts";
import { HealthyNeighbor, type Latency, Messages, sendPaced } from "./neighbors.ts";

/** One way in which a carrier fails, and how the messages to it must end. */
interface CarrierFault {
  name: string;
  /** Whether the carrier takes a text, and how it answers, `elapsed` milliseconds after the fault began. */
  conduct(submission: Submission, elapsed: number): Pick<Conduct, "takes" | "answer">;
  /** How long the carrier is away altogether, from the beginning on. */
  awayMilliseconds?: number;
  /** `delivered`: taken once, however often it was asked. `unknown`: asked once, ever, and known only by a receipt. */
  ends: "delivered" | "unknown";
  messages: number;
}

const MESSAGES = 30;

/** As many as are submitted at a time: with more, the circuit breaker would open before all were submitted. */
const AT_A_TIME = 6;
const STORM_MILLISECONDS = 2500;

const FAULTS: CarrierFault[] = [
  { name: "works", conduct: () => ({ takes: true, answer: accept }), ends: "delivered", messages: MESSAGES },
  {
    name: "slow",
    conduct: () => ({ takes: true, answer: async (response) => accept(await wait(800, response)) }),
    ends: "delivered",
    messages: MESSAGES,
  },
  {
    name: "429, recovers",
    conduct: (_, elapsed) =>
      elapsed < STORM_MILLISECONDS
        ? { takes: false, answer: (response) => void response.writeHead(429, { "retry-after": "1" }).end() }
        : { takes: true, answer: accept },
    ends: "delivered",
    messages: MESSAGES,
  },
  {
    name: "away, comes back",
    conduct: () => ({ takes: true, answer: accept }),
    awayMilliseconds: 2500,
    ends: "delivered",
    messages: MESSAGES,
  },
  {
    name: "hangs up",
    conduct: ({ phone }) => ({ takes: isEven(phone), answer: (response) => void response.destroy() }),
    ends: "unknown",
    messages: AT_A_TIME,
  },
  {
    name: "half an answer",
    conduct: () => ({
      takes: true,
      answer: async (response) => {
        response.writeHead(202, { "content-length": "26" }).write("0: Accepted");
        await wait(20);
        response.destroy();
      },
    }),
    ends: "unknown",
    messages: AT_A_TIME,
  },
  {
    name: "redirects",
    conduct: () => ({
      takes: false,
      answer: (response) => void response.writeHead(307, { location: "/elsewhere" }).end(),
    }),
    ends: "unknown",
    messages: AT_A_TIME,
  },
  // The service waits 20 seconds for an answer.
  { name: "silent", conduct: () => ({ takes: true, answer: () => {} }), ends: "unknown", messages: AT_A_TIME },
];

function isEven(phone: string): boolean {
  return Number(phone.at(-1)) % 2 === 0;
}

export interface FaultRow {
  fault: string;
  messages: number;
  asked: number;
  texts: number;
  twice: number;
  delivered: number;
  unknown: number;
  healthy: Latency;
  faults: string[];
}

/** Puts one carrier through all its faults, beside a website on another carrier. */
export async function validateCarrier(options: { bundle: Bundle; seed: number; keep: boolean }): Promise<FaultRow[]> {
  const carrier = new CountingCarrier(() => ({
    takes: false,
    answer: (response) => void response.destroy(),
    receipts: [],
  }));
  await carrier.open();
  const receiver = await new CountingReceiver().open();
  const service = await Service.start({ ...options, sendSmsUrl: carrier.url });
  const messages = new Messages();
  const healthy = await HealthyNeighbor.make(service.url, messages);
  try {
    const rows: FaultRow[] = [];
    for (const fault of inOrderOf(options.seed, FAULTS)) {
      // The rest that one fault has earned the carrier goes with the service's memory.
      await service.kill();
      await service.start();
      rows.push(await runFault({ fault, service, carrier, receiver, healthy, messages, seed: options.seed }));
    }
    return rows;
  } finally {
    await service.remove();
    for (const it of [carrier, receiver, healthy.receiver]) await it.close();
  }
}

interface FaultRun {
  fault: CarrierFault;
  service: Service;
  carrier: CountingCarrier;
  receiver: CountingReceiver;
  healthy: HealthyNeighbor;
  messages: Messages;
  seed: number;
}

async function runFault(run: FaultRun): Promise<FaultRow> {
  const { fault, service, carrier, receiver, seed } = run;
  const mine = run.messages.take(fault.messages);
  const websiteId = `carrier-${fault.name.replaceAll(/[^a-z0-9]+/g, "-")}`;
  const client = await makeWebsite(service.url, { websiteId, carrier: "kannel", messages: mine }, receiver);
  const began = performance.now();
  carrier.conduct = (submission) => ({
    ...fault.conduct(submission, performance.now() - began),
    receipts: isReported(fault, seed, submission.phone) ? [{ type: RECEIPT.delivered, afterMilliseconds: 30 }] : [],
  });
  const [sent, healthy] = await Promise.all([
    sendPaced(client, websiteId, mine, { size: 10, everyMilliseconds: 1000 }),
    run.healthy.measure(),
    stayAway(carrier, fault.awayMilliseconds ?? 0),
  ]);
  const ids = [...sent.values()].map(({ messageId }) => String(messageId));
  const found = await untilEnded(run, ids);
  return toRow(run, ids, found, healthy);
}

/** Of the texts that end unknown, half get a receipt. */
function isReported({ ends }: CarrierFault, seed: number, phone: string): boolean {
  return ends === "delivered" || drawn(seed, "reported", phone) < 0.5;
}

async function stayAway(carrier: CountingCarrier, milliseconds: number): Promise<void> {
  if (milliseconds === 0) return;
  await carrier.goAway();
  await wait(milliseconds);
  await carrier.open();
}

/** What the operator sees of a message. */
interface Seen {
  messageId: string;
  status: string;
  reason: string | null;
  phone: string;
}

const LONGEST_END_MILLISECONDS = 45_000;

/** Looks until no message waits any more, or one has gone wrong for good. */
async function untilEnded({ fault, service, carrier }: FaultRun, ids: string[]): Promise<Seen[]> {
  const deadline = performance.now() + LONGEST_END_MILLISECONDS;
  const hasEnded = ({ status }: Seen) => status === "DELIVERED" || (fault.ends === "unknown" && status === "SENDING");
  const tooOften = fault.ends === "unknown" ? carrier.askedById : carrier.takenById;
  for (;;) {
    const seen: Seen[] = [];
    for (const messageId of ids) seen.push(await operate(service.url, "GET", `/messages/${messageId}`));
    const isOver = seen.every(hasEnded) || ids.some((id) => (tooOften.get(id) ?? 0) > 1);
    if (isOver || performance.now() > deadline) return seen;
    await wait(300);
  }
}

function toRow({ fault, carrier, seed }: FaultRun, ids: string[], seen: Seen[], healthy: Latency): FaultRow {
  const sum = (counts: Map<string, number>) => ids.reduce((total, id) => total + (counts.get(id) ?? 0), 0);
  const isUnknown = ({ status, reason }: Seen) => status === "SENDING" && reason === "OUTCOME_UNKNOWN";
  const faults = seen.flatMap((message) => {
    const texts = carrier.takenById.get(message.messageId) ?? 0;
    const asked = carrier.askedById.get(message.messageId) ?? 0;
    const isDelivered = isReported(fault, seed, message.phone) && texts > 0;
    const isRight =
      texts <= 1 &&
      (fault.ends === "delivered" ? texts === 1 : asked === 1) &&
      (isDelivered ? message.status === "DELIVERED" : isUnknown(message));
    const what = `${message.status}, ${message.reason}, asked ${asked} times, ${texts} texts`;
    return isRight ? [] : [`carrier ${fault.name}: ${message.messageId}: ${what}`];
  });
  if (carrier.strays > 0) faults.push(`carrier ${fault.name}: a redirect was followed`);
  return {
    fault: fault.name,
    messages: ids.length,
    asked: sum(carrier.askedById),
    texts: sum(carrier.takenById),
    twice: ids.filter((id) => (carrier.takenById.get(id) ?? 0) > 1).length,
    delivered: seen.filter(({ status }) => status === "DELIVERED").length,
    unknown: seen.filter(isUnknown).length,
    healthy,
    faults,
  };
}
