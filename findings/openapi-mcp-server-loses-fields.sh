#!/usr/bin/env bash
# Seen on 2026-11-28 with @ivotoby/openapi-mcp-server 1.16.1 and @modelcontextprotocol/sdk 1.32.2, on Node 20.
# It makes a tool of each operation. A request body has three fields and a rule beside them in allOf, as JSON Schema allows. The tool then has
# what is within allOf, and none of the fields, so an agent is told of no field at all. If the rule is a choice (anyOf) and the operation has
# a header as well, the tool's schema has no type: the official client refuses the whole list of tools for it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @ivotoby/openapi-mcp-server@1.16.1 @modelcontextprotocol/sdk@1.32.2
cat > try.mjs <<'JS'
import { writeFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const FIELDS = { phone: { type: "string" }, email: { type: "string" }, text: { type: "string" } };
const CHOICE = { anyOf: [{ required: ["phone"] }, { required: ["email"] }] };
const HEADER = { name: "Idempotency-Key", in: "header", schema: { type: "string" } };

async function look(name, rule, parameters = []) {
  const schema = { type: "object", properties: FIELDS, ...rule };
  const post = {
    operationId: "send",
    parameters,
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: { 200: { description: "ok" } },
  };
  const info = { title: "Messages", version: "1" };
  writeFileSync("openapi.json", JSON.stringify({ openapi: "3.1.0", info, paths: { "/messages": { post } } }));
  const args = ["--openapi-spec", "openapi.json", "--api-base-url", "http://127.0.0.1:9"];
  const command = "node_modules/.bin/openapi-mcp-server";
  const client = new Client({ name: "try", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
  const said = await client.listTools().then(
    ({ tools }) => Object.keys(tools[0].inputSchema.properties).join(", ") || "no field",
    (error) => `refused: ${JSON.parse(error.message).map(({ path, message }) => `${path.join(".")}: ${message}`)}`,
  );
  console.log(`${name}: ${said}`);
  await client.close();
}

await look("fields", {});
await look("fields beside anyOf", CHOICE);
await look("fields beside allOf of required", { allOf: [{ required: ["phone"] }] });
await look("fields beside allOf of anyOf", { allOf: [CHOICE] });
await look("the same, with a header", { allOf: [CHOICE] }, [HEADER]);
JS
seen=$(node try.mjs)
expected='fields: phone, email, text
fields beside anyOf: phone, email, text
fields beside allOf of required: no field
fields beside allOf of anyOf: no field
the same, with a header: refused: tools.0.inputSchema.type: Invalid input: expected "object"'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
