import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keepRotated } from "../../../scripts/demo.ts";
import { ensureSecrets } from "../../../scripts/dev-vars.ts";
import { type Call, sweepEachMinute } from "../../../scripts/minute-sweep.ts";
import { parseStartOptions } from "../../../scripts/start-options.ts";
import { makeWorkerLog } from "../../../scripts/worker-log.ts";
import { guardWorkerd } from "../../../scripts/workerd-guard.ts";
import { waitFor } from "../harness/processes.ts";
import { findFreePort, makeFolder } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";
import { linkOf, tryPrinted } from "./printed-lines.ts";

const folder = makeFolder();

afterAll(() => folder.remove());

describe("npm start", () => {
  let service: SharedService;

  beforeAll(async () => {
    service = await sharedService();
  });

  test("prints lines that work, and a link to the console", async () => {
    await tryPrinted(service, service.url);
    expect(service.output()).toContain(`${service.url}/docs\n`);
    const [page = "", token] = linkOf(service).split("#/in/");
    expect(page).toBe(`${service.url}/console`);
    const answer = await fetch(`${service.url}/operator/websites`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
  });

  test("prints the test numbers and the outcome of each", () => {
    expect(service.output()).toMatch(/^\+12125550100 +ada@example.com +DELIVERED$/m);
    expect(service.output()).toMatch(/^\+12125550002 +SENDING, then FAILED_TO_DELIVERY, UNDELIVERED$/m);
  });
});

test("a workerd that ends before it has read its configuration is no silence, in whatever order Node hears of it", async () => {
  guardWorkerd();
  const directory = join(folder.folder, "ends-at-once");
  const workerd = join(directory, "workerd");
  mkdirSync(directory);
  writeFileSync(workerd, "#!/bin/sh\nexit 3\n", { mode: 0o755 });
  const { stdin } = spawn(workerd, { stdio: ["pipe", "ignore", "ignore"] });
  const read = once(stdin, "finish");
  stdin.write(Buffer.alloc(10_000_000));
  // What Node does when it hears of the end of the process before it hears of the end of the pipe.
  stdin.destroy();
  await expect(read).rejects.toThrow("workerd ended at once (exit code 3).");
});

test("new secrets of the demo's client are kept for the next start, and those of no other client", () => {
  const file = join(folder.folder, "kept.json");
  const client = { clientId: "a", clientSecret: "old", callbackSecret: "old" };
  writeFileSync(file, JSON.stringify(client));
  keepRotated(file, "b", { clientSecret: "b", callbackSecret: "b" });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(client);
  keepRotated(file, "a", { clientSecret: "new", callbackSecret: "new" });
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ...client, clientSecret: "new", callbackSecret: "new" });
  keepRotated(join(folder.folder, "missing.json"), "a", client);
});

describe("the flags", () => {
  test("are as those of wrangler dev", () => {
    const vars = ["--var", "A:1", "B:http://x:2", "--var=C:"];
    const options = parseStartOptions(["--port=9", ...vars, "--env-file", "/a", "--env-file", "/b", "--ip", "::1"]);
    expect(options).toEqual({
      databases: 1,
      demo: true,
      help: false,
      ip: "::1",
      port: 9,
      persistTo: resolve(".wrangler/state"),
      varFiles: ["/a", "/b"],
      vars: { A: "1", B: "http://x:2", C: "" },
      logLevel: "log",
    });
  });

  test.each([
    [["--port", "x"], '--port must be a number up to 65535, not "x".'],
    [["--port"], "--port needs a value."],
    [["--port", "--ip", "::1"], "Option '--port' argument is ambiguous."],
    [["--var", "A"], '--var must be <NAME>:<value>, not "A".'],
    [["--log-level", "loud"], "--log-level must be one of debug, info, log, warn, error, none"],
    [["-e", "staging"], "npm start has no flag -e"],
    [
      ["--live-reload"],
      "npm start has no flag --live-reload: see npm start -- --help. If it is one of wrangler's: npx wrangler dev --live-reload",
    ],
    [["src/index.ts"], '--var must be <NAME>:<value>, not "src/index.ts".'],
  ])("%j are refused", (args, message) => {
    expect(() => parseStartOptions(args)).toThrow(message);
  });
});

describe("the Worker's log", () => {
  test("is held back until it is opened, and shows what is bad enough", () => {
    const shown: string[] = [];
    const log = makeWorkerLog("warn", (line) => shown.push(line));
    const add = (...levels: string[]) => {
      for (const level of levels) log.add(`a ${level}`, level);
    };
    add("log", "error");
    expect(shown).toEqual([]);
    log.open();
    add("info", "warn", "debug");
    expect(shown).toEqual(["a error", "a warn"]);
    expect(log.tail()).toBe("a log\na error\na info\na warn\na debug");
  });
});

describe("the secrets of local development", () => {
  const path = join(folder.folder, ".dev.vars");

  test("are made once, for their owner's eyes only", () => {
    const secrets = ensureSecrets([path], {});
    expect(secrets.OPERATOR_TOKEN).toMatch(/^[0-9a-f]{64}$/);
    expect(secrets.SERVICE_KEY).toMatch(/^[0-9a-f]{64}$/);
    expect(secrets.SERVICE_KEY).not.toBe(secrets.OPERATOR_TOKEN);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, "utf8");
    expect(ensureSecrets([path], {})).toEqual(secrets);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("are added where one is missing, and leave the rest as it is", () => {
    const mine = "# mine\nOPERATOR_TOKEN='kept'\nOTHER=1";
    writeFileSync(path, mine);
    expect(ensureSecrets([path], {}).OPERATOR_TOKEN).toBe("kept");
    expect(readFileSync(path, "utf8")).toMatch(/^# mine\nOPERATOR_TOKEN='kept'\nOTHER=1\nSERVICE_KEY=[0-9a-f]{64}\n$/);
  });

  test("are taken from the flags first", () => {
    writeFileSync(path, "SERVICE_KEY=k\n");
    expect(ensureSecrets([path], { OPERATOR_TOKEN: "mine" })).toMatchObject({
      OPERATOR_TOKEN: "mine",
      SERVICE_KEY: "k",
    });
    expect(readFileSync(path, "utf8")).toBe("SERVICE_KEY=k\n");
  });
});

describe("the sweep of each minute", () => {
  test("runs at once and then again and again; a failure is one line", async () => {
    const paths: string[] = [];
    const reports: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? "");
      response.writeHead(paths.length === 1 ? 200 : 500).end();
    });
    const at = await findFreePort();
    server.listen(at, "127.0.0.1");
    const call: Call = (path, signal) => fetch(`http://127.0.0.1:${at}${path}`, { signal });
    await sweepEachMinute(call, (line) => reports.push(line), 20);
    await waitFor("a failure", () => reports.length > 0);
    expect(paths[0]).toBe("/cdn-cgi/local/scheduled?cron=*+*+*+*+*");
    expect(reports[0]).toBe("The scheduled sweep failed: HTTP 500.");
    server.close();
  });
});
