// Sends requests of all kinds to every operation of the production bundle; ends with 1 when one brings it down.
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { buildWorker } from "../../../bench/build.ts";
import { start } from "../../../bench/service.ts";
import { makeScratch } from "../harness/scratch.ts";
import { openStore, type Query } from "../harness/store.ts";
import { Accounts } from "./fuzz/accounts.ts";
import { type Answer, Answers, type OpenApi } from "./fuzz/answers.ts";
import { TEXT as BYSTANDERS_TEXT, Bystander } from "./fuzz/bystander.ts";
import { carrierVars, startWorld } from "./fuzz/carriers.ts";
import { Client, type FuzzRequest } from "./fuzz/client.ts";
import { Dice } from "./fuzz/dice.ts";
import { Log } from "./fuzz/log.ts";
import { printCounts, printRest } from "./fuzz/report.ts";
import { type Document, type Known, OF_THE_CONSOLE, Requests, WEBSITE_OF_TEXTS } from "./fuzz/requests.ts";
import { callOperator, makeWebsites, PHONES } from "./fuzz/websites.ts";

const HELP = `node test/node/trials/fuzz.ts [flags]
  --seed 1            the same seed asks the same
  --requests 98000    how many
  --connections 24    at a time`;

const { values: flags } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    requests: { type: "string", default: "98000" },
    connections: { type: "string", default: "24" },
    help: { type: "boolean", default: false },
  },
});

/** The operator's list of messages, which has those of every website. */
const OF_ALL_WEBSITES = /^\/+operator\/messages\/*(\?|$)/;

const KEPT_IDS = 500;
const DEAD_JOBS = 20;
const TEXTS_TO_DECIDE = 20;
const SESSIONS = 20;
const NAMES = ["service", "store"] as const;

if (flags.help) console.log(HELP);
else process.exitCode = await main();

async function main(): Promise<number> {
  console.log(`seed ${flags.seed}`);
  const directory = await makeScratch(0);
  await buildWorker(directory, "service", "src/index.ts");
  await buildWorker(directory, "store", "test/workers/store.ts");
  const dice = new Dice(Number(flags.seed));
  const world = await startWorld(dice);
  const log = new Log();
  const onLog = (line: string) => log.take(line);
  const service = await start({ directory, names: NAMES, withConsumers: true, vars: carrierVars(world.url), onLog });
  const client = new Client(new URL(service.url.service), Number(flags.connections));
  try {
    const query = openStore(service.url.store);
    return await fuzz({ ...service, query, endpoint: world.url, reached: world.requests, client, dice, log });
  } finally {
    client.close();
    await world.close();
    await service.close();
  }
}

interface Place {
  url: { service: string };
  operatorToken: string;
  sweep(): Promise<void>;
  query: Query;
  /** Where the carriers and the clients are. */
  endpoint: string;
  /** How many requests have come to it. */
  reached(): number;
  client: Client;
  dice: Dice;
  log: Log;
}

async function fuzz(place: Place): Promise<number> {
  const { client, query, operatorToken, endpoint, dice, log } = place;
  const text = await client.send({ method: "GET", path: "/openapi.json", headers: [] });
  const document = JSON.parse(text.body) as OpenApi & Document;
  const answers = new Answers(document);
  const bystander = await Bystander.make(client, query, operatorToken, endpoint);
  const accounts = await Accounts.make(client, query, operatorToken, endpoint);
  const known = await prepare(place, bystander, await accounts.schedule());
  const before = await bystander.rows();
  const started = performance.now();
  const accepted = await sendAll(client, new Requests(dice, document, known), answers, known);
  const seconds = (performance.now() - started) / 1000;
  for (const name of answers.neverGranted()) answers.fail(`${name} was never answered with what it is for`);
  await checkAfter(place, answers, { bystander, accounts, before, accepted });
  for (const line of log.faults) answers.fail(`printed: ${line.slice(0, 300)}`);
  printCounts(answers, seconds);
  printRest({ accepted: accepted.length, reached: place.reached(), reconnects: client.reconnects }, log);
  for (const fault of answers.faults) console.log(`FAULT ${fault}`);
  console.log(answers.faultCount === 0 ? "no fault" : `${answers.faultCount} faults`);
  return answers.faultCount === 0 ? 0 : 1;
}

async function prepare(
  { client, query, operatorToken, endpoint }: Place,
  bystander: Bystander,
  scheduledIds: string[],
): Promise<Known> {
  const made = await makeWebsites(client, operatorToken, endpoint);
  const links = await query(
    "SELECT code FROM links WHERE message_id IN (SELECT value FROM json_each(?1))",
    JSON.stringify(made.messageIds),
  );
  const codes = links.map(({ code }) => String(code));
  const deadJobs = Array.from({ length: DEAD_JOBS }, () => randomUUID());
  await query(
    `INSERT INTO dead_jobs (id, queue, body, died_at, error)
     SELECT value, 'textgate-messages', json_object('kind', 'deliver', 'messageIds', json_array(value)), ?2, 'fuzzed' FROM json_each(?1)`,
    JSON.stringify(deadJobs),
    Date.now(),
  );
  const texts = Array.from({ length: TEXTS_TO_DECIDE }, (_, index) => `fuzzed-text-${index}`);
  await query(
    `INSERT INTO inbound_texts (website_id, carrier, carrier_message_id, sender, recipient, text, received_at, applied, maybe_opt_out)
     SELECT ?2, 'sandbox', value, ?3, '+12065550199', 'please no more', ?4, 1, 1 FROM json_each(?1)`,
    JSON.stringify(texts),
    ...[WEBSITE_OF_TEXTS, PHONES[0] ?? "", Date.now()],
  );
  const { token } = await callOperator(client, operatorToken, "POST", "/tokens", { name: "fuzzed", role: "operator" });
  for (let count = 0; count < SESSIONS; count++)
    await client.send({
      ...{ method: "POST", path: "/console/session", body: JSON.stringify({ token }) },
      headers: [["content-type", "application/json"], ...OF_THE_CONSOLE],
    });
  const { sessions } = await callOperator(client, operatorToken, "GET", "/sessions");
  return {
    ...made,
    token,
    sessionIds: sessions.map(({ sessionId }: { sessionId: string }) => sessionId),
    texts,
    deadJobs,
    operatorToken,
    endpoint,
    scheduledIds,
    foreign: [...bystander.messageIds, BYSTANDERS_TEXT],
    phones: PHONES,
    codes,
  };
}

/** @returns the ids of the messages that were accepted */
async function sendAll(client: Client, requests: Requests, answers: Answers, known: Known): Promise<string[]> {
  const accepted: string[] = [];
  let left = Number(flags.requests);
  const runner = async () => {
    while (left-- > 0) {
      const request = requests.next();
      const answer = await client.send(request).catch((error: Error) => error);
      if (answer instanceof Error) {
        answers.fail(`${request.method} ${request.path.slice(0, 100)}: ${answer.name}: ${answer.message}`);
        continue;
      }
      answers.take(request.method, new URL(`http://127.0.0.1${request.path}`), answer);
      if (!OF_ALL_WEBSITES.test(request.path) && known.foreign.some((word) => answer.body.includes(word)))
        answers.fail(`${request.method} ${request.path.slice(0, 100)} shows what is another website's: ${answer.body}`);
      const ids = acceptedIds(request, answer);
      accepted.push(...ids);
      known.messageIds.push(...ids);
      const sender = known.clients.find(({ clientId }) => request.headers.some(([, value]) => value === clientId));
      if (sender && ids[0] !== undefined) sender.messageId = ids[0];
      known.messageIds.splice(0, known.messageIds.length - KEPT_IDS);
    }
  };
  await Promise.all(Array.from({ length: Number(flags.connections) }, runner));
  return [...new Set(accepted)];
}

function acceptedIds({ method }: FuzzRequest, { status, body }: Answer): string[] {
  if (method !== "POST" || status !== 200) return [];
  if (body.startsWith('{"messageId":')) return [JSON.parse(body).messageId];
  if (!body.startsWith('{"successSent":')) return [];
  return JSON.parse(body).successSent.map(({ messageId }: { messageId: string }) => messageId);
}

interface After {
  bystander: Bystander;
  accounts: Accounts;
  /** The bystander's rows before the first request. */
  before: Map<string, string>;
  accepted: string[];
}

/** What must hold when all is over. */
async function checkAfter(
  { client, query, sweep }: Place,
  answers: Answers,
  { bystander, accounts, before, accepted }: After,
): Promise<void> {
  await sweep();
  for (const [table, rows] of await bystander.rows()) {
    if (rows !== before.get(table))
      answers.fail(`rows in ${table} of the website that no request had the right to have changed`);
  }
  const [row] = await query(
    // The report is all that is kept of an erased person's messages.
    `SELECT (SELECT count(*) FROM json_each(?1) j JOIN messages m ON m.message_id = j.value)
       + (SELECT coalesce(sum(messages), 0) FROM report_counts) AS kept`,
    JSON.stringify(accepted),
  );
  const lost = accepted.length - Number(row?.kept);
  if (lost > 0) answers.fail(`${lost} of ${accepted.length} accepted messages are gone`);
  const { status, body } = await client.send({ method: "GET", path: "/health", headers: [] });
  if (status !== 200) answers.fail(`afterwards /health answers ${status}: ${body}`);
  const seconds = await bystander.sendClean();
  console.log(
    `afterwards, a text of the website that was not fuzzed is delivered and called back in ${seconds.toFixed(1)} s`,
  );
  await accounts.sendClean();
  console.log("and a text of each named account is submitted, and delivered with its receipt");
}
