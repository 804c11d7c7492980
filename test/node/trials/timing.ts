// Whether the time of a refusal tells a client that exists from one that does not. `npm run faults -- --only timing`.
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { call, makeAgent } from "../harness/call.ts";
import { buildBundle, Service } from "../harness/killable-service.ts";
import { operate } from "../harness/service.ts";
import { percentile } from "../harness/statistics.ts";
import { printRows } from "../harness/table.ts";
import { printFaults } from "./crash/report.ts";
import { rankTest } from "./timing-rank.ts";

const HELP = `node test/node/trials/timing.ts [flags]
  --requests 600   of each kind
Exits with 1 when a wrong secret differs from an unknown client, and not by chance: by more than 5 % of the median, or so
that of two such requests the slower one is the same kind more than six times of ten.`;

const { values: flags } = parseArgs({
  options: { requests: { type: "string", default: "600" }, help: { type: "boolean", default: false } },
});

interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** Of the median. */
const LARGEST_SHARE = 0.05;
/** From a half, of how often one kind is the slower of two. Less than this takes hundreds of requests to see. */
const LARGEST_LEAD = 0.1;
const SIGNIFICANT = 0.001;
/** An isolate remembers a client that it has let in for 30 seconds. */
const SEEN_EVERY_MILLISECONDS = 5000;
const WARM_UP = 50;

const randomHex = (bytes: number) => randomBytes(bytes).toString("hex");

/** The right secret but for its end: most often another one each time, as one that was refused is not looked up again. */
function almost(secret: string): string {
  const other = secret.slice(0, -2) + randomHex(1);
  return other === secret ? almost(secret) : other;
}

const CONNECTIONS = 2;
const agent = makeAgent(CONNECTIONS);

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
if (flags.help) console.log(HELP);
else process.exitCode = await run(Number(flags.requests));

async function run(requests: number): Promise<number> {
  const bundle = await buildBundle();
  const service = await Service.start({ bundle, sendSmsUrl: "http://127.0.0.1:9/cgi-bin/sendsms", keep: false });
  try {
    await operate(service.url, "PUT", "/websites/timing", { name: "Timing", carrier: "sandbox" });
    const clients: Credentials[] = [];
    for (let made = 0; made < 2; made++)
      clients.push(await operate(service.url, "POST", "/websites/timing/clients", {}));
    const [seen, unseen] = clients as [Credentials, Credentials];
    // The isolate knows the one that is let in now and then, and asks KV about the other each time.
    const kinds: Record<string, () => Credentials> = {
      "unknown client": () => ({ clientId: randomHex(16), clientSecret: randomHex(32) }),
      "wrong secret": () => ({ clientId: unseen.clientId, clientSecret: randomHex(32) }),
      "right but for its end": () => ({ clientId: unseen.clientId, clientSecret: almost(unseen.clientSecret) }),
      "wrong secret, client at work": () => ({ clientId: seen.clientId, clientSecret: randomHex(32) }),
      "right but for its end, at work": () => ({ clientId: seen.clientId, clientSecret: almost(seen.clientSecret) }),
    };
    return report(await measure(service.url, requests, kinds, seen));
  } finally {
    await service.remove();
    agent.destroy();
  }
}

/** All kinds in turn on each connection, in another order each time. @returns milliseconds, by kind */
async function measure(
  url: string,
  requests: number,
  kinds: Record<string, () => Credentials>,
  seen: Credentials,
): Promise<Map<string, number[]>> {
  const times = new Map(Object.keys(kinds).map((kind) => [kind, [] as number[]]));
  let left = requests + WARM_UP;
  let seenAt = Number.NEGATIVE_INFINITY;
  const lanes = Array.from({ length: CONNECTIONS }, async () => {
    while (left > 0) {
      const isWarm = left-- <= requests;
      if (performance.now() - seenAt > SEEN_EVERY_MILLISECONDS) {
        seenAt = performance.now();
        await ask(url, seen, 404);
      }
      for (const [kind, make] of shuffled(Object.entries(kinds))) {
        const milliseconds = await ask(url, make(), 401);
        if (isWarm) times.get(kind)?.push(milliseconds);
      }
    }
  });
  await Promise.all(lanes);
  return times;
}

async function ask(url: string, { clientId, clientSecret }: Credentials, expected: number): Promise<number> {
  // An address that guesses too often gets other answers.
  const address = `2001:db8:${randomHex(2)}:${randomHex(2)}::1`;
  const headers = { "x-client-id": clientId, "x-client-secret": clientSecret, "cf-connecting-ip": address };
  const started = performance.now();
  // Without a body: workerd ends a connection on which it has not read one, and a new connection takes its own time.
  const { status } = await call(agent, `${url}/text/message/status?messageId=unknown`, { headers });
  const milliseconds = performance.now() - started;
  if (status !== expected) throw new Error(`answered ${status}, expected ${expected}`);
  return milliseconds;
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

function report(times: Map<string, number[]>): number {
  const [[, unknown] = ["", []], ...others] = [...times];
  const base = percentile(unknown, 0.5);
  const faults: string[] = [];
  const rows = others.map(([kind, values]) => {
    const median = percentile(values, 0.5);
    const { superiority, p } = rankTest(values, unknown);
    const share = median / base - 1;
    const isApart = Math.abs(share) > LARGEST_SHARE || Math.abs(superiority - 0.5) > LARGEST_LEAD;
    if (isApart && p < SIGNIFICANT)
      faults.push(
        `${kind}: slower than an unknown client in ${superiority.toFixed(2)} of pairs, p ${p.toExponential(1)}`,
      );
    return [kind, median.toFixed(3), `${(share * 100).toFixed(1)} %`, superiority.toFixed(3), p.toPrecision(2)];
  });
  printRows(
    [
      [`401, ${unknown.length} of each`, "median ms", "difference", "slower, of pairs", "p"],
      ["unknown client", base.toFixed(3), "", "", ""],
      ...rows,
    ],
    1,
  );
  printFaults(faults);
  return faults.length > 0 ? 1 : 0;
}
