// `npm run phone-metadata`: writes src/domain/phone-metadata.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Metadata, writePlans } from "./numbering-plans.ts";

const TARGET = join(import.meta.dirname, "../src/domain/phone-metadata.ts");

const source = createRequire(import.meta.url).resolve("libphonenumber-js/metadata.min.json");
const json = writePlans(JSON.parse(readFileSync(source, "utf8")) as Metadata).replaceAll("\\", "\\\\");
writeFileSync(
  TARGET,
  `// Made by \`npm run phone-metadata\` of libphonenumber-js's metadata.min.json.\nexport const PHONE_METADATA = '${json}';\n`,
);
