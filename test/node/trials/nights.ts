// Plays the nights of an operator against the whole service, and measures: how long until a problem shows, and until it is over;
// which commands were used; what became of the texts. `npm run faults -- --only nights`, or this file with --help.
import { parseArgs } from "node:util";
import { type Bundle, buildBundle } from "../harness/killable-service.ts";
import { printRows } from "../harness/table.ts";
import { printFaults } from "./crash/report.ts";
import { CAMPAIGN_NIGHTS } from "./nights/campaign.ts";
import { DATABASE_NIGHTS } from "./nights/database.ts";
import { ENDPOINT_NIGHTS } from "./nights/endpoints.ts";
import { GATEWAY_NIGHTS } from "./nights/gateway.ts";
import { KILLED_NIGHTS } from "./nights/killed.ts";
import type { Night, Played } from "./nights/night.ts";
import { ORDINARY_NIGHTS } from "./nights/ordinary-hour.ts";
import { Place } from "./nights/place.ts";
import { QUESTION_NIGHTS } from "./nights/questions.ts";
import { SWEEP_NIGHTS } from "./nights/sweep-late.ts";
import { TOKEN_NIGHTS } from "./nights/token.ts";

const HELP = `node test/node/trials/nights.ts [flags]
  --nights <words>   only nights whose names have one of these words, such as gateway,endpoint
  --at-a-time 4      how many are played at a time: most of it is waiting
  --keep             leaves the state and the log of each service in the temporary directory, and says where
Exits with 1 when a problem was seen or over too late, or when a text was lost or sent twice.`;

const NIGHTS: Night[] = [
  ...GATEWAY_NIGHTS,
  ...ENDPOINT_NIGHTS,
  ...DATABASE_NIGHTS,
  ...SWEEP_NIGHTS,
  ...CAMPAIGN_NIGHTS,
  ...TOKEN_NIGHTS,
  ...QUESTION_NIGHTS,
  ...KILLED_NIGHTS,
  ...ORDINARY_NIGHTS,
];

const { values: flags } = parseArgs({
  options: {
    nights: { type: "string", default: "" },
    "at-a-time": { type: "string", default: "4" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
if (flags.help) console.log(HELP);
// What a night has left under way when it broke off must not keep the others waiting.
else process.exit(await run());

interface Row extends Played {
  commands: string[];
}

async function run(): Promise<number> {
  const words = flags.nights.split(",");
  const chosen = NIGHTS.filter(({ name }) => words.some((word) => name.includes(word)));
  if (chosen.length === 0) throw new Error(`--nights: none of ${NIGHTS.map(({ name }) => name).join("; ")}`);
  const bundle = await buildBundle(undefined, "test/workers/night.ts");
  const rows = new Map<Night, Row>();
  const left = chosen.values();
  await Promise.all(
    Array.from({ length: Number(flags["at-a-time"]) }, async () => {
      for (const night of left) rows.set(night, await play(night, bundle));
    }),
  );
  bundle.remove();
  print(chosen.map((night) => [night.name, rows.get(night) as Row]));
  const faults = chosen.flatMap((night) => (rows.get(night)?.faults ?? []).map((fault) => `${night.name}: ${fault}`));
  printFaults(faults);
  return faults.length > 0 ? 1 : 0;
}

async function play(night: Night, bundle: Bundle): Promise<Row> {
  const place = await Place.open({ bundle, keep: flags.keep, ...night.options });
  try {
    const played = await night.play(place);
    console.log(`${new Date().toISOString()} ${night.name}: ${played.faults.length > 0 ? played.faults : "ok"}`);
    return { ...played, commands: place.commands };
  } catch (error) {
    return { outcome: "broke off", faults: [String(error)], commands: place.commands };
  } finally {
    await place.close();
  }
}

function print(rows: [name: string, row: Row][]): void {
  const seconds = (time: number | null | undefined) =>
    time === undefined ? "" : time === null ? "never" : `${(time / 1000).toFixed(1)} s`;
  printRows(
    [
      ["night", "noticed", "health", "alert", "over", "commands", "outcome"],
      ...rows.map(([name, { noticed, exitCode, alerted, cleared, commands, outcome }]) => [
        ...[name, seconds(noticed), exitCode ?? "", seconds(alerted), seconds(cleared)],
        ...[commands.join("; ").replaceAll(/[0-9a-f]{32}/g, "<clientId>"), outcome],
      ]),
    ],
    7,
  );
}
