import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type Run, run, waitFor } from "../harness/processes.ts";
import { findFreePort, makeFolder } from "../harness/service.ts";

const folder = makeFolder();
let dev: Run | undefined;

afterAll(async () => {
  // The group that it leads.
  if (dev?.child.pid) process.kill(-dev.child.pid);
  await dev?.exited;
  folder.remove();
});

/** What a run of a service leaves in the project's folder, and what is large. */
const NOT_FRESH = /^(node_modules|\.wrangler|\.git|\.dev\.vars.*)$/;

function copyProject(): string {
  const copy = join(folder.folder, "copy");
  cpSync(".", copy, { recursive: true, filter: (path) => !NOT_FRESH.test(basename(path)) });
  symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** The lines of CONTRIBUTING.md, on a port that is free, and without what the copy has already. */
function linesFor(port: number): [before: string[], after: string[]] {
  const [, section = ""] =
    /^With `wrangler dev` itself(.*?)^A change must pass/ms.exec(readFileSync("CONTRIBUTING.md", "utf8")) ?? [];
  const lines = [...section.matchAll(/^ {4}(?!#)(.+)$/gm)].map(([, line = ""]) => line.replace("8787", String(port)));
  const at = lines.findIndex((line) => line.includes("wrangler dev"));
  expect([lines[0], at]).toEqual(["npm ci", 3]);
  return [lines.slice(1, at + 1), lines.slice(at + 1)];
}

test("wrangler dev runs on a fresh copy, by the lines of CONTRIBUTING.md, and says what to do without the first of them", async () => {
  const copy = copyProject();
  const port = await findFreePort();
  const [[migrate = "", secrets = "", start = ""], others] = linesFor(port);
  const inCopy = (...lines: string[]) => ["-c", ["set -e", `cd ${copy}`, ...lines].join("\n")];
  const health = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    return answer && ((await answer.json()) as { status: string; advice?: string });
  };

  execFileSync("bash", inCopy(secrets));
  dev = run("bash", inCopy(`${start} --port ${port} --inspector-port 0`));
  const { advice = "" } = await waitFor("an answer", health);
  expect(advice).toContain(migrate.replace(" --local", ""));

  execFileSync("bash", inCopy(migrate), { stdio: ["ignore", "ignore", "inherit"] });
  await waitFor("health", async () => (await health())?.status === "ok");
  const printed = execFileSync("bash", inCopy(...others), { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  expect(printed).toContain('"status":"ok"');
  expect(printed).toMatch(/^websiteId +demo$/m);
  expect(printed).toContain("Ran scheduled event");
});
