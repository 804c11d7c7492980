// `npm run phone-metadata`: writes what the service needs of libphonenumber-js's data. Formats are half of it, and only for show.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const FORMATS = 4;
const TARGET = join(import.meta.dirname, "../src/domain/phone-metadata.ts");

type Countries = Record<string, unknown[]>;
const source = createRequire(import.meta.url).resolve("libphonenumber-js/metadata.min.json");
const metadata = JSON.parse(readFileSync(source, "utf8")) as { countries: Countries; nonGeographic: Countries };
for (const country of [...Object.values(metadata.countries), ...Object.values(metadata.nonGeographic)]) {
  if (country.length > FORMATS) country[FORMATS] = 0;
}
const json = JSON.stringify(metadata).replaceAll("\\", "\\\\");
writeFileSync(
  TARGET,
  `// Made by \`npm run phone-metadata\` of libphonenumber-js's metadata.min.json: all but the formats.\nexport const PHONE_METADATA = '${json}';\n`,
);
