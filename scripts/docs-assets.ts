// The build command of wrangler.toml: draws the pages of /docs from the OpenAPI document and docs/. Of the libraries that draw such
// pages, none runs under the Content-Security-Policy of public/_headers and passes axe at WCAG A and AA: Scalar, RapiDoc, OpenAPI
// Explorer, Redoc and Elements need inline styles, and Swagger UI has unlabeled fields and a dialog without a role. These pages
// are read without any script, and weigh 15 KB compressed where those weigh 200 to 1,300.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Document } from "./docs-page/document.ts";
import { writePages } from "./docs-page/pages.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const document = JSON.parse(read("public/openapi.json")) as Document;
const { client, operator } = writePages(document, (name) => read(`docs/${name}`));
replace("public/docs.html", client);
replace("public/docs/operator.html", operator);

/** At once: several services may start together, and one that runs serves the file. */
function replace(path: string, text: string): void {
  const part = join(ROOT, `.docs-${process.pid}`);
  writeFileSync(part, text);
  renameSync(part, join(ROOT, path));
}
