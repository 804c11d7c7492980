import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureSecrets } from "../../scripts/dev-vars.ts";
import { sweepEachMinute } from "../../scripts/minute-sweep.ts";
import { isRemark } from "../../scripts/wrangler-output.ts";
import { listFamily, type Run, run, stillRunning, waitFor } from "./processes.ts";
import { startReceiver } from "./receiver.ts";
import { findFreePort, makeFolder, operate, startFlags, untilStarted, untilStatus } from "./service.ts";

const folder = makeFolder();
let port: number;
let url: string;

beforeAll(async () => {
  port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
});

afterAll(() => folder.remove());

async function start(): Promise<Run> {
  const service = run("npm", ["start", "--", ...startFlags(folder, port)]);
  await untilStarted(service);
  return service;
}

function commandsOf(service: Run, beginning: string): string[] {
  return service
    .output()
    .split("\n")
    .filter((line) => line.startsWith(beginning));
}

async function runPrinted(command: string): Promise<string> {
  const shell = run("bash", ["-c", command]);
  await shell.exited;
  return shell.output();
}

/** Runs the two printed curl lines. */
async function tryPrinted(service: Run): Promise<void> {
  const [send = "", ask = "", ...others] = commandsOf(service, "curl ");
  expect(others).toEqual([]);
  const { messageId } = JSON.parse(await runPrinted(send));
  await untilStatus(url, messageId, "DELIVERED");
  const { phoneNumberStatuses } = JSON.parse(await runPrinted(ask));
  const answers = phoneNumberStatuses.map((it: { subscriptionStatus: boolean }) => it.subscriptionStatus);
  expect(answers).toEqual([true, true, true, false]);
}

async function endWith(service: Run, kill: (family: { pid: number; command: string }[]) => void): Promise<void> {
  const family = listFamily(service.child.pid ?? 0);
  expect(family.some(({ command }) => command.includes("workerd"))).toBe(true);
  const began = Date.now();
  kill(family);
  await waitFor("every process to end", () => stillRunning(family).length === 0);
  expect(Date.now() - began).toBeLessThan(4000);
}

describe("npm start", () => {
  test("prints lines that work, with callbacks; Ctrl-C ends every process with exit code 0", async () => {
    const service = await start();
    expect(service.output()).not.toMatch(/env\.DB|wrangler 4|Scheduled Workers/);
    expect(statSync(join(folder.state, "demo-client.json")).mode & 0o777).toBe(0o600);
    await tryPrinted(service);

    const receiver = await startReceiver();
    const [clientId = ""] = /(?<=change-client )\S+/.exec(service.output()) ?? [];
    await operate(url, "PATCH", `/clients/${clientId}`, { callbackUrl: receiver.url });
    await tryPrinted(service);
    await waitFor("both callbacks", () => receiver.received.length === 2);
    expect(receiver.received.map(({ body }) => JSON.parse(body).status)).toEqual(["SENDING", "DELIVERED"]);
    await receiver.close();

    // A terminal sends its signal to all of the group in the foreground.
    await endWith(service, () => process.kill(-(service.child.pid ?? 0), "SIGINT"));
    expect(service.output()).toContain('{"level":"info","event":"message.submitted"');
  });

  test("prints the same lines when it runs again, and says that its port is in use; a SIGTERM to npm ends it", async () => {
    const client = readFileSync(join(folder.state, "demo-client.json"), "utf8");
    const service = await start();
    expect(readFileSync(join(folder.state, "demo-client.json"), "utf8")).toBe(client);
    await tryPrinted(service);

    const second = run("npm", ["start", "--", ...startFlags(folder, port)]);
    expect(await second.exited).toBe(1);
    expect(second.output().trim().split("\n").at(-1)).toBe(
      `Port ${port} is in use. Choose another: npm start -- --port ${port + 1}`,
    );
    await endWith(service, () => service.child.kill("SIGTERM"));
  });

  test("makes a new client when the kept one no longer works; says so when wrangler dies, and ends with exit code 1", async () => {
    writeFileSync(
      join(folder.state, "demo-client.json"),
      JSON.stringify({ clientId: "0".repeat(32), clientSecret: "0".repeat(64), callbackSecret: "" }),
    );
    const service = await start();
    await tryPrinted(service);
    await endWith(service, (family) => {
      const wrangler = family.filter(({ command }) => command.includes("wrangler"));
      for (const { pid } of wrangler) process.kill(pid, "SIGKILL");
    });
    expect(await service.exited).toBe(1);
    expect(service.output()).toContain("\nwrangler ended by itself");
  });

  test("says what is wrong with a var", async () => {
    const service = run("npm", ["start", "--", ...startFlags(folder, port), "--var", "SUBMIT_WITHIN_HOURS:0"]);
    expect(await service.exited).toBe(1);
    expect(service.output()).toContain("wrong configuration: SUBMIT_WITHIN_HOURS");
  });

  test("says so when wrangler cannot run, with what it said", async () => {
    const service = run("npm", ["start", "--", ...startFlags(folder, port), "--no-such-flag"]);
    expect(await service.exited).toBe(1);
    expect(service.output()).toMatch(/wrangler ended by itself:\n.*[Uu]nknown argument/s);
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
    await sweepEachMinute(`http://127.0.0.1:${at}`, (line) => reports.push(line), 20);
    await waitFor("a failure", () => reports.length > 0);
    expect(paths[0]).toBe("/cdn-cgi/handler/scheduled?cron=*+*+*+*+*");
    expect(reports[0]).toBe("The scheduled sweep failed: HTTP 500.");
    server.close();
  });
});

test.each([
  ["[wrangler:info] POST /text/message/send 200 OK (3ms)", true],
  ["env.DB (textgate)                  D1 Database               local", true],
  ['{"level":"error","event":"request.failed"}', false],
  ["[wrangler:error] Error: wrong configuration", false],
  ["⎔ Reloading local server...", false],
])("%j is one of wrangler's remarks: %s", (line, expected) => {
  expect(isRemark(line)).toBe(expected);
});
