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
  /**
   * `delivered`: taken once, however often the carrier was asked. `unknown`: asked once, ever, and known only by a receipt; what the
   * circuit breaker has held back is delivered once the carrier works again.
   */
  ends: "delivered" | "unknown";
  messages: number;
}

const MESSAGES = 30;

/** As many as are submitted at a time. If there were more, the circuit breaker would hold back the others. */
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
  const { fault, service, carrier, receiver } = run;
  const mine = run.messages.take(fault.messages);
  const after = run.messages.take(1);
  const websiteId = `carrier-${fault.name.replaceAll(/[^a-z0-9]+/g, "-")}`;
  const settings = { websiteId, carrier: "kannel", messages: [...mine, ...after] } as const;
  const client = await makeWebsite(service.url, settings, receiver);
  const began = performance.now();
  const report = [{ type: RECEIPT.delivered, afterMilliseconds: 30 }];
  carrier.conduct = (submission) => ({
    ...fault.conduct(submission, performance.now() - began),
    receipts: isReported(run, submission.phone) ? report : [],
  });
  const [sent, healthy] = await Promise.all([
    sendPaced(client, websiteId, mine, { size: 10, everyMilliseconds: 1000 }),
    run.healthy.measure(),
    stayAway(carrier, fault.awayMilliseconds ?? 0),
  ]);
  const ids = idsOf(sent);
  await untilEnded(run, ids);
  carrier.conduct = () => ({ takes: true, answer: accept, receipts: report });
  const asked = new Set(ids.filter((id) => carrier.askedById.has(id)));
  // An operator knows that it works again. The breaker is a row, and would hold back the messages of the next fault.
  await operate(service.url, "POST", "/carriers/kannel/try");
  const late = idsOf(await sendPaced(client, `${websiteId}-after`, after, { size: 1, everyMilliseconds: 0 }));
  return toRow(run, { asked, found: await untilRepaired(run, [...ids, ...late]), healthy });
}

const idsOf = (sent: Map<number, { messageId: string | null }>) =>
  [...sent.values()].map(({ messageId }) => String(messageId));

/** Half of the texts that end unknown get a receipt. */
function isReported({ fault, seed }: FaultRun, phone: string): boolean {
  return fault.ends === "delivered" || drawn(seed, "reported", phone) < 0.5;
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
const LOOK_MILLISECONDS = 300;
/** So often in a row: what has not begun yet is not held back. */
const LOOKS = 4;

const isUnknown = ({ status, reason }: Seen) => status === "SENDING" && reason === "OUTCOME_UNKNOWN";
const hasEnded = (message: Seen) => message.status === "DELIVERED" || isUnknown(message);

async function look({ service }: FaultRun, ids: string[]): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const messageId of ids) seen.push(await operate(service.url, "GET", `/messages/${messageId}`));
  return seen;
}

/** Until each message has ended, or has gone wrong for good; of those that end unknown, the breaker may hold some back. */
async function untilEnded(run: FaultRun, ids: string[]): Promise<void> {
  const { fault, carrier } = run;
  const deadline = performance.now() + LONGEST_END_MILLISECONDS;
  const counts = fault.ends === "unknown" ? carrier.askedById : carrier.takenById;
  const isOver = (message: Seen) =>
    fault.ends === "unknown"
      ? hasEnded(message) || !carrier.askedById.has(message.messageId)
      : message.status === "DELIVERED";
  for (let looks = 0; looks < LOOKS && performance.now() < deadline; ) {
    if (ids.some((id) => (counts.get(id) ?? 0) > 1)) return;
    looks = ids.some((id) => counts.has(id)) && (await look(run, ids)).every(isOver) ? looks + 1 : 0;
    await wait(LOOK_MILLISECONDS);
  }
}

/** Until nothing waits any more. */
async function untilRepaired(run: FaultRun, ids: string[]): Promise<Seen[]> {
  const deadline = performance.now() + LONGEST_END_MILLISECONDS;
  for (;;) {
    const seen = await look(run, ids);
    const isReporting = run.carrier.reporting > 0;
    if ((seen.every(hasEnded) && !isReporting) || performance.now() > deadline) return seen;
    await wait(LOOK_MILLISECONDS);
  }
}

interface Outcome {
  /** The messages that the carrier was asked to send while it failed. */
  asked: Set<string>;
  /** The last was sent after the repair. */
  found: Seen[];
  healthy: Latency;
}

function toRow(run: FaultRun, { asked, found, healthy }: Outcome): FaultRow {
  const { fault, carrier } = run;
  const ids = found.map(({ messageId }) => messageId);
  const sum = (counts: Map<string, number>) => ids.reduce((total, id) => total + (counts.get(id) ?? 0), 0);
  const faults = found.flatMap((message) => {
    const texts = carrier.takenById.get(message.messageId) ?? 0;
    const times = carrier.askedById.get(message.messageId) ?? 0;
    const isHit = fault.ends === "unknown" && asked.has(message.messageId);
    const isDelivered = !isHit || (isReported(run, message.phone) && texts > 0);
    const isRight =
      texts <= 1 &&
      (isHit ? times === 1 : texts === 1) &&
      (isDelivered ? message.status === "DELIVERED" : isUnknown(message));
    const what = `${message.status}, ${message.reason}, asked ${times} times, ${texts} texts`;
    return isRight ? [] : [`carrier ${fault.name}: ${message.messageId}: ${what}`];
  });
  if (asked.size === 0) faults.push(`carrier ${fault.name}: it was never asked`);
  if (carrier.strays > 0) faults.push(`carrier ${fault.name}: a redirect was followed`);
  return {
    fault: fault.name,
    messages: ids.length,
    asked: sum(carrier.askedById),
    texts: sum(carrier.takenById),
    twice: ids.filter((id) => (carrier.takenById.get(id) ?? 0) > 1).length,
    delivered: found.filter(({ status }) => status === "DELIVERED").length,
    unknown: found.filter(isUnknown).length,
    healthy,
    faults,
  };
}
