// What is made once for a run of the tests, though each file of tests is a process of its own.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../../scripts/bundle.ts";
import { LOCAL_WORKER } from "../../../scripts/local-service.ts";
import { waitFor } from "./processes.ts";

const FOLDER = "TEXTGATE_RUN_FOLDER";

/** Before the first test, in the process that starts those of the files. @returns what is done after the last test */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "textgate-run-"));
  process.env[FOLDER] = folder;
  // Every start loads wrangler and Miniflare, whose code takes a second to compile: the first leaves it for the others.
  process.env.NODE_COMPILE_CACHE ??= join(folder, "compiled");
  return () => rmSync(folder, { recursive: true, force: true });
}

/** The bundle of `npm start`. The first file of tests that asks for it builds it, for all of the run. */
export async function localBundle(): Promise<string> {
  const folder = process.env[FOLDER];
  if (!folder) throw new Error(`${FOLDER} is not set: vitest.config.ts names this file as the globalSetup`);
  const done = join(folder, "done");
  if (isFirst(join(folder, "begun"))) {
    writeFileSync(done, await bundle(folder, LOCAL_WORKER));
  } else {
    await waitFor("another file of tests to build the bundle", () => existsSync(done), 60_000);
  }
  return join(folder, "local.js");
}

function isFirst(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch {
    return false;
  }
}
