import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../../scripts/bundle.ts";
import type { Version } from "../../../scripts/runtime.ts";
import { readConfig } from "../../../scripts/worker-config.ts";
import { ROOT } from "../../../scripts/wrangler.ts";
import { findFreePort, TOKEN } from "./service.ts";
import type { ServiceSettings } from "./service-process.ts";

const PROGRAM = fileURLToPath(new URL("service-process.ts", import.meta.url));

export const WEBHOOK_KEY = "webhook-key-of-the-faults";

/** What must not outlive this process, however it ends. */
const leftovers = new Set<() => void>();
process.once("exit", () => {
  for (const remove of leftovers) remove();
});

function untilRemoved(remove: () => void): () => void {
  leftovers.add(remove);
  return () => {
    leftovers.delete(remove);
    remove();
  };
}

export interface Bundle extends Version {
  remove(): void;
}

/** The production bundle of a checkout, in a directory of its own. */
export async function buildBundle(checkout = ROOT, entry = "src/index.ts"): Promise<Bundle> {
  const directory = mkdtempSync(join(tmpdir(), "textgate-bundle-"));
  const remove = untilRemoved(() => rmSync(directory, { recursive: true, force: true }));
  const script = await bundle(directory, entry, checkout);
  return { script, config: readConfig(directory, checkout), remove };
}

export interface ServiceOptions {
  bundle: Bundle;
  /** Where the gateway takes texts. */
  sendSmsUrl: string;
  /** Leaves the state and the log where they are, for a look. */
  keep: boolean;
  /** Paths of the migrations that the database begins with. Default: all of them. */
  migrations?: string[];
  /** What is other than in most trials. */
  bindings?: Record<string, string>;
  sweepEveryMilliseconds?: number;
}

const SWEEP_EVERY_MILLISECONDS = 1000;
const START_MILLISECONDS = 30_000;

/** The service on a fixed port and one directory, whatever becomes of its processes. */
export class Service {
  readonly url: string;
  readonly directory: string;
  /** Milliseconds from each kill to the first answer after it. */
  readonly restarts: number[] = [];
  /** When, in milliseconds since 1970. */
  readonly kills: number[] = [];
  #settings: ServiceSettings;
  readonly #removeDirectory: () => void;
  #child: ChildProcess | undefined;
  #up = Promise.withResolvers<void>();

  private constructor({ bundle, sendSmsUrl, keep, migrations, ...others }: ServiceOptions, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.directory = mkdtempSync(join(tmpdir(), "textgate-faults-"));
    this.#removeDirectory = untilRemoved(() => {
      if (keep) console.log(`state and log: ${this.directory}`);
      else rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
    });
    const bindings = {
      OPERATOR_TOKEN: TOKEN,
      SERVICE_KEY: TOKEN,
      REQUEUE_AFTER_SECONDS: "1",
      PUBLIC_ORIGIN: this.url,
      KANNEL_SENDSMS_URL: sendSmsUrl,
      KANNEL_USERNAME: "textgate",
      KANNEL_PASSWORD: "password-of-the-faults",
      KANNEL_WEBHOOK_KEY: WEBHOOK_KEY,
      ...others.bindings,
    };
    const { script, config } = bundle;
    const { sweepEveryMilliseconds = SWEEP_EVERY_MILLISECONDS } = others;
    const { directory } = this;
    this.#settings = { script, config, directory, port, bindings, sweepEveryMilliseconds, migrations };
  }

  static async start(options: ServiceOptions): Promise<Service> {
    const service = new Service(options, await findFreePort());
    await service.start();
    return service;
  }

  /** Resolves once the service is up, at once when it is. */
  get up(): Promise<void> {
    return this.#up.promise;
  }

  async start(): Promise<void> {
    const log = openSync(join(this.directory, "service.log"), "a");
    // In a process group of its own, to which workerd belongs too: a kill ends both in one instant.
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(this.#settings)], {
      detached: true,
      stdio: ["ignore", log, log, "ipc"],
    });
    closeSync(log);
    this.#child = child;
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`the service has not started (exit code ${code}): see ${this.directory}/service.log`);
    });
    ended.catch(() => {});
    await Promise.race([once(child, "message", { signal: AbortSignal.timeout(START_MILLISECONDS) }), ended]);
    this.#up.resolve();
  }

  /** SIGKILL to the whole process group, and a new start on the state that it left. */
  async killAndRestart(): Promise<void> {
    const killed = performance.now();
    await this.kill();
    await this.start();
    this.restarts.push(performance.now() - killed);
  }

  /** Names the versions that the next start runs: with a consumer, two at a time, as while one replaces the other. */
  use({ script, config }: Version, consumer?: Version): void {
    this.#settings = { ...this.#settings, script, config, consumer };
  }

  /** Applies migrations to the database while it is in use. */
  async migrate(paths: string[]): Promise<void> {
    const child = this.#child;
    if (!child) throw new Error("the service does not run");
    const answered = once(child, "message", { signal: AbortSignal.timeout(START_MILLISECONDS) });
    child.send(paths);
    const [answer] = await answered;
    if (answer !== "migrated") throw new Error(`the migrations failed: ${answer}`);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    this.#up = Promise.withResolvers<void>();
    const exited = once(child, "exit");
    process.kill(-child.pid, "SIGKILL");
    await exited;
    this.kills.push(Date.now());
  }

  /** Ends it for good. */
  async remove(): Promise<void> {
    await this.kill();
    this.#removeDirectory();
  }
}
