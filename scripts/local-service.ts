import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { readVars } from "./dev-vars.ts";
import { applyMigrations, ForeignSchemaError } from "./migrations.ts";
import type { Call } from "./minute-sweep.ts";
import type { Version } from "./runtime.ts";
import { StartError, type StartOptions } from "./start-options.ts";
import type { WorkerLog } from "./worker-log.ts";

/** The explorer of local data lets every caller read and change it. */
const EXPLORER_ADDRESSES = ["127.0.0.1", "::1", "localhost"];

/** What is bundled, from the root of the checkout. */
const LOCAL_WORKER = "scripts/workers/local.ts";

const RESTARTED =
  "The runtime (workerd) ended and was started again. Stored data is kept, and the next sweep queues lost jobs again.";

/** For the tests: a file with the JSON of a Version, so that each of their starts need not build one. */
const BUILT = process.env.TEXTGATE_BUILT;

export interface LocalService {
  /** Where workerd listens, on this machine. */
  origin: URL;
  /** Calls one of Miniflare's own paths. */
  call: Call;
  /** Whether a client's secret is the one that it was given last, and not one that is being replaced. */
  isInForce(client: { clientId: string; clientSecret: string }): Promise<boolean>;
  /** Rejects with a StartError once the service can no longer run. */
  ended: Promise<never>;
}

/**
 * Runs the production bundle in workerd, on the data of `wrangler dev`. `wrangler dev` itself ends when a client breaks off an
 * upload: its proxy treats that as a failure of its own (wrangler 4.124.0, "Error inside ProxyWorker").
 * @returns once the service answers
 * @throws StartError
 */
export async function startService(options: StartOptions, log: WorkerLog): Promise<LocalService> {
  const directory = mkdtempSync(join(tmpdir(), "textgate-"));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  const { ip, persistTo, varFiles, vars } = options;
  const [version, { startRuntime, toWorker, withDatabases }] = await Promise.all([
    BUILT ? (JSON.parse(readFileSync(BUILT, "utf8")) as Version) : buildVersion(directory),
    // Miniflare takes long to load.
    import("./runtime.ts"),
  ]);
  const { script } = version;
  const config = withDatabases(version.config, options.databases);
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {}); // nobody may be waiting yet
  const miniflare = startRuntime({
    directory,
    resourcePersistencePath: join(persistTo, "v3"),
    workers: [toWorker(config.name, { script, config }, { ...readVars(varFiles), ...vars })],
    handleStructuredLogs: ({ level, message }) => log.add(message, level),
    unsafeTriggerHandlers: true,
    unsafeLocalExplorer: EXPLORER_ADDRESSES.includes(ip),
    unsafeHandleRuntimeRestart: () => console.error(RESTARTED),
    onError: (error) => {
      if (isFatal(error)) ended.reject(new StartError(`The service has ended: ${describe(error)}`));
      else console.error(error);
    },
  });
  const origin = await miniflare.ready.catch(explain("workerd could not start"));
  const db = await miniflare.getD1Database("DB");
  for (const name of Object.keys(config.d1Databases ?? {}).sort()) {
    await applyMigrations(await miniflare.getD1Database(name)).catch((error: Error) => {
      if (error instanceof ForeignSchemaError)
        throw new StartError(
          `The data in ${persistTo} have another schema: delete that folder, or choose another with --persist-to.`,
        );
      return explain(`The database ${name} could not be brought up to date`)(error);
    });
  }
  const call: Call = async (path, signal) => {
    const answer = await miniflare.dispatchFetch(`http://localhost${path}`, { signal });
    await answer.body?.cancel();
    return answer;
  };
  const isInForce: LocalService["isInForce"] = async ({ clientId, clientSecret }) => {
    const stored = await db.prepare("SELECT secret_hash FROM clients WHERE client_id = ?1").bind(clientId).first();
    return stored?.secret_hash === createHash("sha256").update(clientSecret).digest("hex");
  };
  return { origin, call, isInForce, ended: ended.promise };
}

/** What runs locally. @throws StartError */
export async function buildVersion(directory: string): Promise<Version> {
  const [script, { readConfig }] = await Promise.all([
    bundle(directory, LOCAL_WORKER).catch(explain("The Worker does not build")),
    // wrangler takes a second to load.
    import("./worker-config.ts"),
  ]);
  return { script, config: readConfig(directory) };
}

function explain(what: string) {
  return (error: Error): never => {
    throw new StartError(`${what}:\n${error.message}`);
  };
}

/** Miniflare starts workerd again when it has ended; this error says that it could not. */
function isFatal(error: Error & { code?: string }): boolean {
  return error.code === "ERR_RUNTIME_FAILURE";
}

function describe({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} ${cause.message}` : message;
}
