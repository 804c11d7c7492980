// The client as somebody has it who installs it: packed, installed elsewhere, compiled with, and run against the service.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SignatureError, Textgate, TextgateError, verifyCallback } from "../../../client/index.js";
import { waitFor } from "../harness/processes.ts";
import { answer, startReceiver } from "../harness/receiver.ts";
import { type Client, makeClient, operate, type Service, startService, untilStatus } from "../harness/service.ts";

const ROOT = join(import.meta.dirname, "../../..");
const [PHONE, STRANGER] = ["+12125550100", "+12125550199"];
const MESSAGE = { phone: PHONE, text: "Brand: hello", callbackData: "{}", sendPurpose: "packed" };

let service: Service;
/** What a program has that has installed the package. */
let folder: string;

beforeAll(async () => {
  [service, folder] = await Promise.all([startService(), install()]);
});

afterAll(() => service?.stop());

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** @throws Error with what it printed, when it fails */
async function runIn(cwd: string, program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd }).catch((error) => {
    throw new Error(`${program} ${args[0]}: ${error.stdout}${error.stderr}`);
  });
  return stdout;
}

const runBlock = (file: string, env: Record<string, string>) =>
  promisify(execFile)(process.execPath, [file], { env: { ...process.env, ...env } });

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

describe("README.md of the client", () => {
  const blocks = [...readFileSync(join(ROOT, "client/README.md"), "utf8").matchAll(/```js\n(.*?)```/gs)];

  /** @returns the path of a block of the page, as a module */
  function store(place: number): string {
    const file = join(folder, `block-${place}.js`);
    writeFileSync(file, blocks[place]?.[1] ?? "");
    return file;
  }

  const load = (place: number) => import(/* @vite-ignore */ pathToFileURL(store(place)).href);

  it("has three blocks", () => {
    expect(blocks).toHaveLength(3);
  });

  it("sends a text, once, and shows a refusal", async () => {
    const { clientId, clientSecret } = await makeClient(service.url, "http://127.0.0.1:9/", [PHONE]);
    const env = { TEXTGATE_URL: service.url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
    const [first, second] = [await runBlock(store(0), env), await runBlock(store(0), env)];
    expect(first.stdout).toMatch(/^[0-9a-f-]{36} (PENDING_TO_SEND|SENDING|DELIVERED) null\n$/);
    expect(second.stdout.slice(0, 36)).toBe(first.stdout.slice(0, 36));
    const { stderr } = await runBlock(store(0), { ...env, CLIENT_SECRET: "0".repeat(64) });
    expect(stderr).toMatch(/^40101 40101: .+ [0-9a-f-]{36} refused\n$/);
  });

  it("receives callbacks, and refuses what is not signed", async () => {
    const { receive } = await load(1);
    const secret = "whsec_dGV4dGdhdGUtZXhhbXBsZS1zZWNyZXQh";
    const body = '{"eventId":"m1_DELIVERED"}';
    const signature = new Webhook(secret).sign("m1_DELIVERED", new Date(), body);
    const headers = {
      ...{ "webhook-id": "m1_DELIVERED", "webhook-signature": signature },
      "webhook-timestamp": `${Math.floor(Date.now() / 1000)}`,
    };
    const stored: unknown[] = [];
    const post = async (given: string, keep: (event: unknown) => Promise<void>) =>
      (await receive(new Request("https://example.com", { method: "POST", headers, body: given }), secret, keep))
        .status;
    const keep = async (event: unknown) => void stored.push(event);
    const fail = () => Promise.reject(new Error("the disk is full"));
    expect([await post(body, keep), await post(`${body} `, keep), await post(body, fail)]).toEqual([204, 401, 503]);
    expect(stored).toEqual([JSON.parse(body)]);
  });

  it("catches up", async () => {
    const { catchUp } = await load(2);
    const client = await makeClient(service.url, "", [PHONE]);
    const { messageId } = await new Textgate(client).send(MESSAGE);
    await untilStatus(service.url, messageId, "DELIVERED");
    const stored: { eventId: string }[] = [];
    const store = async (event: { eventId: string }) => void stored.push(event);
    const cursor = await catchUp(client, undefined, store);
    expect(await catchUp(client, cursor, store)).toBe(cursor);
    expect(stored.map(({ eventId }) => eventId)).toEqual([`${messageId}_SENDING`, `${messageId}_DELIVERED`]);
  });
});

describe("against the service", () => {
  /** Waits are noted, and not waited. @param isTouched what is done with each attempt */
  function clientOf(
    client: Client,
    isTouched: (attempt: number, send: () => Promise<Response>, init: RequestInit) => Promise<Response>,
  ) {
    const waits: number[] = [];
    let attempt = 0;
    const fetch = (url: string, init: RequestInit) => {
      attempt += 1;
      return isTouched(attempt, () => globalThis.fetch(url, init), init);
    };
    const options = { fetch: fetch as typeof globalThis.fetch, wait: async (it: number) => void waits.push(it) };
    return { textgate: new Textgate({ ...client, ...options }), waits };
  }

  const makeSender = (callbackUrl = "http://127.0.0.1:9/") => makeClient(service.url, callbackUrl, [PHONE]);

  /** How many texts a client has sent to the number. */
  async function textsOf({ websiteId }: { websiteId: string }): Promise<number> {
    const { messages } = await operate(service.url, "GET", `/messages?website=${websiteId}`);
    return messages.length;
  }

  it("sends once when the answers to the first two attempts are lost", async () => {
    const client = await makeSender();
    const { textgate } = clientOf(client, async (attempt, send) => {
      const response = await send();
      expect(response.status).toBe(200);
      if (attempt <= 2) throw new TypeError("fetch failed");
      return response;
    });
    const { messageId } = await textgate.send(MESSAGE);
    const { attempts } = await untilStatus(service.url, messageId, "DELIVERED");
    expect({ attempts, texts: await textsOf(client) }).toEqual({ attempts: 1, texts: 1 });
  });

  it("sends each of many once when the answer to the first attempt is lost", async () => {
    const client = await makeSender();
    const { textgate } = clientOf(client, async (attempt, send) => {
      const response = await send();
      if (attempt === 1) throw new TypeError("fetch failed");
      return response;
    });
    const messages = Array.from({ length: 20 }, (_, index) => ({ ...MESSAGE, text: `Brand: ${index}` }));
    const { successSent } = await textgate.sendBulk(messages);
    expect(successSent).toHaveLength(20);
    expect(await textsOf(client)).toBe(20);
  });

  it("when it gives up, says with which key the message is sent after all, once", async () => {
    const client = await makeSender();
    const { textgate } = clientOf(client, async (attempt, send) => {
      const response = await send();
      if (attempt <= 5) throw new TypeError("fetch failed");
      return response;
    });
    const failure = await textgate.send(MESSAGE).catch((error: TextgateError) => error);
    if (!(failure instanceof TextgateError)) throw new Error("it did not fail");
    expect(failure.outcome).toBe("unknown");
    await textgate.send(MESSAGE, { idempotencyKey: failure.idempotencyKey ?? "" });
    expect(await textsOf(client)).toBe(1);
  });

  it.each([42900, 50000, 50300])("goes on after %i, as the service says it", async (code) => {
    const client = await makeSender();
    const codes: number[] = [];
    const { textgate, waits } = clientOf(client, async (attempt, send, init) => {
      if (attempt === 1) (init.headers as Headers).set("Sandbox-Error", `${code}`);
      else (init.headers as Headers).delete("Sandbox-Error");
      const response = await send();
      if (!response.ok) codes.push((await response.clone().json()).code);
      return response;
    });
    await textgate.send(MESSAGE);
    expect(codes).toEqual([code]);
    expect(waits).toHaveLength(1);
    expect(await textsOf(client)).toBe(1);
  });

  it("reads the callbacks of the service, and none that is altered", async () => {
    const receiver = await startReceiver(answer(204));
    const client = await makeSender(`${receiver.url}/`);
    const { messageId } = await new Textgate(client).send({ ...MESSAGE, callbackData: '{"name":"Ada 💬"}' });
    await waitFor("two callbacks", () => receiver.received.length === 2);
    await receiver.close();
    const secret = client.callbackSecret;
    const events = await Promise.all(
      receiver.received.map(({ headers, body }) => verifyCallback({ secret, headers, body })),
    );
    const told = events.map((event) =>
      event.eventType === "message.status" ? [event.messageId, event.status, event.callbackData] : [],
    );
    expect(told.sort()).toEqual(["DELIVERED", "SENDING"].map((status) => [messageId, status, '{"name":"Ada 💬"}']));
    for (const { headers, body } of receiver.received) {
      const altered = verifyCallback({ secret, headers, body: body.replace(PHONE, STRANGER) });
      await expect(altered).rejects.toThrow(SignatureError);
    }
    const { callback } = await firstEvent(new Textgate(client));
    expect(callback).toMatchObject({ outcome: "answered", httpStatus: 204 });
  });

  async function firstEvent(textgate: Textgate) {
    for await (const event of textgate.events()) return event;
    throw new Error("there is no event");
  }

  it("reads its events from where it stopped", async () => {
    const client = await makeSender();
    const textgate = new Textgate(client);
    const send = async () => untilStatus(service.url, (await textgate.send(MESSAGE)).messageId, "DELIVERED");
    await send();
    const feed = textgate.events({ limit: 1 });
    const first = [];
    for await (const { eventId } of feed) first.push(eventId);
    await send();
    const second = [];
    for await (const { eventId } of textgate.events({ after: feed.cursor ?? "" })) second.push(eventId);
    expect([first.length, second.length, new Set([...first, ...second]).size]).toEqual([2, 2, 4]);
  });
});
