// `npm run openapi`: writes the OpenAPI document, which the service answers as a file. A test holds it to the routes and schemas.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";

const STUB = "data:text/javascript,export const connect = undefined; export class DurableObject {}";

// What the document is made from stands beside code that only workerd can run.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith("cloudflare:") ? { url: STUB, shortCircuit: true } : next(specifier, context),
});

// By its URL: the Worker's types are not those of Node, and this is checked with the latter.
const source = new URL("../src/openapi/document.ts", import.meta.url).href;
const { makeDocument } = (await import(source)) as { makeDocument(): object };
writeFileSync(join(import.meta.dirname, "../public/openapi.json"), `${JSON.stringify(makeDocument())}\n`);
