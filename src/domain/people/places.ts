// Pure. Where the owner of a phone number may be: country, time zones, and states or provinces.
import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/min";
import { AREA_CODES } from "./area-codes.ts";
import { CALLING_CODES } from "./calling-codes.ts";
import { toE164 } from "./phone.ts";

/** Where a person may be: in any of the zones, and in any of the regions. */
export interface Place {
  /** IANA names. */
  zones: string[];
  /** ISO 3166-2 codes. In the Caribbean the code of the country. Empty: nothing is known. */
  regions: string[];
}

/** What a client says of a recipient. */
export interface GivenPlace {
  timeZone?: string | null;
  region?: string | null;
}

/** Places of the numbers that begin with a code: a calling code, or 1 and an area code. */
const places = new Map<string, Place[]>();
/** By region of North America. */
const placesByRegion = new Map<string, Place[]>();
/**
 * Where a toll-free number, and a number of an area code that the table does not have, may be: in the United States, Canada, the
 * Caribbean. The territories in the Pacific are left out: each has one area code, and no hour of theirs is day in New York too.
 */
const anywhereInNorthAmerica: Place[] = [];

const IN_PACIFIC = ["US-AS", "US-GU", "US-MP"];

for (const [zones, codes] of CALLING_CODES) {
  const place = { zones: zones.split(" "), regions: [] };
  for (const code of codes.split(" ")) places.set(code, [place]);
}
for (const [regionText, zones, codes] of AREA_CODES) {
  const regions = regionText.split(" ");
  const place = { zones: zones.split(" "), regions };
  for (const code of codes.split(" ")) places.set(`1${code}`, [place]);
  for (const region of regions) placesByRegion.set(region, [...(placesByRegion.get(region) ?? []), place]);
  if (!IN_PACIFIC.includes(regionText)) anywhereInNorthAmerica.push(place);
}
places.set("1", anywhereInNorthAmerica);

/** @param phone E.164. @returns the code that tells where the number is; empty: no calling code that is known */
export function placeCodeOf(phone: string): string {
  const lengths = phone.startsWith("+1") ? [4, 1] : [1, 2, 3];
  return lengths.map((length) => phone.slice(1, 1 + length)).find((code) => places.has(code)) ?? "";
}

/** ISO 3166-2 has these as parts of the United States; ISO 3166-1 and libphonenumber, as countries. */
const TERRITORIES = [...IN_PACIFIC, "US-PR", "US-VI"];

/**
 * The country of a number: an ISO 3166-1 code; undefined: of none, such as a satellite phone's. An area code of North America tells it;
 * elsewhere a number that libphonenumber's data do not have yet is of the main country of its calling code.
 */
export function countryOf(digits: number): CountryCode | undefined {
  const phone = toE164(digits);
  const [place] = phone.startsWith("+1") ? (places.get(phone.slice(1, 5)) ?? []) : [];
  if (place) return countryOfRegion(place.regions[0] as string);
  const number = parsePhoneNumberFromString(phone);
  return number?.country ?? (number?.countryCallingCode === "1" ? undefined : number?.getPossibleCountries()[0]);
}

const countryOfRegion = (region: string) =>
  (TERRITORIES.includes(region) ? region.slice(3) : region.slice(0, 2)) as CountryCode;

/**
 * Every place at which the owner of a number may be. What the client says goes before what the number tells: its zone is the only
 * one, its region the only one. A region of North America alone has the zones that the area code has in it, or else all its zones.
 * @param code see placeCodeOf
 * @returns empty: nothing is known, neither by the number nor by the client
 */
export function findPlaces(code: string, { timeZone, region }: GivenPlace): Place[] {
  const told = places.get(code) ?? [];
  const found = region ? placesIn(region, told) : told;
  if (!timeZone) return found;
  return found.length === 0
    ? [{ zones: [timeZone], regions: [] }]
    : found.map((place) => ({ ...place, zones: [timeZone] }));
}

function placesIn(region: string, told: Place[]): Place[] {
  const within = told.filter(({ regions }) => regions.includes(region));
  const found = within.length > 0 ? within : (placesByRegion.get(region) ?? told);
  return found.map(({ zones }) => ({ zones, regions: [region] }));
}

/** In the tz database, and in some runtimes, a zone by which a device says that its zone was never set. */
const NEVER_SET = "factory";

/** Whether the runtime has the clock of the zone, in any case. An offset is no zone. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name) || name.toLowerCase() === NEVER_SET) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** Whether a text is a code as ISO 3166-2 writes it, such as `US-FL`; of the United States and Canada, whether it exists. */
export function isRegion(code: string): boolean {
  if (/^(US|CA)-/.test(code)) return placesByRegion.has(code);
  return /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(code);
}
