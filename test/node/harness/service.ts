import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { subscriberRow } from "../../subscriber-csv.ts";
import { type Run, run, waitFor } from "./processes.ts";
import { prepared } from "./run-folder.ts";

export const TOKEN = "operator-token-of-the-journeys";

/** A folder for a service's data and secrets, so that none of the developer's own is touched. */
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "textgate-"));
  const varsFile = join(folder, "dev.vars");
  writeFileSync(varsFile, "");
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return { folder, varsFile, state: join(folder, "state"), remove };
}

export type Folder = ReturnType<typeof makeFolder>;

/** Below the ports that systems give to connections: one of those may take it before it is listened on. */
const [FIRST_PORT, LAST_PORT] = [15_000, 32_000];

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

export function startFlags({ state, varsFile }: Pick<Folder, "state" | "varsFile">, port: number): string[] {
  return ["--port", `${port}`, "--persist-to", state, "--env-file", varsFile, "--var", `OPERATOR_TOKEN:${TOKEN}`];
}

export async function untilStarted(service: Run): Promise<void> {
  let ended = false;
  void service.exited.then(() => {
    ended = true;
  });
  await waitFor("the service to start", () => ended || service.output().includes("Ctrl-C"));
  if (ended) throw new Error(`the service has not started:\n${service.output()}`);
}

/** Has the databases migrated before a service starts. */
export async function copyState(state: string): Promise<void> {
  cpSync((await prepared()).state, state, { recursive: true });
}

/** `npm start`, without npm, its build, its migrations and its month of a demo. */
export async function runStart(folder: Folder, port: number, flags: string[] = []): Promise<Run> {
  if (!existsSync(folder.state)) await copyState(folder.state);
  const env = { TEXTGATE_BUILT: (await prepared()).version };
  const own = ["scripts/start.ts", ...startFlags(folder, port), "--no-demo", ...flags];
  const service = run(process.execPath, own, { env });
  await untilStarted(service);
  return service;
}

type Vars = Record<string, string>;

/** The statements in each database of a service that is not started yet, which may have fewer of them. */
async function fill(folder: Folder, statements: string): Promise<void> {
  await copyState(folder.state);
  const files = readdirSync(folder.state, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".sqlite"))) {
    const db = new DatabaseSync(join(folder.state, file));
    const isMigrated = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'websites'").all().length > 0;
    if (isMigrated) db.exec(statements);
    db.close();
  }
}

/**
 * The service of `npm start`, for a file of tests that call it.
 * @param vars may depend on its URL
 * @param more flags
 * @param statements that fill its databases before it starts
 */
export async function startService(
  vars: Vars | ((url: string) => Vars) = {},
  more: string[] = [],
  statements?: string,
) {
  const folder = makeFolder();
  if (statements !== undefined) await fill(folder, statements);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const flags = Object.entries(typeof vars === "function" ? vars(url) : vars).flatMap(([name, value]) => [
    "--var",
    `${name}:${value}`,
  ]);
  const service = await runStart(folder, port, [...flags, ...more]);
  return {
    url,
    folder,
    output: service.output,
    pid: service.child.pid ?? 0,
    async stop(): Promise<void> {
      service.child.kill("SIGTERM");
      const code = await service.exited;
      if (code !== 0) throw new Error(`the service ended with exit code ${code}:\n${service.output()}`);
      folder.remove();
    },
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** One call of the operator's side that must succeed. */
export async function operate(url: string, method: string, path: string, body?: object | string) {
  const type = typeof body === "string" ? "text/csv" : "application/json";
  const response = await fetch(`${url}/operator${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body ? { "content-type": type } : {}) },
    ...(body ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} /operator${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

export interface Client {
  url: string;
  clientId: string;
  clientSecret: string;
  callbackSecret: string;
}

let websites = 0;

/** A website of its own with one client; the subscribers are lines of the CSV file. */
export async function makeClient(
  url: string,
  callbackUrl: string,
  subscribers: string[] = [],
  settings: object = {},
): Promise<Client & { websiteId: string }> {
  const websiteId = `journey-${process.pid}-${++websites}`;
  const path = `/websites/${websiteId}`;
  await operate(url, "PUT", path, { name: "Journey", carrier: "sandbox", ...settings });
  if (subscribers.length > 0) {
    const csv = ["phone_numbers,email,subscribed", ...subscribers.map(subscriberRow)].join("\n");
    await operate(url, "POST", `${path}/subscribers`, csv);
  }
  return { url, websiteId, ...(await operate(url, "POST", `${path}/clients`, { callbackUrl })) };
}

/** Sends a text; the fields that are not given are filled in. */
export async function send(client: Client, fields: object): Promise<{ status: number; messageId: string }> {
  const response = await fetch(`${client.url}/text/message/send`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-client-id": client.clientId,
      "x-client-secret": client.clientSecret,
    },
    body: JSON.stringify({ text: "Brand: hello", callbackData: "{}", sendPurpose: "journey", ...fields }),
  });
  const { messageId } = (await response.json()) as { messageId: string };
  return { status: response.status, messageId };
}

/** What the operator sees of a message, once it has this status. */
export function untilStatus(url: string, messageId: string, status: string) {
  return waitFor(`${messageId} to be ${status}`, async () => {
    const message = await operate(url, "GET", `/messages/${messageId}`);
    return message.status === status && message;
  });
}

/** Fires the scheduled job, as the cron trigger does each minute. */
export async function sweep(url: string): Promise<void> {
  const response = await fetch(`${url}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`);
  if (!response.ok) throw new Error(`the sweep failed: ${response.status}`);
}
