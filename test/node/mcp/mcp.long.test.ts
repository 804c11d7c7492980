// `npm run mcp` as an agent has it: started by the client of the official SDK, against the service.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listTools } from "../../../scripts/mcp/tools.ts";
import { makeClient, operate } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";
import { READING, read, use } from "./agents.ts";

const ROOT = join(import.meta.dirname, "../../..");

let service: SharedService;
let viewer: string;
let operator: string;
const agents = new Map<string, Promise<Client>>();

beforeAll(async () => {
  service = await sharedService();
  const make = async (name: string, role: string) =>
    (await operate(service.url, "POST", "/tokens", { name, role })).token;
  [viewer, operator] = [await make("stdio-reader", "viewer"), await make("stdio-writer", "operator")];
});

afterAll(async () => {
  for (const agent of agents.values()) await (await agent).close();
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

describe("the tools of an agent", () => {
  it("only read, unless writing is allowed", async () => {
    const [reading, writing] = [await connect(viewer), await connect(operator, "--allow-write")];
    expect((await reading.listTools()).tools.map(({ name }) => name).sort()).toEqual(READING);
    const { tools } = await writing.listTools();
    expect(tools.map(({ name }) => name)).toEqual((await listTools()).map(({ name }) => name));
    for (const { name, annotations } of tools) {
      expect([name, annotations?.readOnlyHint]).toEqual([name, READING.includes(name)]);
    }
  });

  it("answer it, and change nothing where it may only read: there is no such tool", async () => {
    const [reading, writing] = [await connect(operator), await connect(operator, "--allow-write")];
    const { websiteId } = await makeClient(service.url, "");
    const args = { websiteId, body: { sendPurpose: "spring-sale" } };
    await expect(reading.callTool({ name: "holdMessages", arguments: args })).rejects.toThrow(/holdMessages/);
    expect(await read(reading, "getWebsite", { websiteId })).toMatchObject({ holds: [] });
    await read(writing, "holdMessages", args);
    expect(await operate(service.url, "GET", `/websites/${websiteId}`)).toMatchObject({
      holds: [{ by: "stdio-writer" }],
    });
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
