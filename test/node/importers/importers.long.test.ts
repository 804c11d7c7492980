/**
 * Programs that read the OpenAPI document, each as its users run it: makers of typed clients, importers of collections, and a maker of servers
 * of tools. Without `npm ci --prefix test/node/importers`, they are skipped. openapi-typescript has typed-client.long.test.ts.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client as Agent } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeClient, TOKEN } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";

const FOLDER = import.meta.dirname;
const OUT = join(FOLDER, "out");
const DOCUMENT = join(OUT, "openapi.json");
const PHONE = "+12125550100";

const isInstalled = existsSync(join(FOLDER, "node_modules/orval"));
if (!isInstalled) console.warn("SKIPPED: the importers. To run them: npm ci --prefix test/node/importers");

const load = createRequire(join(FOLDER, "package.json"));

/** @throws Error with what it printed, when it fails */
async function run(program: string, ...args: string[]): Promise<string> {
  const path = join(FOLDER, "node_modules/.bin", program);
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], { cwd: FOLDER }).catch((error) => {
    throw new Error(`${program}: ${error.stdout}${error.stderr}`);
  });
  return stdout;
}

/** One request of a collection. */
interface Imported {
  headers: Record<string, string>;
  body: string;
}

describe.skipIf(!isInstalled)("the document", { timeout: 120_000 }, () => {
  let service: SharedService;
  let client: Awaited<ReturnType<typeof makeClient>>;
  let text: string;

  beforeAll(async () => {
    service = await sharedService();
    client = await makeClient(service.url, "http://127.0.0.1:9/", [`${PHONE},,true`]);
    mkdirSync(OUT, { recursive: true });
    text = await (await fetch(`${service.url}/openapi.json`)).text();
    writeFileSync(DOCUMENT, text);
  });

  afterAll(() => rmSync(OUT, { recursive: true, force: true }));

  /** Each of these lines is one that a type must refuse, or must take. */
  const USES = `
const rest = { text: "Hello", callbackData: "{}", sendPurpose: "typed" };
export const right: BulkSendRequest = { messages: [{ phone: "+12125550100", ...rest }, { email: "ada@example.com", ...rest }] };
// @ts-expect-error: not a string
export const number: BulkSendRequest = { messages: [{ phone: 5, ...rest }] };
// @ts-expect-error: \`text\` is required
export const nothing: BulkSendRequest = { messages: [{ phone: "+12125550100", callbackData: "", sendPurpose: "x" }] };
`;

  it.each([
    ["hey-api", "openapi-ts", ["-i", DOCUMENT, "-o", join(OUT, "hey-api")], "./hey-api/types.gen.ts"],
    ["orval", "orval", ["--input", DOCUMENT, "--output", join(OUT, "orval.ts")], "./orval.ts"],
  ])("gives the messages of a bulk request their types: %s", async (name, program, args, types) => {
    await run(program, ...args);
    const file = join(OUT, `${name}-uses.ts`);
    writeFileSync(file, `import type { BulkSendRequest } from "${types}";\n${USES}`);
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--module", "nodenext", "--allowImportingTsExtensions"];
    expect(await run("tsc", ...options, "--target", "es2022", "--lib", "es2023,dom,dom.iterable", file)).toBe("");
  });

  /** Imports a file with the client that a maker has written. @returns the status and the answer */
  const importWith: Record<string, (csv: string) => Promise<[status: number, answer: object]>> = {
    "hey-api": async (csv) => {
      await run("openapi-ts", "-i", DOCUMENT, "-o", join(OUT, "hey-api"));
      const { importSubscribers } = await import(/* @vite-ignore */ join(OUT, "hey-api/index.ts"));
      const path = { websiteId: client.websiteId };
      const { response, data, error } = await importSubscribers({
        ...{ baseUrl: service.url, auth: TOKEN, path, body: csv },
      });
      return [response.status, data ?? error];
    },
    // Its fetch client sends a string of text/csv as a string of JSON.
    orval: async (csv) => {
      const file = join(OUT, "orval-fetch.ts");
      const output = { target: file, client: "fetch", baseUrl: service.url };
      const config = join(OUT, "orval.config.mjs");
      writeFileSync(config, `export default ${JSON.stringify({ textgate: { input: DOCUMENT, output } })}`);
      await run("orval", "--config", config);
      const { importSubscribers } = await import(/* @vite-ignore */ file);
      const headers = { authorization: `Bearer ${TOKEN}` };
      const { status, data } = await importSubscribers(client.websiteId, csv, undefined, { headers });
      return [status, data];
    },
  };

  it.each<[name: string, status: number, answer: object]>([
    ["hey-api", 200, { imported: 1 }],
    ["orval", 400, { code: 40001, details: [{ field: "body", message: "is a string of JSON: send the file itself" }] }],
  ])("imports a file, or says why it is none: %s", async (name, status, answer) => {
    const imported = await importWith[name]?.(`phone_numbers,subscribed\n${PHONE},true`);
    expect(imported).toEqual([status, expect.objectContaining(answer)]);
  });

  /** Sends it as its user does, who adds the header that the importer leaves out: of two keys that belong together, it keeps one. */
  async function play({ headers, body }: Imported): Promise<number> {
    const keys = { "X-Client-ID": client.clientId, "X-Client-Secret": client.clientSecret };
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers, ...keys }, body };
    return (await fetch(`${service.url}/text/message/send`, init)).status;
  }

  interface PostmanItem {
    item?: PostmanItem[];
    name: string;
    request: { header: { key: string; value: string; disabled?: boolean }[]; body: { raw: string } };
  }

  const requestsOf = ({ item, ...request }: PostmanItem): PostmanItem[] =>
    item ? item.flatMap(requestsOf) : [request];

  async function convert(options: object): Promise<PostmanItem[]> {
    const converter = load("openapi-to-postmanv2") as {
      convertV2(
        input: object,
        options: object,
        done: (error: Error | null, result: { output: { data: PostmanItem }[] }) => void,
      ): void;
    };
    const { output } = await new Promise<{ output: { data: PostmanItem }[] }>((resolve, reject) =>
      converter.convertV2({ type: "string", data: text }, options, (error, result) =>
        error ? reject(error) : resolve(result),
      ),
    );
    return output.flatMap(({ data }) => requestsOf(data));
  }

  it("becomes a Postman collection that asks for no error, and sends its examples", async () => {
    for (const options of [{}, { parametersResolution: "Example", enableOptionalParameters: false }]) {
      const all = await convert(options);
      expect(all.flatMap(({ request }) => request.header.map(({ key }) => key))).not.toContain("Sandbox-Error");
    }
    const all = await convert({ parametersResolution: "Example", enableOptionalParameters: false });
    const send = all.find(({ name }) => name === "Send a message")?.request;
    const enabled = send?.header.filter(({ disabled }) => !disabled) ?? [];
    const request = {
      headers: Object.fromEntries(enabled.map(({ key, value }) => [key, value])),
      body: send?.body.raw ?? "",
    };
    expect([await play(request), await play(request)]).toEqual([200, 200]);
  });

  interface BrunoItem {
    items?: BrunoItem[];
    name: string;
    request: { headers: { name: string; value: string; enabled: boolean }[]; body: { json: string } };
  }

  it("becomes a Bruno collection that sends its examples", async () => {
    const { openApiToBruno } = load("@usebruno/converters") as { openApiToBruno(document: object): BrunoItem };
    const itemsOf = (item: BrunoItem): BrunoItem[] => (item.items ? item.items.flatMap(itemsOf) : [item]);
    const send = itemsOf(openApiToBruno(JSON.parse(text))).find(({ name }) => name === "Send a message")?.request;
    const enabled = send?.headers.filter((header) => header.enabled && header.name !== "X-Client-ID") ?? [];
    const headers = Object.fromEntries(enabled.map(({ name, value }) => [name, value]));
    expect(await play({ headers, body: send?.body.json ?? "" })).toBe(200);
  });

  it("becomes a server of tools that sends a text: openapi-mcp-generator", async () => {
    await run("openapi-mcp-generator", "--input", DOCUMENT, "--output", join(OUT, "tools"), "--force");
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(OUT, "tools/src/index.ts")],
      env: {
        ...process.env,
        API_BASE_URL: service.url,
        API_KEY_CLIENTID: client.clientId,
        API_KEY_CLIENTSECRET: client.clientSecret,
      } as Record<string, string>,
      stderr: "ignore",
    });
    const agent = new Agent({ name: "test", version: "1" });
    await agent.connect(transport);
    const requestBody = { phone: PHONE, text: "Hello", callbackData: "{}", sendPurpose: "first-text" };
    const { content } = await agent.callTool({ name: "sendMessage", arguments: { requestBody } });
    await agent.close();
    expect(JSON.stringify(content)).toMatch(/Status: 200.*messageId/s);
  });
});
