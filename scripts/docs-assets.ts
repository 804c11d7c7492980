// The build command of wrangler.toml: puts beside the pages of /docs the documents that they show, and Swagger UI, which draws
// them. Swagger UI runs under the Content-Security-Policy of public/_headers. Scalar needs inline styles and more than twice the
// bytes, and neither settings nor styles give its fields for credentials a name that a screen reader can say.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Document, splitDocument } from "./docs-documents.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const readOfSwagger = (name: string) => readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)), "utf8");

const document = JSON.parse(read("public/openapi.json")) as Document;
const { clients, operator } = splitDocument(document, (name) => read(`docs/${name}`));
replace("clients.json", JSON.stringify(clients));
replace("operator.json", JSON.stringify(operator));

// The maps of the sources are not served.
replace("swagger-ui.css", readOfSwagger("swagger-ui.css").replace(/\/\*# sourceMappingURL=.*$/m, ""));
const LICENSES = "swagger-ui-bundle.js.LICENSE.txt";
replace("swagger-ui-bundle.js", readOfSwagger("swagger-ui-bundle.js").replace(LICENSES, "swagger-ui-licenses.txt"));
replace("swagger-ui-licenses.txt", ["NOTICE", "LICENSE", LICENSES].map(readOfSwagger).join("\n"));

/** At once: several services may start together, and one that runs serves the file. */
function replace(name: string, text: string): void {
  const part = join(ROOT, `.docs-${process.pid}`);
  writeFileSync(part, text);
  renameSync(part, join(ROOT, "public/docs", name));
}
