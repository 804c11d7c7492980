// The blocks of client/README.md, run as they stand there.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Textgate } from "../../../client/index.js";
import { makeClient, untilStatus } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PHONE = "+12125550100";

let service: SharedService;
/** What a program has that has the package. */
const folder = mkdtempSync(join(tmpdir(), "textgate-consumer-"));

beforeAll(async () => {
  writeFileSync(join(folder, "package.json"), '{"type": "module", "private": true}');
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(ROOT, "client"), join(folder, "node_modules/textgate-client"));
  service = await sharedService();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runBlock = (file: string, env: Record<string, string>) =>
  promisify(execFile)(process.execPath, [file], { env: { ...process.env, ...env } });

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
    const block = store(0);
    const first = await runBlock(block, env);
    const [second, { stderr }] = await Promise.all([
      runBlock(block, env),
      runBlock(block, { ...env, CLIENT_SECRET: "0".repeat(64) }),
    ]);
    expect(first.stdout).toMatch(/^[0-9a-f-]{36} (PENDING_TO_SEND|SENDING|DELIVERED) null\n$/);
    expect(second.stdout.slice(0, 36)).toBe(first.stdout.slice(0, 36));
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
    const { messageId } = await new Textgate(client).send({
      ...{ phone: PHONE, text: "Brand: hello", callbackData: "{}", sendPurpose: "packed" },
    });
    await untilStatus(service.url, messageId, "DELIVERED");
    const stored: { eventId: string }[] = [];
    const store = async (event: { eventId: string }) => void stored.push(event);
    const cursor = await catchUp(client, undefined, store);
    expect(await catchUp(client, cursor, store)).toBe(cursor);
    expect(stored.map(({ eventId }) => eventId)).toEqual([`${messageId}_SENDING`, `${messageId}_DELIVERED`]);
  });
});
