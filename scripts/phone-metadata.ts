// `npm run phone-metadata`: writes what the service needs of libphonenumber-js's data: a quarter of it.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Positions in a country's entry: https://gitlab.com/catamphetamine/libphonenumber-js/-/blob/master/METADATA.md */
const [CALLING_CODE, LENGTHS, FORMATS, TYPES] = [0, 3, 4, 11];
const TARGET = join(import.meta.dirname, "../src/domain/phone-metadata.ts");

type Country = unknown[];
type Metadata = Record<"countries" | "nonGeographic", Record<string, Country>> & {
  country_calling_codes: Record<string, string[]>;
};

const source = createRequire(import.meta.url).resolve("libphonenumber-js/metadata.min.json");
const metadata = JSON.parse(readFileSync(source, "utf8")) as Metadata;

/** The types tell in which country of a calling code a number is: that matters where it may be longer or shorter there. */
function needsTypes(country: Country): boolean {
  const [main = ""] = metadata.country_calling_codes[String(country[CALLING_CODE])] ?? [];
  const lengths = (metadata.countries[main]?.[LENGTHS] ?? []) as number[];
  return (country[LENGTHS] as number[]).some((length) => !lengths.includes(length));
}

for (const country of [...Object.values(metadata.countries), ...Object.values(metadata.nonGeographic)]) {
  // For show only.
  if (country[FORMATS]) country[FORMATS] = 0;
  if (country[TYPES] && !needsTypes(country)) country[TYPES] = 0;
  while (country.at(-1) === 0) country.pop();
}
const json = JSON.stringify(metadata).replaceAll("\\", "\\\\");
writeFileSync(
  TARGET,
  `// Made by \`npm run phone-metadata\` of libphonenumber-js's metadata.min.json.\nexport const PHONE_METADATA = '${json}';\n`,
);
