// The client as somebody has it who installs it: packed, installed elsewhere, compiled with, and run against the service.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeClient } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";

const ROOT = join(import.meta.dirname, "../../..");
const [PHONE, STRANGER] = ["+12125550100", "+12125550199"];

let service: SharedService;
/** What a program has that has installed the package. */
let folder: string;

beforeAll(async () => {
  [service, folder] = await Promise.all([sharedService(), install()]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @throws Error with what it printed, when it fails */
async function runIn(cwd: string, program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd }).catch((error) => {
    throw new Error(`${program} ${args[0]}: ${error.stdout}${error.stderr}`);
  });
  return stdout;
}

async function install(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "textgate-consumer-"));
  writeFileSync(join(folder, "package.json"), '{"type": "module", "private": true}');
  await runIn(ROOT, "npm", "pack", "./client", "--pack-destination", folder);
  await runIn(folder, "npm", "install", "--offline", "--no-audit", "./textgate-client-0.1.0.tgz");
  return folder;
}

it("is installed, compiled with and run", async () => {
  const installed = join(folder, "node_modules/textgate-client");
  expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
    "textgate-client",
  ]);
  expect(readdirSync(installed).sort()).toEqual(expect.arrayContaining(["README.md", "index.js", "types"]));
  expect(JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))).not.toHaveProperty("dependencies");
  const compilerOptions = {
    ...{
      target: "es2022",
      module: "nodenext",
      lib: ["es2022", "dom"],
      types: [],
      strict: true,
      rootDir: "src",
      outDir: "built",
    },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  };
  mkdirSync(join(folder, "src"));
  copyFileSync(join(ROOT, "test/node/client/consumer/main.ts"), join(folder, "src/main.ts"));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  await runIn(folder, process.execPath, join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder);
  const { clientId, clientSecret } = await makeClient(service.url, "http://127.0.0.1:9/", [PHONE]);
  const output = await runIn(
    folder,
    process.execPath,
    "built/main.js",
    service.url,
    clientId,
    clientSecret,
    PHONE,
    STRANGER,
  );
  expect(JSON.parse(output)).toEqual({
    isSame: [true, false],
    isScheduled: true,
    cancelled: [1, true, [{ messageId: "unknown", status: null }]],
    status: ["string", null, true, ["unknown"]],
    bulk: [[0, 1], [2]],
    lists: [[], ["1.2E+10"]],
    subscribed: [
      [PHONE, true],
      [STRANGER, false],
    ],
    refusal: [40001, "phone", "refused"],
    hasRequestId: true,
    refused: true,
    tested: "unreachable",
    isUnsigned: true,
    cancelledEvent: true,
    hasCursor: "string",
  });
});
