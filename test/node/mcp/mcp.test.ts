// `npm run mcp` as an agent has it: started by the client of the official SDK, against the service.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSource } from "../../../scripts/load-source.ts";
import { listTools } from "../../../scripts/mcp/tools.ts";
import { makeClient, operate, type Service, send, startService, untilStatus } from "../harness/service.ts";

const ROOT = join(import.meta.dirname, "../../..");
const [PHONE, EMAIL, TEXT] = ["+12125550100", "ada.lovelace@example.com", "Brand: your code is 4711"];

let service: Service;
let viewer: string;
let operator: string;
let client: Awaited<ReturnType<typeof makeClient>>;
let messageId: string;
const agents = new Map<string, Promise<Client>>();

beforeAll(async () => {
  service = await startService();
  const make = async (name: string, role: string) =>
    (await operate(service.url, "POST", "/tokens", { name, role })).token;
  [viewer, operator] = [await make("mcp-reader", "viewer"), await make("mcp-writer", "operator")];
  client = await makeClient(service.url, "http://127.0.0.1:9/", [`${PHONE},${EMAIL},true`]);
  messageId = (await send(client, { phone: PHONE, text: TEXT, callbackData: '{"secret":"of the client"}' })).messageId;
  await untilStatus(service.url, messageId, "DELIVERED");
});

afterAll(async () => {
  for (const agent of agents.values()) await (await agent).close();
  await service?.stop();
});

/** The configuration of docs/mcp.md. */
function documented(): { command: string; args: string[]; env: Record<string, string> } {
  const page = readFileSync(join(ROOT, "docs/mcp.md"), "utf8");
  const [, block = ""] = /\n( +\{\n.*?\n +\}\n)\n/s.exec(page) ?? [];
  return JSON.parse(block).mcpServers.textgate;
}

/** An agent whose configuration starts the server. Each is started once. */
function connect(token: string, ...flags: string[]): Promise<Client> {
  const key = [token, ...flags].join(" ");
  const agent = agents.get(key) ?? start(token, flags);
  agents.set(key, agent);
  return agent;
}

async function start(token: string, flags: string[]): Promise<Client> {
  const agent = new Client({ name: "test", version: "1" });
  const { command, args } = documented();
  const transport = new StdioClientTransport({
    command,
    args: [...args.map((it) => (it === "/path/to/textgate" ? ROOT : it)), "--", ...flags],
    env: { ...process.env, TEXTGATE_URL: service.url, OPERATOR_TOKEN: token } as Record<string, string>,
    stderr: "ignore",
  });
  await agent.connect(transport);
  return agent;
}

async function use(agent: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError = false } = await agent.callTool({ name, arguments: args });
  const [first] = content;
  if (first?.type !== "text" || content.length > 1) throw new Error(`not one text: ${JSON.stringify(content)}`);
  return { isError, text: first.text };
}

const read = async (agent: Client, name: string, args: Record<string, unknown> = {}) => {
  const { isError, text } = await use(agent, name, args);
  expect([name, isError, isError && text]).toEqual([name, false, false]);
  return JSON.parse(text);
};

const namesOf = async (agent: Client) => (await agent.listTools()).tools.map(({ name }) => name).sort();

/** What no agent gets: it shows people in full, issues secrets, or is a file. */
const WITHHELD = [
  ...[
    "createClient",
    "createOperatorToken",
    "exportPerson",
    "exportPersonOfWebsite",
    "getMetrics",
    "importSubscribers",
  ],
  ...["revealPerson", "rotateClient"],
];

const READING = [
  ...["findMessages", "findPerson", "findPersonId", "getClient", "getMessage", "getMove", "getOverview", "getPerson"],
  ...["getReport", "getReportOfAll", "getServiceState", "getWaiting", "getWebsite", "listAudit", "listDatabases"],
  ...[
    "listDeadJobs",
    "listHolds",
    "listImports",
    "listInbound",
    "listMoves",
    "listOperatorSessions",
    "listOperatorTokens",
  ],
  ...["listScheduled", "listSubscribers", "listTexts", "listWebsites", "listWithoutEffect", "readLedger"],
];

describe("the tools", () => {
  it("are the calls of the operator, but for those that are withheld", async () => {
    const { CALLS } = (await loadSource("calls.ts")) as { CALLS: { id: string; access: unknown }[] };
    const ids = CALLS.filter(({ access }) => access === "operator").map(({ id }) => id);
    const names = (await listTools()).map(({ name }) => name);
    expect([...names, ...WITHHELD].sort()).toEqual(ids.sort());
  });

  it("only read, unless writing is allowed", async () => {
    const [reading, writing] = [await connect(viewer), await connect(operator, "--allow-write")];
    expect(await namesOf(reading)).toEqual(READING);
    const { tools } = await writing.listTools();
    expect(tools.map(({ name }) => name)).toEqual((await listTools()).map(({ name }) => name));
    for (const { name, annotations } of tools) {
      expect([name, annotations?.readOnlyHint]).toEqual([name, READING.includes(name)]);
    }
  });

  it("say what they take, without a reference that an agent cannot follow", async () => {
    for (const { name, inputSchema } of await listTools()) {
      expect([name, JSON.stringify(inputSchema).includes("$ref")]).toEqual([name, false]);
    }
    const { inputSchema } = (await listTools()).find(({ name }) => name === "holdMessages") ?? {};
    expect(inputSchema).toMatchObject({
      properties: {
        websiteId: { type: "string" },
        body: { properties: { sendPurpose: { description: "Only messages with this sendPurpose." } } },
      },
      required: ["websiteId", "body"],
      additionalProperties: false,
    });
  });
});

describe("an agent that reads", () => {
  it("sees the state of the service, and a message from its id to its person", async () => {
    const agent = await connect(viewer);
    expect(await read(agent, "getServiceState")).toMatchObject({ problems: expect.any(Array) });
    const { messages } = await read(agent, "findMessages", { website: client.websiteId, status: "DELIVERED" });
    expect(messages).toMatchObject([{ messageId, phone: "+1212•••••00", personId: expect.any(String) }]);
    const { personId } = messages[0];
    const person = await read(agent, "getPerson", { websiteId: client.websiteId, phone: personId });
    expect(person).toMatchObject({ phone: "+1212•••••00", subscribed: true });
    expect(await read(agent, "findPersonId", { body: { phone: PHONE } })).toMatchObject({ personId });
  });

  /** Each reading tool, with arguments that find the person, by a token that would be answered in full. */
  it.each(["viewer", "operator"])("sees no number, address or text, as %s", async (role) => {
    const agent = await connect(role === "viewer" ? viewer : operator);
    const { websiteId, clientId } = client;
    const args: Record<string, Record<string, unknown>> = {
      findMessages: { phone: PHONE },
      findPerson: { phone: PHONE },
      findPersonId: { body: { email: EMAIL } },
      getClient: { clientId },
      getMessage: { messageId },
      getPerson: { websiteId, phone: PHONE },
      ...Object.fromEntries(
        ["getReport", "getWebsite", "listInbound", "listSubscribers", "readLedger"].map((name) => [
          name,
          { websiteId },
        ]),
      ),
    };
    const answers: string[] = [];
    for (const name of READING.filter((it) => it !== "getMove")) {
      answers.push(JSON.stringify(await read(agent, name, args[name])));
    }
    const all = answers.join("\n");
    expect(all).toContain("+1212•••••00");
    expect(all).toContain("a•••@example.com");
    for (const hidden of [PHONE, "2125550100", EMAIL, "ada.lovelace", TEXT, '4711"', "of the client"]) {
      expect([hidden, all.includes(hidden)]).toEqual([hidden, false]);
    }
  });

  it("cannot change anything: there is no such tool", async () => {
    const agent = await connect(operator);
    const args = { websiteId: client.websiteId, body: {} };
    await expect(agent.callTool({ name: "holdMessages", arguments: args })).rejects.toThrow(/holdMessages/);
    expect(await operate(service.url, "GET", `/websites/${client.websiteId}`)).toMatchObject({ holds: [] });
  });

  it.each([
    ["a parameter that is unknown", "getMessage", { messageId: "m", website: "x" }, "additional properties"],
    ["a parameter that is missing", "getMessage", {}, "messageId"],
    ["a value of a wrong type", "getMessage", { messageId: 7 }, "messageId"],
    ["a path that leads elsewhere", "getClient", { clientId: ".." }, "clientId"],
    ["a path without its end", "getClient", { clientId: "" }, "clientId"],
  ])("is told of %s", async (_, name, args, told) => {
    const agent = await connect(viewer);
    const { isError, text } = await use(agent, name, args as Record<string, unknown>);
    expect([isError, text]).toEqual([true, expect.stringContaining(told)]);
  });

  it("is told what the service refuses, without the number that it has given", async () => {
    const agent = await connect(viewer);
    const unknown = await use(agent, "getMessage", { messageId: "9f1c2b34-0000-4000-8000-000000000000" });
    expect([unknown.isError, JSON.parse(unknown.text).code]).toEqual([true, 40401]);
    const wrong = await use(agent, "findMessages", { phone: "+1 212 555 01000 00" });
    expect([wrong.isError, JSON.parse(wrong.text).code]).toEqual([true, 40001]);
    expect(wrong.text).not.toContain("01000");
    const segments = await use(agent, "getWebsite", { websiteId: "a/../b?x=1#y" });
    expect(segments.isError).toBe(true);
  });
});

describe("an agent that writes", () => {
  it("holds messages, and the audit log has its name", async () => {
    const agent = await connect(operator, "--allow-write");
    const { websiteId } = client;
    const body = { sendPurpose: "spring-sale", reason: "wrong link" };
    const { holdId } = await read(agent, "holdMessages", { websiteId, body });
    const { entries } = await operate(service.url, "GET", "/audit?by=mcp-writer");
    expect(entries).toMatchObject([{ operator: "mcp-writer", action: "hold", websiteId }]);
    expect(await read(agent, "listHolds", { website: websiteId })).toMatchObject({ holds: [{ holdId, ...body }] });
    await read(agent, "releaseMessages", { websiteId, body: { holdId } });
  });

  it("is refused with a viewer's token", async () => {
    const agent = await connect(viewer, "--allow-write");
    const { isError, text } = await use(agent, "holdMessages", { websiteId: client.websiteId, body: {} });
    expect([isError, JSON.parse(text).code]).toEqual([true, 40304]);
  });
});

describe("npm run mcp", () => {
  async function fail(args: string[], env: Record<string, string>): Promise<string> {
    const running = promisify(execFile)("npm", ["run", "--silent", "mcp", "--", ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
    });
    const { code, stdout, stderr } = await running.then(
      () => ({ code: 0, stdout: "", stderr: "" }),
      (error) => error,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    return stderr;
  }

  it("wants a token that has a name: the audit log has to tell an agent from a person", async () => {
    for (const token of ["", "operator-token-of-the-journeys"]) {
      expect(await fail([], { OPERATOR_TOKEN: token })).toMatch(
        /must be a token that has a name\n(.*\n)+.*create-token mcp --role viewer/,
      );
    }
  });

  it("says what is wrong with its arguments", async () => {
    expect(await fail(["--allow-writes"], { OPERATOR_TOKEN: viewer })).toContain("--allow-writes");
    expect(await fail(["--url", "sms.example.com"], { OPERATOR_TOKEN: viewer })).toContain("not an http or https URL");
  });

  it("says that the service does not answer", async () => {
    const agent = await connect(viewer, "--url", "http://127.0.0.1:9");
    expect(await use(agent, "getServiceState")).toEqual({
      ...{ isError: true, text: "The service does not answer at http://127.0.0.1:9." },
    });
  });
});
