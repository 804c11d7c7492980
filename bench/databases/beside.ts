// What websites feel of a database that is not theirs and is slow or silent: their sends, and how long a text takes from its
// acceptance to its last callback. At the platform's price, whose queues have as many consumers as in production.
import { setTimeout as sleep } from "node:timers/promises";
import { makeAgent } from "../../test/node/harness/call.ts";
import { percentile, type Spread, spreadOf } from "../../test/node/harness/statistics.ts";
import { messagesToSubscribers } from "../bulk.ts";
import { buildEdge } from "../edge/build.ts";
import { openLoop } from "../edge/load.ts";
import { type Edge, type EdgePrice, startEdge } from "../edge/start.ts";
import { carrierVars, makeCarrier, makeWebsite, postTo, requireOnce, type Website } from "../edge/world.ts";
import type { Ailment } from "../workers/edge/settings.ts";
import { DATABASES } from "./eight.ts";

const NUMBERS_A_WEBSITE = 500;
/** Requests a second, of all websites. One is in each database. Times of the model. */
const RATE = 40;
const WELL_MILLISECONDS = 20_000;
/** What is sent so long before feels it, too: its receipts and callbacks are under way. */
const MARGIN_MILLISECONDS = 3_000;
const ROUNDS = 3;
const LOOK_MILLISECONDS = 200;
const PATIENCE_MILLISECONDS = 240_000;
/** As the cron trigger does. */
const SWEEP_MILLISECONDS = 60_000;

/** Longer than it takes to find out, and to leave the database alone for a while, and to ask it again. */
const TRIALS = [
  { database: `DB_${DATABASES}`, ailment: "slow", milliseconds: 20_000 },
  { database: `DB_${DATABASES}`, ailment: "silent", milliseconds: 45_000 },
  { database: "DB", ailment: "silent", milliseconds: 45_000 },
] as const;
type Trial = (typeof TRIALS)[number];

/** Milliseconds of the model: of all rounds, what the median and so on are. */
interface Times {
  p50: Spread;
  p99: Spread;
  longest: Spread;
}

export interface BesideRow {
  database: string;
  ailment: Ailment;
  /** Answers to sends to websites of the other databases, before and meanwhile. */
  sends: Record<"before" | "meanwhile", Times>;
  /** Meanwhile over before, round by round. */
  timesP50: number;
  timesP99: number;
  /** From the request to the last callback. */
  callbacks: Record<"before" | "meanwhile", Times>;
  /** Of the websites in the database: how often each status was answered meanwhile. */
  answers: Record<string, number>;
}

export interface BesideFigures {
  slow: number;
  ratePerSecond: number;
  rows: BesideRow[];
}

interface Sent {
  website: number;
  /** From the start of the load. */
  at: number;
  milliseconds: number;
  status: number;
  messageId: string | undefined;
  /** From the request to the last callback. */
  through?: number;
}

export async function measureBeside(directory: string, price: EdgePrice, most = ROUNDS): Promise<BesideFigures> {
  const build = await buildEdge(directory, DATABASES);
  const carrier = makeCarrier(price.slow);
  await carrier.open();
  // Of a database that does not answer there is a line for each request.
  const edge = await startEdge(
    build,
    price,
    (origin) => carrierVars(carrier, origin),
    () => {},
  );
  const websites: Website[] = [];
  try {
    for (const database of edge.databases.keys()) {
      const numbers = NUMBERS_A_WEBSITE;
      websites.push(await makeWebsite(edge, `beside-${websites.length}`, { numbers, database }));
    }
    const rounds = TRIALS.map((): Sent[][] => []);
    await runTrial(edge, websites, undefined);
    for (let round = 0; round < most; round++) {
      for (const [index, trial] of TRIALS.entries()) {
        process.stderr.write(
          `${(performance.now() / 1000).toFixed(0)} s: ${trial.database} is ${trial.ailment}, round ${round + 1}\n`,
        );
        rounds[index]?.push(await runTrial(edge, websites, trial));
      }
    }
    const names = [...edge.databases.keys()];
    const rows = TRIALS.map((trial, index) => toRow(trial, names.indexOf(trial.database), rounds[index] ?? []));
    return { slow: price.slow, ratePerSecond: RATE, rows };
  } finally {
    await edge.close();
    await carrier.close();
    await Promise.all(websites.map(({ endpoint }) => endpoint?.close()));
  }
}

/** @param trial undefined: all are well @throws Error when a callback of another database is missing or comes twice */
async function runTrial(edge: Edge, websites: Website[], trial: Trial | undefined): Promise<Sent[]> {
  const { slow } = edge.price;
  for (const { endpoint } of websites) {
    endpoint?.received.clear();
    endpoint?.receivedAt.clear();
  }
  const bodies = messagesToSubscribers(NUMBERS_A_WEBSITE / 2, 0).map((message) => JSON.stringify(message));
  const agent = makeAgent(Number.POSITIVE_INFINITY);
  const sent: Sent[] = [];
  const started = performance.now();
  const send = async (index: number) => {
    const website = index % websites.length;
    const asked = performance.now();
    const body = bodies[Math.floor(index / websites.length) % bodies.length] as string;
    const answer = await postTo(edge, agent, websites[website] as Website, "/text/message/send", body);
    const milliseconds = (performance.now() - asked) / slow;
    const messageId = answer.status === 200 ? (JSON.parse(answer.body) as { messageId: string }).messageId : undefined;
    sent.push({ website, at: (asked - started) / slow, milliseconds, status: answer.status, messageId });
    return answer.status;
  };
  // What an isolate has left alone is queued again.
  const sweeps = setInterval(() => void edge.sweep(), SWEEP_MILLISECONDS * slow);
  const falls = trial && sleep(WELL_MILLISECONDS * slow).then(() => edge.ail(trial.database, trial.ailment));
  const lasts = WELL_MILLISECONDS + (trial?.milliseconds ?? 0);
  const loaded = openLoop(send, RATE / slow, lasts * slow);
  const recovers = sleep(lasts * slow).then(() => trial && edge.ail(trial.database, "none"));
  await Promise.all([falls, loaded, recovers]);
  agent.destroy();
  const others = sent.filter(({ website }) => [...edge.databases.keys()][website] !== trial?.database);
  await untilThrough(websites, others, started, slow).finally(() => clearInterval(sweeps));
  while (!(await edge.isIdle())) await sleep(LOOK_MILLISECONDS);
  requireOnce(websites);
  return sent;
}

async function untilThrough(websites: Website[], sent: Sent[], started: number, slow: number): Promise<void> {
  const patience = performance.now() + PATIENCE_MILLISECONDS * slow;
  for (const one of sent) {
    if (one.status !== 200) throw new Error(`a send to a database that is well: ${one.status}`);
    const receivedAt = websites[one.website]?.endpoint?.receivedAt;
    const eventId = `${one.messageId}_DELIVERED`;
    while (!receivedAt?.has(eventId)) {
      if (performance.now() > patience) throw new Error(`the callback ${eventId} has not come`);
      await sleep(LOOK_MILLISECONDS);
    }
    one.through = ((receivedAt.get(eventId) ?? Number.NaN) - started) / slow - one.at;
  }
}

function toRow({ database, ailment }: Trial, sick: number, rounds: Sent[][]): BesideRow {
  const others = rounds.map((sent) => sent.filter(({ website }) => website !== sick));
  const before = others.map((sent) => sent.filter(({ at }) => at < WELL_MILLISECONDS - MARGIN_MILLISECONDS));
  const meanwhile = others.map((sent) => sent.filter(({ at }) => at >= WELL_MILLISECONDS));
  const hit = others.map((sent) => sent.filter(({ at }) => at >= WELL_MILLISECONDS - MARGIN_MILLISECONDS));
  const sending = ({ milliseconds }: Sent) => milliseconds;
  const through = ({ through = Number.NaN }: Sent) => through;
  const times = (share: number) => {
    const of = (some: Sent[][]) => some.map((sent) => percentile(sent.map(sending), share));
    const [earlier, later] = [of(before), of(meanwhile)];
    return percentile(
      later.map((value, round) => value / (earlier[round] ?? Number.NaN)),
      0.5,
    );
  };
  const answers: Record<string, number> = {};
  for (const { website, at, status } of rounds.flat()) {
    if (website === sick && at >= WELL_MILLISECONDS) answers[status] = (answers[status] ?? 0) + 1;
  }
  return {
    ...{ database, ailment, answers },
    sends: { before: timesOf(before, sending), meanwhile: timesOf(meanwhile, sending) },
    timesP50: times(0.5),
    timesP99: times(0.99),
    callbacks: { before: timesOf(before, through), meanwhile: timesOf(hit, through) },
  };
}

function timesOf(rounds: Sent[][], of: (sent: Sent) => number): Times {
  const share = (rank: number) => spreadOf(rounds.map((sent) => percentile(sent.map(of), rank)));
  return { p50: share(0.5), p99: share(0.99), longest: share(1) };
}
