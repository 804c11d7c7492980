// `npm run docs`: writes what the code knows into public/openapi.json, public/llms.txt, docs/ and README.md. Tests hold each to the code.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSource } from "./load-source.ts";

const ROOT = join(import.meta.dirname, "..");
const { makeDocument } = (await loadSource("openapi/document.ts")) as { makeDocument(): object };
const { fillTables, makeTables } = (await loadSource("openapi/docs.ts")) as {
  fillTables(text: string, tables: object): string;
  makeTables(): object;
};
const { makeLlmsText } = (await loadSource("openapi/llms.ts")) as { makeLlmsText(): string };

write("public/openapi.json", `${JSON.stringify(makeDocument())}\n`);
write("public/llms.txt", makeLlmsText());
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
