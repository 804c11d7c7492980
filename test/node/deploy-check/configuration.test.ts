import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkConfiguration, hostsOf } from "../../../scripts/deploy-check/configuration.ts";
import { readDeployments } from "../../../scripts/deploy-check/deployments.ts";
import { UsageError } from "../../../scripts/deploy-check/finding.ts";
import { checkSettings } from "../../../scripts/deploy-check/settings.ts";
import { OPERATORS_LINES, uncomment, wranglerToml } from "../harness/wrangler-toml.ts";

const folder = mkdtempSync(join(tmpdir(), "textgate-check-"));
const path = join(folder, "wrangler.toml");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As an operator fills it in. */
const FILLED_IN = uncomment(wranglerToml(), OPERATORS_LINES)
  .replaceAll("sms.example.com", "sms.textgate.test")
  .replace("00000000-", "1a2b3c4d-");

function read(toml: string, env = "") {
  writeFileSync(path, toml);
  return readDeployments(path, env);
}

/** What is found in wrangler.toml. */
const findIn = (toml: string, env = "") => checkConfiguration(read(toml, env)).map(({ what }) => what);

/** @throws Error when nothing changes */
function edit(toml: string, from: string | RegExp, to: string): string {
  const edited = toml.replace(from, to);
  if (edited === toml) throw new Error(`wrangler.toml has no ${from}`);
  return edited;
}

describe("wrangler.toml", () => {
  test("has nothing to fix once its operator's lines are filled in", async () => {
    const { own } = read(FILLED_IN);
    expect(findIn(FILLED_IN)).toEqual([]);
    expect(await checkSettings(own.vars, undefined, hostsOf(own))).toEqual([]);
  });

  test("lacks all of them as it comes", async () => {
    const { own } = read(wranglerToml());
    expect(findIn(wranglerToml())).toEqual([
      "The database has no database_id.",
      "The service is on workers.dev only.",
      "There is no [placement].",
      "LIMITER_LOCATION is not set.",
    ]);
    const [finding] = await checkSettings(own.vars, undefined, []);
    expect(finding).toMatchObject({ what: "PUBLIC_ORIGIN is not set." });
  });

  const PRODUCTIONS_CONSUMER = '[[queues.consumers]]\nqueue = "textgate-messages"\n';
  test.each<[string, string | RegExp, string, string]>([
    ["a placeholder for the id", "1a2b3c4d-", "00000000-", "The database_id is still the placeholder."],
    ["placement off", 'region = "aws:us-east-1"', 'mode = "off"', "There is no [placement]."],
    ["no limiter location", /LIMITER_LOCATION = .*\n/, "", "LIMITER_LOCATION is not set."],
    [
      "a limiter far from the placement",
      "aws:us-east-1",
      "aws:eu-west-2",
      "[placement] is aws:eu-west-2, and LIMITER_LOCATION is enam.",
    ],
    ["no limits", "[limits]", "[others]", "[limits] lacks cpu_ms and subrequests."],
    ["half of the limits", /^subrequests = .*\n/m, "", "[limits] lacks subrequests."],
    [
      "no consumer",
      PRODUCTIONS_CONSUMER,
      '[[queues.consumers]]\nqueue = "others"\n',
      "The queue textgate-messages has no consumer.",
    ],
    [
      "no dead-letter queue",
      'dead_letter_queue = "textgate-messages-dead"\n',
      "",
      "The queue textgate-messages has no dead_letter_queue.",
    ],
    [
      "a dead-letter queue that nobody reads",
      'dead_letter_queue = "textgate-messages-dead"\n',
      'dead_letter_queue = "textgate-dead"\n',
      "The dead-letter queue textgate-dead has no consumer.",
    ],
  ])("shows %s", (_, from, to, what) => {
    expect(findIn(edit(FILLED_IN, from, to))).toEqual([what]);
  });

  test("has nothing to say of a region that it does not know, and of any pair of the table in docs/deploying.md", () => {
    expect(findIn(edit(FILLED_IN, "aws:us-east-1", "gcp:europe-west4"))).toEqual([]);
    const page = readFileSync("docs/deploying.md", "utf8");
    const pairs = [...page.matchAll(/^\| `(\w+)` \| .* \| `(aws:[\w-]+)` \|$/gm)];
    expect(pairs).toHaveLength(6);
    for (const [, location = "", region = ""] of pairs) {
      const line = `LIMITER_LOCATION = "${location}"`;
      const placed = FILLED_IN.replace("aws:us-east-1", region).replace(/LIMITER_LOCATION = .*/, line);
      expect([location, findIn(placed)]).toEqual([location, []]);
    }
  });

  test("of staging has nothing to fix once its own lines are filled in, though it stays on workers.dev", async () => {
    const id = 'database_name = "textgate-staging"\ndatabase_id = "2b3c4d5e-0000-4000-8000-000000000000"';
    const vars =
      '[env.staging.vars]\nLIMITER_LOCATION = "enam"\nPUBLIC_ORIGIN = "https://textgate-staging.ada.workers.dev"';
    const staging = edit(edit(FILLED_IN, 'database_name = "textgate-staging"', id), "[env.staging.vars]", vars);
    expect(findIn(staging, "staging")).toEqual([]);
    const { own } = read(staging, "staging");
    expect(await checkSettings(own.vars, undefined, hostsOf(own))).toEqual([]);
  });

  test("shows each name that two environments share", () => {
    const shared = 'database_name = "textgate"';
    const toml = edit(FILLED_IN, 'database_name = "textgate-staging"', shared);
    expect(findIn(toml)).toEqual(["It shares names with staging: textgate."]);
    expect(findIn(toml, "staging")).toContain("It shares names with production: textgate.");
    const [dead, other] = ['dead_letter_queue = "textgate-staging-messages-dead"', 'dead_letter_queue = "x"'];
    // The queues of messages, bulk and receipts.
    const queue = [1, 2, 3].reduce((toml) => edit(toml, dead, other), FILLED_IN);
    const both = edit(queue, 'queue = "textgate-staging-messages-dead"', 'queue = "textgate-messages-dead"');
    expect(findIn(both)).toEqual(["It shares names with staging: textgate-messages-dead."]);
    const routes = edit(FILLED_IN, "routes = []\n", "");
    expect(findIn(routes)).toEqual(["It shares names with staging: sms.textgate.test."]);
  });

  test("says what keeps it from being read", () => {
    expect(() => read(FILLED_IN, "stage")).toThrow(new UsageError(`${path} has no [env.stage]`));
    expect(() => read("name = ")).toThrow(UsageError);
    expect(() => readDeployments(join(folder, "none.toml"), "")).toThrow(UsageError);
  });
});

describe("[env.staging]", () => {
  const OF_ONE_DEPLOYMENT = [
    "name",
    "topLevelName",
    "targetEnvironment",
    "definedEnvironments",
    "namespace_id",
    "workers_dev",
    "routes",
    // Relative to the file twice over, in wrangler 4.124.0.
    "watch_dir",
  ];

  /** A test that fails here says what to add to [env.staging] in wrangler.toml. */
  test("is production with other names, and without a domain", () => {
    const { own, others } = read(wranglerToml());
    const toText = (config: object) =>
      JSON.stringify(config, (key, value) => (OF_ONE_DEPLOYMENT.includes(key) ? undefined : value), 2);
    const staging = toText(others.get("staging") ?? {}).replaceAll("textgate-staging", "textgate");
    expect(staging).toBe(toText(own));
    expect(others.get("staging")).toMatchObject({ name: "textgate-staging", workers_dev: true, routes: [] });
    expect(others.get("staging")?.ratelimits[0]?.namespace_id).not.toBe(own.ratelimits[0]?.namespace_id);
  });
});

describe("the hosts of a deployment", () => {
  test("are those of its routes", () => {
    const routes = [
      { pattern: "a.test", custom_domain: true },
      "https://b.test/*",
      { pattern: "c.test/x*", zone_name: "c.test" },
    ];
    expect(hostsOf({ ...read(FILLED_IN).own, routes })).toEqual(["a.test", "b.test", "c.test"]);
  });
});
