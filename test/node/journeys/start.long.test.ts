import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startRuntime } from "../../../scripts/runtime.ts";
import { readDemo } from "../harness/demo.ts";
import { listFamily, type Run, run, stillRunning, waitFor } from "../harness/processes.ts";
import { startReceiver } from "../harness/receiver.ts";
import { prepared } from "../harness/run-folder.ts";
import { findFreePort, makeFolder, operate, startFlags, untilStarted } from "../harness/service.ts";
import { linkOf, tryPrinted } from "./printed-lines.ts";

const folder = makeFolder();
const clientFile = join(folder.state, "demo-client.json");

let port: number;
let url: string;

beforeAll(async () => {
  port = await findFreePort();
  url = `http://127.0.0.1:${port}`;
});

afterAll(() => folder.remove());

/** The file of the only database that is kept there. */
function storeOf(state: string): string {
  const place = join(state, "v3/d1/miniflare-D1DatabaseObject");
  const [name, ...others] = readdirSync(place).filter((file) => /^[0-9a-f]{64}\.sqlite$/.test(file));
  expect(others).toEqual([]);
  return join(place, name ?? "");
}

/** As a person types it. @param env with the bundle where the build is not what is tested */
function npmStart(env: Record<string, string>, ...flags: string[]): Run {
  return run("npm", ["start", "--", ...startFlags(folder, port), ...flags], { env });
}

async function start(env: Record<string, string>): Promise<Run> {
  const service = npmStart(env);
  await untilStarted(service);
  return service;
}

const built = async () => ({ TEXTGATE_BUILT: (await prepared()).version });

function runWrangler(...args: string[]): Run {
  const env = { CLOUDFLARE_CF_FETCH_ENABLED: "false", WRANGLER_SEND_METRICS: "false" };
  return run(process.execPath, ["node_modules/wrangler/bin/wrangler.js", ...args], { env });
}

/** Its two streams come in any order, and npm writes to both. */
function linesOfItsOwn(service: Run): string[] {
  return service
    .output()
    .split("\n")
    .filter((line) => line !== "" && !/^(>|npm (warn|notice)) /.test(line));
}

async function endWith(service: Run, kill: (family: { pid: number; command: string }[]) => void): Promise<void> {
  const family = listFamily(service.child.pid ?? 0);
  expect(family.some(({ command }) => command.includes("workerd"))).toBe(true);
  const began = Date.now();
  kill(family);
  await waitFor("every process to end", () => stillRunning(family).length === 0);
  expect(Date.now() - began).toBeLessThan(4000);
}

/** The process of the service whose command has this in it. */
function findOne(service: Run, name: string): number {
  const found = listFamily(service.child.pid ?? 0).filter(({ command }) => command.includes(name));
  const last = found.at(-1);
  if (!last) throw new Error(`no process ${name}`);
  return last.pid;
}

/** Whether the console, opened by the link, says that its data is made up. */
async function isMarked(link: string): Promise<boolean | undefined> {
  const [, token] = link.split("#/in/");
  const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin", "x-console": "1" };
  const signedIn = await fetch(`${url}/console/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const { session } = await (await fetch(`${url}/console/session`, { headers: { cookie } })).json();
  return session.isDemo;
}

describe("npm start", () => {
  let first: Run;
  /** What the first start has filled an empty service with. */
  let month: Awaited<ReturnType<typeof readDemo>>;
  let wasMarked: boolean | undefined;
  /** What the first start has kept for those after it. */
  let kept: { clientId: string; clientSecret: string };

  beforeAll(async () => {
    first = await start({});
    month = await readDemo(url, linkOf(first));
    wasMarked = await isMarked(linkOf(first));
    kept = JSON.parse(readFileSync(clientFile, "utf8"));
    await tryPrinted(first, url);
    await callBack(first);
    // A terminal sends its signal to all of the group in the foreground.
    await endWith(first, () => process.kill(-(first.child.pid ?? 0), "SIGINT"));
    expect(await first.exited).toBe(0);
  });

  /** Runs the printed lines with an endpoint. */
  async function callBack(service: Run): Promise<void> {
    const receiver = await startReceiver();
    const [clientId = ""] = /(?<=change-client )\S+/.exec(service.output()) ?? [];
    await operate(url, "PATCH", `/clients/${clientId}`, { callbackUrl: receiver.url });
    await tryPrinted(service, url);
    await waitFor("both callbacks", () => receiver.received.length === 2);
    expect(receiver.received.map(({ body }) => JSON.parse(body).status)).toEqual(["SENDING", "DELIVERED"]);
    await receiver.close();
  }

  test("prints lines that work, with callbacks, and a link to the console, which has a month to show; Ctrl-C ends every process with exit code 0", async () => {
    expect(first.output()).not.toMatch(/env\.DB|wrangler 4|Scheduled Workers|build|Using secrets/);
    for (const name of ["demo-client.json", "demo-operator-token"])
      expect(statSync(join(folder.state, name)).mode & 0o777).toBe(0o600);
    const troubles = { holds: 1, deadJobs: 1, maybeOptOuts: 1, failingEndpoints: 1 };
    expect(wasMarked).toBe(true);
    expect(month).toMatchObject({ brands: ["harbor-coffee", "northwind"], troubles });
    expect(month.accepted).toBeGreaterThan(300);
    expect(Math.min(...month.days)).toBeGreaterThan(25);
    expect(Math.min(...Object.values(month.counts))).toBeGreaterThan(0);
    expect(first.output()).toContain('{"level":"info","event":"messages.accepted"');
  });

  test("prints the same lines when it runs again, and says that its port is in use; they outlive a rotation; a SIGTERM to npm ends it", async () => {
    const token = readFileSync(join(folder.state, "demo-operator-token"), "utf8").trim();
    const service = await start(await built());
    expect(linkOf(service)).toBe(`${url}/console#/in/${token}`);
    expect(await readDemo(url, linkOf(service))).toEqual(month);
    expect(JSON.parse(readFileSync(clientFile, "utf8"))).toEqual(kept);
    await tryPrinted(service, url);
    expect(service.output()).toContain(`${url}/docs\n`);
    expect(service.output()).toMatch(/^\+12125550100 +ada@example.com +DELIVERED$/m);
    expect(service.output()).toMatch(/^\+12125550002 +SENDING, then FAILED_TO_DELIVERY, UNDELIVERED$/m);

    const second = npmStart({});
    expect(await second.exited).toBe(1);
    expect(linesOfItsOwn(second)).toEqual([`Port ${port} is in use. Choose another: npm start -- --port ${port + 1}`]);

    await operate(url, "POST", `/clients/${kept.clientId}/rotate`, {});
    await tryPrinted(service, url);
    await endWith(service, () => service.child.kill("SIGTERM"));
  });

  test("shows a pair in force when the kept one was replaced; goes on when workerd has ended; killed, leaves none behind", async () => {
    const replaced = { ...kept, clientSecret: "0".repeat(64) };
    writeFileSync(clientFile, JSON.stringify(replaced));
    const service = await start(await built());
    await tryPrinted(service, url);
    expect(service.output()).not.toContain(replaced.clientSecret);

    process.kill(findOne(service, "workerd"), "SIGKILL");
    await waitFor("workerd to be started again", () => service.output().includes("was started again."));
    await tryPrinted(service, url);
    await endWith(service, (family) => {
      for (const { pid, command } of family) if (/npm|start\.ts/.test(command)) process.kill(pid, "SIGKILL");
    });
  });

  test("makes a new client when the kept one no longer works; says why it ends when workerd cannot be started again", async () => {
    writeFileSync(
      clientFile,
      JSON.stringify({ clientId: "0".repeat(32), clientSecret: "0".repeat(64), callbackSecret: "" }),
    );
    const workerd = join(folder.folder, "workerd");
    const { default: path } = createRequire(import.meta.url)("workerd");
    writeFileSync(workerd, `#!/bin/sh\nexec ${path} "$@"\n`, { mode: 0o755 });
    const service = await start({ ...(await built()), MINIFLARE_WORKERD_PATH: workerd });
    await tryPrinted(service, url);

    writeFileSync(workerd, "#!/bin/sh\nexit 1\n");
    process.kill(findOne(service, "workerd serve"), "SIGKILL");
    expect(await service.exited).toBe(1);
    expect(service.output()).toMatch(/\nThe service has ended: The Workers runtime failed to restart/);
  });

  test('leaves its data where "wrangler dev" finds it', async () => {
    const migrations = runWrangler("d1", "migrations", "list", "DB", "--local", "--persist-to", folder.state);
    await migrations.exited;
    expect(migrations.output()).toContain("No migrations to apply");
    const dev = runWrangler("dev", ...startFlags(folder, port), "--inspector-port", "0");
    await waitFor("wrangler dev", () => dev.output().includes("Ready on"));
    const { clients } = await operate(url, "GET", "/websites/demo");
    expect(clients.map((client: { clientId: string }) => client.clientId)).toContain(kept.clientId);
    await endWith(dev, () => process.kill(-(dev.child.pid ?? 0), "SIGINT"));
  });

  test("says in a line that its data have another schema, and which folder to delete", async () => {
    const change = (sql: string) => {
      const database = new DatabaseSync(storeOf(folder.state));
      expect(database.prepare(sql).run().changes).toBe(1);
      database.close();
    };
    change("INSERT INTO d1_migrations (name) VALUES ('0002_of_another_checkout.sql')");
    const service = npmStart(await built());
    expect(await service.exited).toBe(1);
    expect(linesOfItsOwn(service)).toEqual([
      "Starting …",
      `The data in ${folder.state} have another schema: delete that folder, or choose another with --persist-to.`,
    ]);
    change("DELETE FROM d1_migrations WHERE name = '0002_of_another_checkout.sql'");
  });

  test("says what is wrong with a var", async () => {
    const service = npmStart(await built(), "--var", "SUBMIT_WITHIN_HOURS:0");
    expect(await service.exited).toBe(1);
    expect(service.output()).toContain("wrong configuration: SUBMIT_WITHIN_HOURS");
  });

  test("says in a line what it does not take", async () => {
    const service = npmStart({}, "--live-reload");
    expect(await service.exited).toBe(1);
    expect(linesOfItsOwn(service)).toEqual([
      "npm start has no flag --live-reload: see npm start -- --help. If it is one of wrangler's: npx wrangler dev --live-reload",
    ]);
  });
});

describe("the Worker's log", () => {
  test("has the level of the method that wrote a line", async () => {
    const script = join(folder.folder, "levels.js");
    const writes = ["log", "warn", "error"].map((level) => `console.${level}("of ${level}");`).join(" ");
    writeFileSync(script, `export default { fetch() { ${writes} return new Response(); } };`);
    const lines: string[] = [];
    const miniflare = startRuntime({
      directory: folder.folder,
      workers: [{ name: "levels", modules: [{ type: "ESModule", path: script }], modulesRoot: folder.folder }],
      handleStructuredLogs: ({ level, message }) => lines.push(`${level}: ${message}`),
    });
    await miniflare.dispatchFetch("http://localhost/");
    await waitFor("the lines", () => lines.length === 3);
    await miniflare.dispose();
    expect(lines.sort()).toEqual(["error: of error", "log: of log", "warn: of warn"]);
  });
});
