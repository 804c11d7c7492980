// A part of the build command of wrangler.toml: the pages of /docs, static, from the OpenAPI document and the pages of docs/. The
// libraries that draw such a page in the browser are large: Scalar has 966 KiB gzip, Stoplight Elements 647, Redoc 319, RapiDoc 213. Scalar and
// Redoc need inline styles, which the policy of public/_headers refuses, and none of them shows anything without JavaScript.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Document } from "./reference/document.ts";
import { pagesOf, renderPage } from "./reference/page.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

mkdirSync(join(ROOT, "public/docs"), { recursive: true });
const document = JSON.parse(read("public/openapi.json")) as Document;
const pages = pagesOf(document, (name) => read(`docs/${name}`));
for (const page of pages) replace(`public${page.address}.html`, renderPage(page, pages, document));
replace("public/docs/page.js", await bundle("browser.ts"));
replace("public/docs/page.css", await bundle("page.css"));

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "reference", entry)],
    bundle: true,
    format: "esm",
    target: ["es2023", "chrome123", "firefox125", "safari17.5"],
    charset: "utf8",
    minify: true,
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/** At once: several services may start together, and one that runs serves the file. */
function replace(path: string, text: string): void {
  const part = join(ROOT, `.docs-${process.pid}`);
  writeFileSync(part, text);
  renameSync(part, join(ROOT, path));
}
