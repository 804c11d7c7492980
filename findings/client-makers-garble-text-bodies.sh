#!/usr/bin/env bash
# Seen on 2026-11-28 with orval 8.38.0, openapi-fetch 0.17.0, oazapfts 7.5.0 (@oazapfts/runtime 1.2.0), swagger-typescript-api 13.13.0 and
# openapi-client-axios 7.9.0, on Node 20.
# An operation whose body is a string of text/csv is given a CSV file. None of the five sends what the document says. orval and openapi-fetch
# send the file as a string of JSON: in quotes, its line ends as \n. orval calls it text/csv, openapi-fetch calls it application/json. The
# other three send the file as it is, as text/plain or as a form. So a server of such files must take other types, and look for the quotes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund orval@8.38.0 openapi-fetch@0.17.0 oazapfts@7.5.0 @oazapfts/runtime@1.2.0 \
  swagger-typescript-api@13.13.0 openapi-client-axios@7.9.0 tsx@4.23.15
cat > openapi.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "People", "version": "1" },
  "servers": [{ "url": "http://127.0.0.1:8099" }],
  "paths": {
    "/people": {
      "post": {
        "operationId": "importPeople",
        "requestBody": { "required": true, "content": { "text/csv": { "schema": { "type": "string" } } } },
        "responses": { "200": { "description": "ok", "content": { "application/json": { "schema": { "type": "object" } } } } }
      }
    }
  }
}
JSON
cat > orval.config.mjs <<'JS'
const output = { target: "by-orval.ts", client: "fetch", baseUrl: "http://127.0.0.1:8099" };
export default { people: { input: "openapi.json", output } };
JS
npx orval --config orval.config.mjs >/dev/null 2>&1
npx oazapfts openapi.json by-oazapfts.ts >/dev/null
npx swagger-typescript-api generate -p openapi.json -o . -n by-swagger.ts >/dev/null
cat > try.mts <<'TS'
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { OpenAPIClientAxios } from "openapi-client-axios";
import createClient from "openapi-fetch";
import { importPeople as oazapfts } from "./by-oazapfts.ts";
import { importPeople as orval } from "./by-orval.ts";
import { Api } from "./by-swagger.ts";

let seen = "";
const server = createServer(async (request, response) => {
  seen = `${request.headers["content-type"]} ${JSON.stringify(await text(request))}`;
  response.setHeader("content-type", "application/json").end("{}");
});
await new Promise<void>((resolve) => server.listen(8099, "127.0.0.1", resolve));
const CSV = "phone\n+12065550100";
const baseUrl = "http://127.0.0.1:8099";
const axios = new OpenAPIClientAxios({ definition: JSON.parse(readFileSync("openapi.json", "utf8")) });
const CALLS = {
  orval: () => orval(CSV),
  "openapi-fetch": () => createClient<any>({ baseUrl }).POST("/people", { body: CSV }),
  oazapfts: () => oazapfts(CSV),
  "swagger-typescript-api": () => new Api({ baseUrl }).people.importPeople(CSV),
  "openapi-client-axios": async () => ((await axios.init()) as any).importPeople(null, CSV),
};
for (const [name, call] of Object.entries(CALLS)) {
  await call();
  console.log(`${name}: ${seen}`);
}
server.close();
TS
seen=$(npx tsx try.mts)
expected='orval: text/csv "\"phone\\n+12065550100\""
openapi-fetch: application/json "\"phone\\n+12065550100\""
oazapfts: text/plain;charset=UTF-8 "phone\n+12065550100"
swagger-typescript-api: text/plain "phone\n+12065550100"
openapi-client-axios: application/x-www-form-urlencoded "phone\n+12065550100"'
[ "$seen" = "$expected" ] || { printf 'It has changed. Seen now:\n%s\n' "$seen"; exit 1; }
echo "$seen"
