// What is made once for a run of the tests, though they run in several processes.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundle } from "../../../scripts/bundle.ts";
import { buildVersion } from "../../../scripts/local-service.ts";
import { applyMigrations } from "../../../scripts/migrations.ts";
import type { Version } from "../../../scripts/runtime.ts";
import { waitFor } from "./processes.ts";

const FOLDER = "TEXTGATE_RUN_FOLDER";
/** Within it, a file for each process that ends with the run. */
const PROCESSES = "processes";

/** Before the first test, in the process that starts those of the files. @returns what is done after the last test */
export default function setup({ vitest }: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "textgate-run-"));
  process.env[FOLDER] = folder;
  // Every start loads wrangler and Miniflare, whose code takes a second to compile: the first leaves it for the others.
  process.env.NODE_COMPILE_CACHE ??= join(folder, "compiled");
  // While the tests of the other project run: each file here would wait for it.
  const child = vitest.projects.length > 1 ? prepareInAnotherProcess() : undefined;
  return async () => {
    child?.kill();
    await endProcesses(join(folder, PROCESSES));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

function prepareInAnotherProcess(): ChildProcess {
  return spawn(process.execPath, [import.meta.filename], { stdio: ["ignore", "ignore", "inherit"] });
}

/** What a start begins with in place of what `npm start` makes first. */
export interface Prepared {
  /** For TEXTGATE_BUILT. */
  version: string;
  /** A folder for --persist-to, with the databases migrated. */
  state: string;
}

export async function prepared(): Promise<Prepared> {
  const folder = await onceInRun("prepared", async (place) => {
    const built = await buildVersion(place);
    writeFileSync(join(place, "version.json"), JSON.stringify(built));
    await migrate(place, join(place, "state"), built);
  });
  return { version: join(folder, "version.json"), state: join(folder, "state") };
}

/** @returns the path of the bundle that a deploy uploads */
export async function deployed(): Promise<string> {
  return join(await onceInRun("deployed", bundle), "index.js");
}

/** The first that asks for it makes it, for all of the run. @returns the folder that has it */
export async function onceInRun(name: string, make: (place: string) => Promise<unknown>): Promise<string> {
  const place = join(runFolder(), name);
  const done = join(place, "done");
  if (isFirst(place)) {
    await make(place);
    writeFileSync(done, "");
  } else {
    await waitFor(`${name}, for this run`, () => existsSync(done));
  }
  return place;
}

/** Has a process ended after the last test. */
export function endAfterRun(pid: number): void {
  const place = join(runFolder(), PROCESSES);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, `${pid}`), "");
}

async function endProcesses(place: string): Promise<void> {
  const pids = existsSync(place) ? readdirSync(place).map(Number) : [];
  for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGTERM");
  await waitFor("the processes of this run to end", () => !pids.some(isRunning), 10_000);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function runFolder(): string {
  const folder = process.env[FOLDER];
  if (!folder) throw new Error(`${FOLDER} is not set: vitest.config.ts names this file as the globalSetup`);
  return folder;
}

/** As many as a file of tests asks for. */
const DATABASES = 2;

async function migrate(directory: string, state: string, { script, config: own }: Version): Promise<void> {
  const { startRuntime, toWorker, withDatabases } = await import("../../../scripts/runtime.ts");
  const config = withDatabases(own, DATABASES);
  const workers = [toWorker(config.name, { script, config }, {})];
  const miniflare = startRuntime({ directory, resourcePersistencePath: join(state, "v3"), workers });
  for (const name of Object.keys(config.d1Databases ?? {})) await applyMigrations(await miniflare.getD1Database(name));
  await miniflare.dispose();
}

function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.main) await prepared();
