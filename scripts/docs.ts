// `npm run docs`: writes what the code knows: public/openapi.json and docs/schema.sql. Tests hold both to the code.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { writeSchema } from "./schema-sql.ts";

const ROOT = join(import.meta.dirname, "..");
const STUB = "data:text/javascript,export const connect = undefined; export class DurableObject {}";

// What the documents are made from stands beside code that only workerd can run.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith("cloudflare:") ? { url: STUB, shortCircuit: true } : next(specifier, context),
});

// By its URL: the Worker's types are not those of Node, and this is checked with the latter.
const { makeDocument } = (await import(new URL("../src/openapi/document.ts", import.meta.url).href)) as {
  makeDocument(): object;
};
write("public/openapi.json", `${JSON.stringify(makeDocument())}\n`);

const migrations = readdirSync(join(ROOT, "migrations")).sort();
write("docs/schema.sql", writeSchema(migrations.map((name) => read(`migrations/${name}`))));

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function write(path: string, text: string): void {
  writeFileSync(join(ROOT, path), text);
}
