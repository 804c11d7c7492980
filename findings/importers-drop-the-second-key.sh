#!/usr/bin/env bash
# Seen on 2026-11-28 with openapi-to-postmanv2 6.3.3 (Postman's importer) and @usebruno/converters 0.23.0 (Bruno's), on Node 20.
# An operation with "security": [{"id": [], "secret": []}] needs both keys at once. Both importers keep the first one alone and say nothing, so
# each imported request is refused. Postman's importer also switches an optional header on by default, with one of the values of its enum: a
# header that asks for an error, or for a dry run, is then in every request.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund openapi-to-postmanv2@6.3.3 @usebruno/converters@0.23.0
cat > openapi.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "People", "version": "1" },
  "servers": [{ "url": "https://api.example.com" }],
  "components": {
    "securitySchemes": {
      "id": { "type": "apiKey", "in": "header", "name": "X-Client-ID" },
      "secret": { "type": "apiKey", "in": "header", "name": "X-Client-Secret" }
    }
  },
  "paths": {
    "/people": {
      "get": {
        "summary": "List people",
        "security": [{ "id": [], "secret": [] }],
        "parameters": [{ "name": "X-Mode", "in": "header", "schema": { "type": "string", "enum": ["dry-run"] } }],
        "responses": { "200": { "description": "ok" } }
      }
    }
  }
}
JSON
cat > try.cjs <<'JS'
const { readFileSync } = require("node:fs");
const { openApiToBruno } = require("@usebruno/converters");
const { convertV2 } = require("openapi-to-postmanv2");

const data = readFileSync("openapi.json", "utf8");
convertV2({ type: "string", data }, {}, (_, { output }) => {
  const { auth, header } = output[0].data.item[0].item[0].request;
  const key = auth.apikey.find((one) => one.key === "key").value;
  const sent = header.filter(({ disabled }) => !disabled).map((one) => `${one.key}: ${one.value}`);
  console.log(`Postman: key ${key}, headers ${sent}`);
  const { request } = openApiToBruno(JSON.parse(data)).items[0];
  const names = request.headers.filter(({ enabled }) => enabled).map(({ name }) => name);
  console.log(`Bruno: key ${request.auth.apikey.key}, headers ${names}`);
});
JS
seen=$(node try.cjs)
expected='Postman: key X-Client-ID, headers X-Mode: dry-run
Bruno: key X-Client-ID, headers X-Client-ID'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
