import { existsSync, statfsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { STUB } from "./scripts/stub.ts";
import { PlansReporter } from "./test/node/harness/plans-reporter.ts";
import { QuietReporter } from "./test/node/harness/quiet-reporter.ts";

/**
 * Linux keeps it in memory. The stores of the tests are temporary files, and SQLite waits for the disk at each commit: on a
 * busy disk the tests take several times as long.
 */
const MEMORY = "/dev/shm";
const MOST_BYTES_OF_TESTS = 1_000_000_000;
if (existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > MOST_BYTES_OF_TESTS) process.env.TMPDIR = MEMORY;
}

/**
 * Flags for the workerd that runs tests. Tests make garbage by the million objects, and V8 collects it on more threads than there are
 * free processors. With room for the young objects, and on one thread, the tests take a twentieth less time of the processors.
 */
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--single-threaded-gc --min-semi-space-size=32 --max-semi-space-size=64";

const OTHER_DATABASES = Array.from({ length: 7 }, (_, index) => `OTHER_${index + 2}`);

/** Loads standardwebhooks without its source map: that names files which the package lacks, and Vite warns of them. */
const withoutBrokenSourceMap: Plugin = {
  name: "without-broken-source-map",
  load: { filter: { id: /standardwebhooks\/dist\/index\.js$/ }, handler: (id) => readFile(id, "utf8") },
};

/** Loads zod without its messages in 50 other languages than English, each a file: the bundle of the Worker is without them, too. */
const withoutLocales: Plugin = {
  name: "without-locales",
  load: { filter: { id: /zod\/v4\/locales\/index\.js$/ }, handler: () => "export {};" },
};

/**
 * Lets tests replace what the Worker imports from cloudflare:sockets. A mock of Vitest would do the same, but the modules that
 * import it must then be loaded anew, all of src with them, before and after each file of tests: seconds each time.
 */
const SOCKETS = fileURLToPath(new URL("test/sockets.ts", import.meta.url));
const withSocketsOfTests: Plugin = {
  name: "with-sockets-of-tests",
  enforce: "pre",
  resolveId: {
    filter: { id: /^cloudflare:sockets$/ },
    handler: (_, importer) => (importer?.includes("/src/") ? SOCKETS : undefined),
  },
};

/** The operator's shell loads the declarations of the calls, and with them what only workerd can run: scripts/load-source.ts. */
const withoutWorkerd: Plugin = {
  name: "without-workerd",
  enforce: "pre",
  resolveId: { filter: { id: /^cloudflare:/ }, handler: (id) => `\0${id}` },
  load: { filter: { id: /^\0cloudflare:/ }, handler: () => STUB },
};

/** Which tests run. A test takes at most half a second, or its file is a `*.long.test.ts`. A trial takes minutes: `npm run faults` sets FAULT_SEEDS. */
const isTrial = process.env.FAULT_SEEDS !== undefined;
const isLong = process.env.TESTS === "long";
const SUFFIXES = isTrial ? ["test.ts", "trial.ts"] : [isLong ? "long.test.ts" : "test.ts"];
const inFolder = (folder: string) => SUFFIXES.map((suffix) => `${folder}/**/*.${suffix}`);
/** test/node/importers and test/node/typed-client have packages of their own, some of them with tests of theirs. */
const EXCLUDED = ["**/node_modules/**", ...(isTrial || isLong ? [] : ["**/*.long.test.ts"])];

/** These take most of a minute each, because they look at pages in a browser, restart services or run wrangler. The last file to begin is waited for alone. */
const SLOWEST = ["docs", "start", "deploy"]
  .map((name) => `journeys/${name}.long.test.ts`)
  .concat("console/pages.long.test.ts");

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOWEST.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

/** What a test waits for comes at once on a quiet machine. Vitest would wait for one second. */
const POLLING = { poll: { timeout: 60_000 } };

/** `test` runs in workerd with the real bindings; `test/node` runs in Node, most of it against the whole service from outside. */
export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    reporters: [isTrial ? "default" : new QuietReporter(), new PlansReporter(!isTrial && !isLong)],
    projects: [
      {
        plugins: [
          withoutBrokenSourceMap,
          withSocketsOfTests,
          withoutLocales,
          cloudflareTest(async () => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              // Nothing leaves the machine: what a test does not answer itself is answered here.
              outboundService: () => new Response("no test answers this", { status: 599 }),
              // A test binds them as DB_2, DB_3, …: test/databases.ts.
              d1Databases: Object.fromEntries(OTHER_DATABASES.map((name) => [name, name])),
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations("./migrations"),
                OPERATOR_TOKEN: "operator-token-of-the-tests",
                SERVICE_KEY: "service-key-of-the-tests",
              },
            },
          })),
        ],
        test: {
          name: "worker",
          include: inFolder("test"),
          setupFiles: ["test/faster-pool.ts", "test/strict/setup.ts"],
          exclude: ["test/node/**", ...EXCLUDED],
          isolate: false,
          maxWorkers: 2,
          // For what hangs: a test that is given up goes on, and changes the stores of those after it. A trial takes minutes.
          testTimeout: isTrial ? 1_800_000 : 180_000,
          hookTimeout: 180_000,
          expect: POLLING,
          // test/faults: more than one seed is the long form, of minutes; a seed that fails is run again by FAULT_FROM_SEED.
          provide: {
            faultSeeds: Number(process.env.FAULT_SEEDS ?? 1),
            faultFromSeed: Number(process.env.FAULT_FROM_SEED ?? 1),
            printsFaultSummaries: isTrial,
            // test/flows/databases/databases.long.test.ts: 100 take a minute.
            websitesOverDatabases: Number(process.env.WEBSITES ?? 10),
          },
        },
      },
      {
        plugins: [withoutWorkerd],
        test: {
          name: "node",
          environment: "node",
          // Some files share a process, which loads Vitest, wrangler and Miniflare once.
          isolate: false,
          // The services that journeys start are as anybody's.
          env: { MINIFLARE_WORKERD_V8_FLAGS: "" },
          globalSetup: ["test/node/harness/run-folder.ts"],
          setupFiles: ["test/node/journeys/own-connections.ts"],
          include: inFolder("test/node"),
          exclude: EXCLUDED,
          // For what hangs. On a machine that others use, a hook of 15 seconds took more than 60.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: POLLING,
          // Each worker loads all of src. Half of their time, the long ones wait for what another process says.
          maxWorkers: isLong ? 5 : 3,
          // After the others: a test that waits for a real process should not wait for a busy machine.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
