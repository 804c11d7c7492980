// `npm run mcp`: the operator's calls as tools of an agent, over stdio (Model Context Protocol). docs/mcp.md is for its reader.
import { enableCompileCache } from "node:module";
import { parseArgs } from "node:util";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { DEFAULT_URL } from "../next-steps.ts";
import { makeServer } from "./server.ts";
import { listTools } from "./tools.ts";

// All of src/ is loaded for its declarations: from the second time on, in half the time.
enableCompileCache();

const HELP = `npm run --silent mcp -- [--url <url>] [--allow-write]

  --url <url>    the service (default: TEXTGATE_URL, or ${DEFAULT_URL})
  --allow-write  also tools that change something (default: tools that read)

OPERATOR_TOKEN is a token that has a name, so that the log of the service says what the agent has done:
  npm run operator -- create-token mcp --role viewer`;

/** @throws Error the command line or the environment is wrong */
function readSettings() {
  const options = { url: { type: "string" }, "allow-write": { type: "boolean" }, help: { type: "boolean" } } as const;
  const { values } = parseArgs({ options });
  const url = values.url ?? (process.env.TEXTGATE_URL || DEFAULT_URL);
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) throw new Error(`"${url}" is not an http or https URL`);
  const token = process.env.OPERATOR_TOKEN ?? "";
  return {
    isHelp: values.help === true,
    allowsWrites: values["allow-write"] === true,
    service: { url: url.replace(/\/+$/, ""), token },
  };
}

/** The secret OPERATOR_TOKEN of a service has no name: nobody could tell the agent from a person. */
function requireNamed(token: string): void {
  if (!token.startsWith("op_")) throw new Error("OPERATOR_TOKEN in the environment must be a token that has a name");
}

try {
  const { isHelp, allowsWrites, service } = readSettings();
  if (isHelp) console.log(HELP);
  else {
    requireNamed(service.token);
    const tools = (await listTools()).filter((tool) => allowsWrites || !tool.isWrite);
    const server = await makeServer(service, tools);
    await server.connect(new StdioServerTransport());
    // Stdout is for messages of the protocol alone.
    console.error(`${tools.length} tools for ${service.url}, ${allowsWrites ? "which may change it" : "read-only"}`);
  }
} catch (error) {
  console.error(`${(error as Error).message}\n\n${HELP}`);
  process.exitCode = 2;
}
