// Knocks at every door of the production bundle with requests of all kinds; ends with 1 when one brings it down.
import { rm } from "node:fs/promises";
import { parseArgs } from "node:util";
import { Dice } from "./fuzz/dice.ts";
import { type Answer, Answers, type OpenApi } from "./fuzz/answers.ts";
import { CARRIERS, carrierVars, SENDERS, startWorld } from "./fuzz/carriers.ts";
import { Client } from "./fuzz/client.ts";
import { sendRaw, stall } from "./fuzz/raw.ts";
import { type Document, type FuzzedClient, type FuzzRequest, type Known, Requests } from "./fuzz/requests.ts";
import { build, makeFolder, migrate, type Production, ROOT, start } from "./production.ts";

const HELP = `node test/faults/fuzz.ts [flags]
  --seed 1            the same seed asks the same
  --requests 100000   how many over HTTP
  --raw 2000          how many that are no HTTP
  --connections 24    at a time`;

const { values: flags } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    requests: { type: "string", default: "100000" },
    raw: { type: "string", default: "2000" },
    connections: { type: "string", default: "24" },
    help: { type: "boolean", default: false },
  },
});

type World = Awaited<ReturnType<typeof startWorld>>;

const WEBSITES = 60;
const CLICK_URLS = ["https://example.com/?a=b#c", "https://bücher.example/路径?q=é#💬"];
const KEPT_IDS = 500;
const TIMED_ROUNDS = 300;
const PHONES = Array.from({ length: 40 }, (_, index) => `+1212555${String(100 + index).padStart(4, "0")}`);

if (flags.help) console.log(HELP);
else process.exitCode = await main();

async function main(): Promise<number> {
  const directory = await makeFolder();
  const dice = new Dice(Number(flags.seed));
  const world = await startWorld(dice);
  let service: Production | undefined;
  try {
    service = await start(await build(ROOT, directory), { vars: carrierVars(world.url), consumes: true });
    await migrate(service, ROOT);
    return await fuzz(service, dice, world);
  } finally {
    await service?.stop();
    world.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function fuzz(service: Production, dice: Dice, world: World): Promise<number> {
  const client = new Client(service.url, Number(flags.connections));
  const document = JSON.parse((await client.send({ method: "GET", path: "/openapi.json", headers: [] })).body);
  const answers = new Answers(document as OpenApi);
  const known = await prepare(service, client, world.url);
  const before = await bystander(service);
  const stalled = stall(service.url, known);
  const started = performance.now();
  const accepted = await sendAll(client, new Requests(dice, document as Document, known), answers, known);
  const seconds = (performance.now() - started) / 1000;
  const raw = await sendRaw(service.url, dice, known, answers, Number(flags.raw));
  for (const { status, seconds: waited } of await stalled) {
    if (status !== 408 || waited > 15)
      answers.fail(`a body that did not come was answered ${status} after ${waited} s`);
  }
  await checkAfter(service, client, answers, { before, accepted });
  printCounts(answers, seconds);
  console.log(
    `\nbroken HTTP: by the Worker ${show(raw.byWorker)}; by workerd alone ${show(raw.byServer)}; no answer ${raw.unanswered}`,
  );
  console.log(
    `bodies that do not come: ${(await stalled).map((it) => `${it.status} after ${it.seconds.toFixed(1)} s`).join(", ")}`,
  );
  console.log(
    `accepted ${accepted.length} messages; requests to carriers and clients ${world.requests()}; reconnects ${client.reconnects}`,
  );
  await printTiming(client, known);
  client.close();
  for (const fault of answers.faults) console.log(`FAULT ${fault}`);
  console.log(answers.faultCount === 0 ? "no fault" : `${answers.faultCount} faults`);
  return answers.faultCount === 0 ? 0 : 1;
}

/** Websites with clients and subscribers, some at each carrier, and one that no request may touch. */
async function prepare({ operatorToken, rows }: Production, client: Client, endpoint: string): Promise<Known> {
  const known: Known = { operatorToken, clients: [], victims: [], phones: PHONES, messageIds: [], codes: [] };
  const operate = async (method: string, path: string, body: object | string) => {
    const type = typeof body === "string" ? "text/csv" : "application/json";
    const headers: FuzzRequest["headers"] = [
      ["authorization", `Bearer ${operatorToken}`],
      ["content-type", type],
    ];
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await client.send({ method, path: `/operator/websites/${path}`, headers, body: text });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  };
  const names = ["bystander", ...Array.from({ length: WEBSITES }, (_, index) => `fuzzed-${index}`)];
  for (const [index, websiteId] of names.entries()) {
    const carrier = index > 0 && index <= CARRIERS.length ? CARRIERS[index - 1] : undefined;
    await operate("PUT", websiteId, { name: websiteId, ...(carrier ? { carrier, sender: SENDERS[carrier] } : {}) });
    await operate("POST", `${websiteId}/subscribers`, ["phone_numbers", ...PHONES].join("\n"));
    const callbackUrl = index % 3 === 0 ? `${endpoint}/callbacks` : null;
    const issued = await operate("POST", `${websiteId}/clients`, { callbackUrl });
    const victim = await operate("POST", `${websiteId}/clients`, {});
    if (websiteId === "bystander") continue;
    known.clients.push({ websiteId, ...issued });
    known.victims.push(victim.clientId);
  }
  const [first] = known.clients as [FuzzedClient];
  const send = { phone: PHONES[0], text: "x", callbackData: "{}", sendPurpose: "x" };
  for (let count = 0; count < 20; count++) {
    const headers: FuzzRequest["headers"] = [
      ["x-client-id", first.clientId],
      ["x-client-secret", first.clientSecret],
    ];
    headers.push(["content-type", "application/json"]);
    await client.send({
      method: "POST",
      path: "/text/message/send",
      headers,
      body: JSON.stringify({ ...send, clickUrl: CLICK_URLS[count % 2] }),
    });
  }
  for (const { code, message_id } of await rows("SELECT code, message_id FROM links")) {
    known.codes.push(String(code));
    known.messageIds.push(String(message_id));
  }
  return known;
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

/** All that is kept about the website that no request had the right to. */
async function bystander({ rows }: Production): Promise<string> {
  const tables = ["websites", "clients", "subscriptions", "messages", "send_keys", "inbound_texts", "report_rows"];
  const kept = tables.map((table) => rows(`SELECT * FROM ${table} WHERE website_id = 'bystander'`));
  return JSON.stringify(await Promise.all(kept));
}

/** What must hold when all is over. */
async function checkAfter(
  service: Production,
  client: Client,
  answers: Answers,
  { before, accepted }: { before: string; accepted: string[] },
): Promise<void> {
  if ((await bystander(service)) !== before) answers.fail("the website that no request had the right to has changed");
  const [row] = await service.rows(
    `SELECT (SELECT count(*) FROM json_each(?1) j JOIN messages m ON m.message_id = j.value)
       + (SELECT coalesce(sum(messages), 0) FROM report_rows) AS kept`,
    JSON.stringify(accepted),
  );
  const kept = Number(row?.kept);
  if (kept < accepted.length)
    answers.fail(`${accepted.length - kept} of ${accepted.length} accepted messages are gone`);
  const alive = await client.send({ method: "GET", path: "/openapi.json", headers: [] });
  if (alive.status !== 200) answers.fail(`afterwards, the service answers ${alive.status}`);
  for (const line of service.output) {
    if (/"event":"(request\.failed|configuration\.wrong|job\.malformed)"|Fatal|out of memory/i.test(line)) {
      answers.fail(`printed: ${line.slice(0, 300)}`);
    }
  }
}

function printCounts({ counts }: Answers, seconds: number): void {
  const all = new Map<number, number>();
  for (const [name, statuses] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`${name.padEnd(64)} ${show(statuses)}`);
    for (const [status, count] of statuses) all.set(status, (all.get(status) ?? 0) + count);
  }
  const total = [...all.values()].reduce((sum, count) => sum + count, 0);
  console.log(`\n${total} requests in ${seconds.toFixed(0)} s, ${(total / seconds).toFixed(0)} a second: ${show(all)}`);
}

function show(statuses: Map<number, number>): string {
  const sorted = [...statuses].sort(([a], [b]) => a - b);
  return sorted.map(([status, count]) => `${status}: ${count}`).join(", ") || "none";
}

/** How long the refusals of a secret take, one after the other in turns; that they cost the same work is tested elsewhere. */
async function printTiming(client: Client, { clients }: Known): Promise<void> {
  const [one] = clients as [FuzzedClient];
  const wrong = "0".repeat(64);
  const cases: Record<string, [id: string, secret: string]> = {
    "right secret, bad body": [one.clientId, one.clientSecret],
    "wrong secret": [one.clientId, wrong],
    "unknown client": ["0".repeat(32), wrong],
  };
  const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round < TIMED_ROUNDS; round++) {
    for (const [name, [id, secret]] of Object.entries(cases)) {
      const headers: FuzzRequest["headers"] = [
        ["x-client-id", id],
        ["x-client-secret", secret],
      ];
      const started = performance.now();
      await client.send({ method: "POST", path: "/text/message/send", headers, body: "" });
      times.get(name)?.push(performance.now() - started);
    }
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  const line = [...times].map(([name, values]) => `${name} ${median(values).toFixed(2)} ms`).join(", ");
  console.log(`medians of ${TIMED_ROUNDS}: ${line}`);
}
