// The figures of the platform's price as tables.
import { printTable, short, whole } from "../../test/node/harness/table.ts";
import { billOf, PRICES_AS_OF } from "./bill.ts";
import { type FullSenderFigures, HELD_TO, type NineRound } from "./full-sender.ts";
import { type EdgeFigures, isCrowded, OPEN_RATE, untilPurged } from "./measure.ts";
import type { Phase } from "./phase.ts";

type Loads = [name: string, phase: Phase][];

export function printEdge(figures: EdgeFigures): void {
  const { writingCall, readingCall, network, consumers, slow } = figures.price;
  console.log(`
At the platform's price. A database has one thread: a call keeps it busy for ${writingCall} ms if it changes rows and for ${readingCall} ms if not,
besides its statements. ${network} ms of network each way to a database, an object or a queue; six connections an invocation.
A queue has as many consumers as wrangler.toml says, ${consumers} at most. The carrier speaks Kannel's protocol, answers in 100 ms and
gives two receipts; endpoints answer in 50 ms. The model ran ${slow} times slower than all of these times, so that the CPU of this machine does not hold it up.`);
  const { alone, campaign, sends, open, uncalled, held, beside } = figures;
  const delivered: Loads = [
    ["one at a time", alone],
    ["ten websites", sends],
    [`at ${OPEN_RATE}/s`, open],
    ["campaign", campaign],
    ["not called back", uncalled],
  ];
  const all: Loads = [...delivered, ["deliveries held", held]];
  printTable("Loads; a message's share of what it takes", columns(all, ROWS), 1);
  console.log(
    `As many sends of ten websites as are accepted, whatever becomes of deliveries: ${short(beside.acceptedPerSecond)}/s; answers in ${short(beside.p50)} ms, p99 ${short(beside.p99)} ms. ${countsOf(beside.refused)}`,
  );
  for (const { connections, service, floor, timesFloor } of figures.floor)
    console.log(
      `Sends of many websites over ${connections} connections: ${short(service.median)}/s, the floor ${short(floor.median)}/s: ${timesFloor.toFixed(2)} ×`,
    );
  for (const [name, phase] of all) printMade(name, phase);
  const title = `Dollars for a million messages with their purge, at list prices of ${PRICES_AS_OF}`;
  printTable(title, columns(delivered, billRows(figures)), 1);
  for (const [what, { rowsRead, rowsWritten }] of Object.entries(figures.purge))
    console.log(`The purge of a message, ${what}, reads ${short(rowsRead)} rows and writes ${short(rowsWritten)}.`);
  for (const [name, { machine }] of all) {
    const slower = `see whether --slow ${slow * 2} gives other figures`;
    if (isCrowded(machine)) console.log(`${name}: this machine's CPU was busy with it; ${slower}.`);
    else if (machine.late > MOST_LATE)
      console.log(`${name}: timers came ${machine.late.toFixed(1)} ms late; ${slower}.`);
  }
}

export function printFullSender({ slow, works, full, ratio, later }: FullSenderFigures): void {
  const row = (name: string) => (round: NineRound) => [
    name,
    ...[round.throughPerSecond, round.p50, round.p99, round.latest].map(short),
    whole(round.refused),
  ];
  printTable(
    `Ten websites at one carrier, ${slow} times slower. Texts of nine; milliseconds from a send until the carrier has the text`,
    [
      ["", "through/s", "p50", "p99", "latest", "refused submissions of the tenth"],
      ...works.map(row("all senders work")),
      ...full.map(row("the queue of the tenth is full")),
    ],
    1,
  );
  console.log(
    `Through beside the full queue: ${ratio.toFixed(3)} × (at least ${HELD_TO.leastRatio}). The latest text: ${short(later)} ms after the p99 without it (at most ${whole(HELD_TO.mostLater)}).`,
  );
}

/** Milliseconds of the model, on average. If timers come later than that, other programs hold the load up. */
const MOST_LATE = 2;

interface Row {
  what: string;
  of(phase: Phase): string;
}

const ROWS: Row[] = [
  { what: "messages", of: ({ messages }) => whole(messages) },
  { what: "refused", of: ({ refused }) => countsOf(refused) },
  { what: "accepted/s", of: ({ acceptedPerSecond }) => rate(acceptedPerSecond) },
  {
    what: "through to the last callback/s",
    of: ({ throughPerSecond }) => rate(throughPerSecond),
  },
  { what: "seconds until all are through", of: ({ seconds }) => short(seconds) },
  { what: "answer p50, ms", of: ({ p50 }) => short(p50) },
  { what: "answer p99, ms", of: ({ p99 }) => short(p99) },
  { what: "D1 calls", of: ({ d1Calls }) => d1Calls.toFixed(2) },
  { what: "D1 calls that write", of: ({ writingCalls }) => writingCalls.toFixed(2) },
  { what: "rows read", of: ({ usage }) => usage.rowsRead.toFixed(1) },
  { what: "rows written", of: ({ usage }) => usage.rowsWritten.toFixed(1) },
  { what: "bytes stored", of: ({ usage }) => whole(Math.round(usage.bytesStored)) },
  { what: "queue operations", of: ({ usage }) => usage.queueOperations.toFixed(2) },
  { what: "calls of sendBatch", of: ({ sendBatches }) => sendBatches.toFixed(2) },
  { what: "calls to objects", of: ({ usage }) => usage.objectCalls.toFixed(2) },
  { what: "KV reads", of: ({ usage }) => usage.kvReads.toFixed(3) },
  { what: "requests and batches", of: ({ usage }) => usage.invocations.toFixed(2) },
  { what: "lines of the log", of: ({ usage }) => usage.logLines.toFixed(2) },
  { what: "database busy", of: ({ databases }) => each(databases, ({ busy }) => percent(busy.mean)) },
  {
    what: "its p10, p50, p90 of 100 ms",
    of: ({ databases }) => each(databases, ({ busy }) => [busy.p10, busy.p50, busy.p90].map(percent).join(", ")),
  },
  {
    what: "wait for it, p50, p99, ms",
    of: ({ databases }) => each(databases, ({ wait }) => `${short(wait.p50)}, ${short(wait.p99)}`),
  },
  { what: "consumers at work", of: ({ queues }) => each(queues, ({ consumers }) => consumers.toFixed(1)) },
  {
    what: "queue messages a batch",
    of: ({ queues }) => each(queues, ({ messagesABatch }) => messagesABatch.toFixed(1)),
  },
  { what: "most in the queue", of: ({ queues }) => each(queues, ({ mostWaiting }) => whole(mostWaiting)) },
  {
    what: "CPU of workerd, of the bench",
    of: ({ machine }) =>
      `${machine.workerd === undefined ? "not told" : percent(machine.workerd)}, ${percent(machine.bench)}`,
  },
  { what: "timers late, ms", of: ({ machine }) => machine.late.toFixed(2) },
];

function columns(loads: Loads, rows: Row[]): string[][] {
  return [
    ["", ...loads.map(([name]) => name)],
    ...rows.map(({ what, of }) => [what, ...loads.map(([, it]) => of(it))]),
  ];
}

function billRows(figures: EdgeFigures): Row[] {
  const bill = (phase: Phase) => billOf(untilPurged(figures, phase));
  const lines = bill(figures.alone).lines.map(({ what }, index) => ({
    what,
    of: (phase: Phase) => (bill(phase).lines[index]?.dollars ?? Number.NaN).toFixed(2),
  }));
  return [...lines, { what: "in all", of: (phase) => bill(phase).dollars.toFixed(2) }];
}

/** What keeps the databases busy, by what made it happen. */
function printMade(name: string, { messages, made }: Phase): void {
  const rows = Object.entries(made).filter(([, { d1Calls }]) => d1Calls > 0);
  const total = rows.reduce((sum, [, { busyMilliseconds }]) => sum + busyMilliseconds, 0);
  rows.sort(([, one], [, other]) => other.busyMilliseconds - one.busyMilliseconds);
  const table = rows.map(([kind, it]) => {
    const values = [it.invocations, it.d1Calls, it.writingCalls, it.rowsRead, it.rowsWritten, it.busyMilliseconds];
    return [kind, ...values.map((value) => (value / messages).toFixed(2)), percent(it.busyMilliseconds / total)];
  });
  const head = ["", "invocations", "D1 calls", "that write", "rows read", "rows written", "ms", "share"];
  printTable(`${name}: what keeps the database busy, for a message`, [head, ...table], 1);
}

function countsOf(refused: Record<string, number>): string {
  return Object.entries(refused)
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ");
}

/** One figure for each database or queue. */
function each<T>(named: Record<string, T>, show: (it: T) => string): string {
  return Object.values(named).map(show).join(" | ");
}

function rate(perSecond: number | undefined): string {
  return perSecond === undefined ? "" : short(perSecond);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
