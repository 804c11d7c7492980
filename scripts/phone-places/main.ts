/**
 * Writes where phone numbers are into src/domain/people, from a checkout of https://github.com/google/libphonenumber:
 *   node scripts/phone-places/main.ts <path to the checkout>
 * An override that changes nothing any more ends it: it is to be removed.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../wrangler.ts";
import { AREA_CODE_OVERRIDES, CALLING_CODE_OVERRIDES, type Override } from "./overrides.ts";
import { regionsOf, US_TERRITORIES } from "./regions.ts";

interface Place {
  /** ISO 3166-2 codes, joined by a space; the code of a country in the Caribbean. */
  regions: string;
  zones: Set<string>;
}

/** Places by code: area codes, or calling codes. */
type Places = Map<string, Place>;

const HEAD = `// Made by scripts/phone-places from the data of Google's libphonenumber (Apache License 2.0, see NOTICE) and its own overrides.
// Do not edit: docs/sending-hours.md says how to renew it.
`;

const checkout = process.argv[2];
if (checkout === undefined) {
  console.error("Usage: node scripts/phone-places/main.ts <path to a checkout of github.com/google/libphonenumber>");
  process.exit(2);
}

/** @returns pairs of a prefix and its text, as the data have them a line: `1201|New Jersey` */
async function readPrefixes(file: string): Promise<[prefix: string, text: string][]> {
  const text = await readFile(join(checkout as string, "resources", file), "utf8");
  return [...text.matchAll(/^(\d+)\|(.+)$/gm)].map(([, prefix, value]) => [prefix as string, value as string]);
}

/** Zones by the beginning of a number that `toCode` gives: of all longer prefixes together. */
function groupZones(
  prefixes: [string, string][],
  toCode: (prefix: string) => string | undefined,
): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const [prefix, zones] of prefixes) {
    const code = toCode(prefix);
    if (code === undefined) continue;
    groups.set(code, new Set([...(groups.get(code) ?? []), ...zones.split("&")]));
  }
  return groups;
}

/** States and provinces by area code: what the data say of the area code itself, else of most of its prefixes. */
async function readRegions(): Promise<Map<string, string>> {
  const counts = new Map<string, Map<string, number>>();
  for (const [prefix, place] of await readPrefixes("geocoding/en/1.txt")) {
    const regions = regionsOf(place);
    const code = prefix.slice(1, 4);
    if (code.length < 3 || regions === undefined) continue;
    const count = counts.get(code) ?? new Map<string, number>();
    const weight = prefix.length === 4 ? Number.POSITIVE_INFINITY : 1;
    counts.set(code, count.set(regions, (count.get(regions) ?? 0) + weight));
  }
  const mostOf = (count: Map<string, number>) => [...count].toSorted(([, a], [, b]) => b - a)[0]?.[0] as string;
  return new Map([...counts].map(([code, count]) => [code, mostOf(count)]));
}

/** The countries and territories that share +1 with the United States and Canada, with a pattern of their numbers. */
async function readCountries(): Promise<[country: string, numbers: RegExp][]> {
  const text = await readFile(join(checkout as string, "resources/PhoneNumberMetadata.xml"), "utf8");
  const pattern = /<territory id="(\w\w)"\s+countryCode="1"\s+leadingDigits="([^"]+)"/g;
  return [...text.matchAll(pattern)].map(([, country, digits]) => [country as string, new RegExp(`^(?:${digits})`)]);
}

function override(places: Places, overrides: Override[]): void {
  for (const { codes, add = "", drop = "", region, reason } of overrides) {
    const before = JSON.stringify(codes.split(" ").map((code) => [...(places.get(code)?.zones ?? [])].sort()));
    for (const code of codes.split(" ")) {
      const place = places.get(code) ?? { regions: region ?? "", zones: new Set() };
      for (const zone of drop.split(" ")) place.zones.delete(zone);
      for (const zone of add.split(" ").filter(Boolean)) place.zones.add(zone);
      places.set(code, place);
    }
    const after = JSON.stringify(codes.split(" ").map((code) => [...(places.get(code)?.zones ?? [])].sort()));
    if (before === after) throw new Error(`The override of ${codes} changes nothing: ${reason}`);
  }
}

async function makeAreaCodes(prefixes: [string, string][]): Promise<Places> {
  const [regions, countries] = [await readRegions(), await readCountries()];
  const places: Places = new Map();
  for (const [code, zones] of groupZones(prefixes, (prefix) => /^1(\d{3})/.exec(prefix)?.[1])) {
    const country = countries.find(([, numbers]) => numbers.test(code))?.[0];
    const ofCountry = country && (US_TERRITORIES.includes(country) ? `US-${country}` : country);
    const place = ofCountry ?? regions.get(code);
    if (place === undefined) throw new Error(`Nothing says where area code ${code} is.`);
    places.set(code, { regions: place, zones });
  }
  override(places, AREA_CODE_OVERRIDES);
  return places;
}

function makeCallingCodes(prefixes: [string, string][]): Places {
  const known = new Set(prefixes.map(([prefix]) => prefix));
  const callingCodeOf = (prefix: string) =>
    prefix.startsWith("1")
      ? undefined
      : [1, 2, 3].map((length) => prefix.slice(0, length)).find((code) => known.has(code));
  const zones = groupZones(prefixes, callingCodeOf);
  const places: Places = new Map([...zones].map(([code, zones]) => [code, { regions: "", zones }]));
  override(places, CALLING_CODE_OVERRIDES);
  return places;
}

/** One line for all codes of the same regions and zones. */
function group(places: Places): [regions: string, zones: string, codes: string][] {
  const groups = new Map<string, string[]>();
  for (const [code, { regions, zones }] of places) {
    const key = JSON.stringify([regions, [...zones].sort().join(" ")]);
    groups.set(key, [...(groups.get(key) ?? []), code]);
  }
  const rows = [...groups].map(
    ([key, codes]) => [...JSON.parse(key), codes.sort().join(" ")] as [string, string, string],
  );
  return rows.sort((a, b) => (a.join() < b.join() ? -1 : 1));
}

const toLines = (rows: string[][]) =>
  rows.map((row) => `  ${JSON.stringify(row).replaceAll('","', '", "')},\n`).join("");

const prefixes = await readPrefixes("timezones/map_data.txt");
const areaCodes = group(await makeAreaCodes(prefixes));
const callingCodes = group(makeCallingCodes(prefixes)).map(([, zones, codes]) => [zones, codes]);

const written: Record<string, string> = {
  "area-codes.ts": `${HEAD}
/** Regions (ISO 3166-2, or a country of the Caribbean), all their zones, and the area codes of North America that have just these. */
export const AREA_CODES: readonly (readonly [regions: string, zones: string, areaCodes: string])[] = [
${toLines(areaCodes)}];
`,
  "calling-codes.ts": `${HEAD}
/** Zones, and the calling codes whose numbers may be in any of them. Calling code 1 is in area-codes.ts. */
export const CALLING_CODES: readonly (readonly [zones: string, callingCodes: string])[] = [
${toLines(callingCodes)}];
`,
};
for (const [name, text] of Object.entries(written)) await writeFile(join(ROOT, "src/domain/people", name), text);
