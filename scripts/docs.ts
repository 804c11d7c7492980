// `npm run docs`: writes what the code knows into public/openapi.json, docs/ and README.md. Tests hold each to the code.
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

/** By its URL: the Worker's types are not those of Node, and this is checked with the latter. */
const load = (path: string) => import(new URL(`../src/openapi/${path}`, import.meta.url).href);
const { makeDocument } = (await load("document.ts")) as { makeDocument(): object };
const { fillTables, makeTables } = (await load("docs.ts")) as {
  fillTables(text: string, tables: object): string;
  makeTables(): object;
};

write("public/openapi.json", `${JSON.stringify(makeDocument())}\n`);
write("docs/schema.sql", writeSchema(list("migrations").map(read)));
const tables = makeTables();
for (const page of ["README.md", ...list("docs").filter((path) => path.endsWith(".md"))]) {
  write(page, fillTables(read(page), tables));
}

function list(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .sort()
    .map((name) => `${folder}/${name}`);
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function write(path: string, text: string): void {
  writeFileSync(join(ROOT, path), text);
}
