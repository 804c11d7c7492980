// What is made once for a run of the tests, though they run in several processes.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundle } from "../../../scripts/bundle.ts";
import { buildVersion } from "../../../scripts/local-service.ts";
import { applyMigrations } from "../../../scripts/migrations.ts";
import type { Version } from "../../../scripts/runtime.ts";
import { waitFor } from "./processes.ts";

const FOLDER = "TEXTGATE_RUN_FOLDER";

/** Before the first test, in the process that starts those of the files. @returns what is done after the last test */
export default function setup({ vitest }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "textgate-run-"));
  process.env[FOLDER] = folder;
  // Every start loads wrangler and Miniflare, whose code takes a second to compile: the first leaves it for the others.
  process.env.NODE_COMPILE_CACHE ??= join(folder, "compiled");
  // While the tests of the other project run: each file here would wait for it.
  const child = vitest.projects.length > 1 ? prepareInAnotherProcess() : undefined;
  return () => {
    child?.kill();
    rmSync(folder, { recursive: true, force: true });
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

/** The first that asks for it makes it, for all of the run. */
export async function prepared(): Promise<Prepared> {
  const folder = runFolder();
  const [version, state, done] = [join(folder, "version.json"), join(folder, "state"), join(folder, "done")];
  if (isFirst(join(folder, "begun"))) {
    const built = await buildVersion(folder);
    writeFileSync(version, JSON.stringify(built));
    await migrate(folder, state, built);
    writeFileSync(done, "");
  } else {
    await waitFor("the bundle and the databases of this run", () => existsSync(done));
  }
  return { version, state };
}

/** The bundle that a deploy uploads. The first that asks for it makes it, for all of the run. @returns its path */
export async function deployed(): Promise<string> {
  const [directory, done] = [join(runFolder(), "deploy"), join(runFolder(), "deployed")];
  if (isFirst(directory)) {
    await bundle(directory);
    writeFileSync(done, "");
  } else {
    await waitFor("the bundle of this run", () => existsSync(done));
  }
  return join(directory, "index.js");
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
