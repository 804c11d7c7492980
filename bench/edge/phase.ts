// One load and all that it sets off, until its last callback: rates, and what a message takes.
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../test/node/harness/statistics.ts";
import type { EdgeCounts, Made } from "../workers/edge/counts.ts";
import type { Usage } from "./bill.ts";
import { readCpu } from "./cpu.ts";
import type { Edge } from "./start.ts";
import { Timeline } from "./timeline.ts";

/** What a load has come to. Times are real milliseconds. */
export interface Load {
  /** Accepted. */
  messages: number;
  /** Answers other than 200, by status. */
  refused: Record<string, number>;
  /** How long each answer 200 took. */
  milliseconds: number[];
  elapsed: number;
}

/** What a load sets off in the end: `each` of a message. */
export interface Goal {
  each: number;
  /** The messages between which the load is at its height; from the first tenth to the last, if not given. */
  height?: { from: number; until: number };
  /** How much of it has come. */
  count(): number;
}

export interface Phase {
  messages: number;
  refused: Record<string, number>;
  /** In the time of the model, as all that follows; undefined of one message at a time. */
  acceptedPerSecond: number | undefined;
  /** To the last callback, while the load is at its height; undefined of one message at a time, and where nothing is delivered. */
  throughPerSecond: number | undefined;
  /** From the first request to the last callback. */
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  d1Calls: number;
  writingCalls: number;
  sendBatches: number;
  usage: Usage;
  /** By what made it happen; of all messages. */
  made: Record<string, Made>;
  databases: Record<string, DatabaseLoad>;
  queues: Record<string, QueueLoad>;
  machine: MachineLoad;
}

interface DatabaseLoad {
  /** The share of the time in which its thread was busy, in all and by tenths of a second, from 0 to 1. */
  busy: { mean: number; p10: number; p50: number; p90: number };
  /** For its turn, milliseconds. */
  wait: { p50: number; p99: number };
}

interface QueueLoad {
  /** Consumers at work, on average. */
  consumers: number;
  messagesABatch: number;
  mostWaiting: number;
}

/** What the machine adds to the price. */
export interface MachineLoad {
  /** The share of a core that workerd used, its stores included, from 0 to 1; undefined if the system does not say. */
  workerd: number | undefined;
  /** The share of a core that this process used. */
  bench: number;
  /** How much later than asked a wait of the model ends, milliseconds of the model. */
  late: number;
}

/** @param goal undefined: nothing is delivered */
export async function runPhase(edge: Edge, load: () => Promise<Load>, goal: Goal | undefined): Promise<Phase> {
  await settle(edge);
  await edge.takeCounts();
  const before = { bytes: await edge.readBytes(), lines: edge.logLines() };
  const meter = await startMeter(edge);
  const timeline = new Timeline(() => goal?.count() ?? 0);
  const loaded = await load();
  const expected = goal ? loaded.messages * goal.each : 0;
  const end = goal ? await timeline.until(expected) : meter.started + loaded.elapsed;
  const { from, until, workerdMilliseconds, machine } = await meter.stop(end);
  timeline.stop();
  await settle(edge);
  const counts = await edge.takeCounts();
  requireOneIsolate(counts, goal !== undefined);
  const { messages, refused, milliseconds, elapsed } = loaded;
  const { slow } = edge.price;
  const { from: first, until: last } = goal?.height ?? { from: messages * 0.1, until: messages * 0.9 };
  const totals = sumOf(Object.values(counts.made));
  const { waits, lateMilliseconds } = counts.timers;
  return {
    messages,
    refused,
    acceptedPerSecond: (messages * 1000 * slow) / elapsed,
    throughPerSecond: goal && (timeline.rate(first * goal.each, last * goal.each) * slow) / goal.each,
    seconds: (end - meter.started) / 1000 / slow,
    p50: percentile(milliseconds, 0.5) / slow,
    p99: percentile(milliseconds, 0.99) / slow,
    d1Calls: totals.d1Calls / messages,
    writingCalls: totals.writingCalls / messages,
    sendBatches: totals.queueCalls / messages,
    usage: {
      ...usageOf(counts, messages),
      cpuMilliseconds: (workerdMilliseconds ?? 0) / messages,
      bytesStored: ((await edge.readBytes()) - before.bytes) / messages,
      logLines: (edge.logLines() - before.lines) / messages,
    },
    made: counts.made,
    databases: databaseLoads(counts, from, until),
    queues: queueLoads(counts, until - from),
    machine: { ...machine, late: lateMilliseconds / waits },
  };
}

const SETTLE_MILLISECONDS = 300;

/** Until what follows the last callback is done too, such as the count of outcomes. */
async function settle(edge: Edge): Promise<void> {
  do await sleep(SETTLE_MILLISECONDS * edge.price.slow);
  while (!(await edge.isIdle()));
}

async function startMeter(edge: Edge) {
  const workerdBefore = await readCpu(edge.pid);
  const benchBefore = process.cpuUsage();
  const from = edge.now();
  const started = performance.now();
  return {
    started,
    async stop(end: number) {
      const workerdAfter = await readCpu(edge.pid);
      const { user, system } = process.cpuUsage(benchBefore);
      const elapsed = performance.now() - started;
      const workerdMilliseconds =
        workerdBefore === undefined || workerdAfter === undefined ? undefined : workerdAfter - workerdBefore;
      const workerd = workerdMilliseconds && workerdMilliseconds / elapsed;
      const until = from + (end - started) / edge.price.slow;
      return { from, until, workerdMilliseconds, machine: { workerd, bench: (user + system) / 1000 / elapsed } };
    },
  };
}

/** All handlers and objects must share the threads and the counts of one isolate: each sees what another has sent to it. */
function requireOneIsolate({ made, queues }: EdgeCounts, isDelivered: boolean): void {
  const objects = Object.entries(made).filter(([kind]) => isObject(kind));
  const reached = sumOf(objects.map(([, it]) => it)).invocations;
  const { objectCalls } = sumOf(Object.values(made));
  if (reached !== objectCalls) throw new Error(`${objectCalls} calls to objects, and ${reached} that reached one`);
  for (const [name, { batches }] of Object.entries(queues)) {
    const consumed = made[name]?.invocations ?? 0;
    if (consumed !== batches) throw new Error(`${batches} batches of ${name}, and ${consumed} that were consumed`);
  }
  if (isDelivered && sumOf(Object.keys(queues).flatMap((name) => made[name] ?? [])).d1Calls === 0) {
    throw new Error("no consumer has called a database");
  }
}

function isObject(kind: string): boolean {
  return kind.startsWith("object ");
}

export function sumOf(made: Made[]): Made {
  const sum = (name: keyof Made) => made.reduce((total, it) => total + it[name], 0);
  return {
    invocations: sum("invocations"),
    d1Calls: sum("d1Calls"),
    writingCalls: sum("writingCalls"),
    rowsRead: sum("rowsRead"),
    rowsWritten: sum("rowsWritten"),
    busyMilliseconds: sum("busyMilliseconds"),
    objectCalls: sum("objectCalls"),
    kvReads: sum("kvReads"),
    kvWrites: sum("kvWrites"),
    queueCalls: sum("queueCalls"),
    fetches: sum("fetches"),
  };
}

function usageOf({ made, queues, objectMilliseconds }: EdgeCounts, messages: number) {
  const totals = sumOf(Object.values(made));
  const ofWorker = Object.entries(made).filter(([kind]) => !isObject(kind));
  const operations = Object.values(queues).reduce((sum, it) => sum + it.writes + it.reads + it.deletes, 0);
  return {
    invocations: sumOf(ofWorker.map(([, it]) => it)).invocations / messages,
    kvReads: totals.kvReads / messages,
    kvWrites: totals.kvWrites / messages,
    objectCalls: totals.objectCalls / messages,
    objectMilliseconds: objectMilliseconds / messages,
    rowsRead: totals.rowsRead / messages,
    rowsWritten: totals.rowsWritten / messages,
    queueOperations: operations / messages,
  };
}

const WINDOW_MILLISECONDS = 100;

/** @param from when the load began, and @param until when its last callback came, on the clock of the model */
function databaseLoads(counts: EdgeCounts, from: number, until: number): Phase["databases"] {
  const first = Math.ceil(from / WINDOW_MILLISECONDS) - Math.ceil(counts.from / WINDOW_MILLISECONDS);
  const windows = Math.max(1, Math.floor((until - from) / WINDOW_MILLISECONDS));
  const load = ({ busyShares, waits }: EdgeCounts["databases"][string]): DatabaseLoad => {
    const shares = busyShares.slice(Math.max(0, first), first + windows);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    const share = (rank: number) => percentile(shares, rank);
    return {
      busy: { mean, p10: share(0.1), p50: share(0.5), p90: share(0.9) },
      wait: { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) },
    };
  };
  return Object.fromEntries(Object.entries(counts.databases).map(([name, database]) => [name, load(database)]));
}

function queueLoads({ queues }: EdgeCounts, milliseconds: number): Phase["queues"] {
  const used = Object.entries(queues).filter(([, { batches }]) => batches > 0);
  return Object.fromEntries(
    used.map(([name, { batches, reads, consumerMilliseconds, mostWaiting }]) => [
      name,
      { consumers: consumerMilliseconds / milliseconds, messagesABatch: reads / batches, mostWaiting },
    ]),
  );
}
