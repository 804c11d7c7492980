import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { describe, expect, it } from "vitest";
import { AREA_CODE_OVERRIDES, CALLING_CODE_OVERRIDES } from "../../../scripts/phone-places/overrides.ts";
import { AREA_CODES } from "../../../src/domain/people/area-codes.ts";
import areaCodesText from "../../../src/domain/people/area-codes.ts?raw";
import { CALLING_CODES } from "../../../src/domain/people/calling-codes.ts";
import callingCodesText from "../../../src/domain/people/calling-codes.ts?raw";
import {
  countryOf,
  findPlaces,
  type GivenPlace,
  isRegion,
  isTimeZone,
  placeCodeOf,
} from "../../../src/domain/people/places.ts";

const EASTERN = "America/New_York";
const CENTRAL = "America/Chicago";

function tell(phone: string, given: GivenPlace = {}): { zones: string[]; regions: string[] } {
  const places = findPlaces(placeCodeOf(phone), given);
  const unique = (list: string[]) => [...new Set(list)].sort();
  return {
    zones: unique(places.flatMap(({ zones }) => zones)),
    regions: unique(places.flatMap(({ regions }) => regions)),
  };
}

describe("the tables", () => {
  const areaCodes = AREA_CODES.flatMap(([, , codes]) => codes.split(" "));
  const callingCodes = CALLING_CODES.flatMap(([, codes]) => codes.split(" "));

  it("have each code once", () => {
    expect(areaCodes.filter((code) => !/^[2-9]\d\d$/.test(code))).toEqual([]);
    expect(callingCodes.filter((code) => !/^[2-9]\d{0,2}$/.test(code))).toEqual([]);
    expect(new Set(areaCodes).size).toBe(areaCodes.length);
    expect(new Set(callingCodes).size).toBe(callingCodes.length);
  });

  it("have zones that the runtime knows", () => {
    const zones = [...AREA_CODES.map(([, zones]) => zones), ...CALLING_CODES.map(([zones]) => zones)];
    expect(zones.flatMap((list) => list.split(" ")).filter((zone) => !isTimeZone(zone))).toEqual([]);
  });

  it("have the fifty states, the District, five territories, and the thirteen provinces and territories of Canada", () => {
    const regions = new Set(AREA_CODES.flatMap(([regions]) => regions.split(" ")));
    const of = (country: string) => [...regions].filter((region) => region.startsWith(`${country}-`)).length;
    expect([of("US"), of("CA")]).toEqual([56, 13]);
    expect([...regions].filter((region) => !isRegion(region) && !/^[A-Z]{2}$/.test(region))).toEqual([]);
  });

  it("have every area code that has numbers of a place, by libphonenumber", () => {
    const exists = (code: string) =>
      ["2345678", "5551234", "6201234"].some((rest) => {
        const parsed = parsePhoneNumberFromString(`+1${code}${rest}`);
        return parsed?.isValid() && ["FIXED_LINE", "MOBILE", "FIXED_LINE_OR_MOBILE"].includes(parsed.getType() ?? "");
      });
    const all = Array.from({ length: 800 }, (_, index) => String(200 + index));
    expect(all.filter((code) => exists(code) && !areaCodes.includes(code))).toEqual([]);
  });

  it("have every calling code of a country", () => {
    const known = getCountries().map((country) => String(getCountryCallingCode(country)));
    expect(known.filter((code) => code !== "1" && !callingCodes.includes(code))).toEqual([]);
  });

  /** After a change of the overrides: CONTRIBUTING.md says how to make the tables again. */
  it.each([
    ...AREA_CODE_OVERRIDES.map((override) => ({ ...override, start: "+1" })),
    ...CALLING_CODE_OVERRIDES.map((override) => ({ ...override, start: "+", region: undefined })),
  ])("are as this override has them: $codes", ({ codes, start, add = "", drop = "", region }) => {
    for (const code of codes.split(" ")) {
      const { zones, regions } = tell(`${start}${code}5550123`);
      expect(zones).toEqual(expect.arrayContaining(add.split(" ").filter(Boolean)));
      expect(zones.filter((zone) => drop.split(" ").includes(zone))).toEqual([]);
      if (region !== undefined) expect(regions).toEqual([region]);
    }
  });

  it("tell of Palestine, whose clock changes on a Saturday, and of Europe, whose clock changes the night after", () => {
    const clock = (zone: string) =>
      new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeStyle: "short" }).format(Date.UTC(2026, 9, 24, 18));
    expect(tell("+970599123456").zones.map(clock)).toEqual(["20:00", "20:00"]);
    expect(tell("+37051234567").zones.map(clock)).toEqual(["21:00"]);
  });

  it("take 3 to 8 KB of the Worker, compressed", async () => {
    const text = new Blob([areaCodesText, callingCodesText]).stream();
    const bytes = (await new Response(text.pipeThrough(new CompressionStream("gzip"))).arrayBuffer()).byteLength;
    expect(bytes).toBeGreaterThan(3000);
    expect(bytes).toBeLessThan(8192);
  });
});

describe("where a number is", () => {
  it.each<[string, string, string[], string[]]>([
    ["Phoenix", "+16025550123", ["America/Phoenix"], ["US-AZ"]],
    ["the rest of Arizona, with the Navajo Nation", "+19285550123", ["America/Denver", "America/Phoenix"], ["US-AZ"]],
    ["Indianapolis", "+13175550123", [EASTERN], ["US-IN"]],
    ["southern Indiana", "+18125550123", [CENTRAL, EASTERN], ["US-IN"]],
    ["southern Indiana, overlay", "+19305550123", [CENTRAL, EASTERN], ["US-IN"]],
    ["northern Louisiana, overlay", "+14575550123", [CENTRAL], ["US-LA"]],
    ["Fresno, overlay", "+13575550123", ["America/Los_Angeles"], ["US-CA"]],
    ["New York City, newest overlay", "+14655550123", [EASTERN], ["US-NY"]],
    ["northern Mississippi, overlay", "+14715550123", [CENTRAL], ["US-MS"]],
    ["southeastern Alabama, overlay", "+14835550123", [CENTRAL], ["US-AL"]],
    ["Miami", "+13055550123", [EASTERN], ["US-FL"]],
    ["Florida's Panhandle", "+18505550123", [CENTRAL, EASTERN], ["US-FL"]],
    ["Florida's Panhandle, overlay", "+14485550123", [CENTRAL, EASTERN], ["US-FL"]],
    ["Orlando, overlay", "+16895550123", [EASTERN], ["US-FL"]],
    ["Chattanooga, overlay", "+17295550123", [CENTRAL, EASTERN], ["US-TN"]],
    ["Newfoundland and Labrador", "+17095550123", ["America/Halifax", "America/St_Johns"], ["CA-NL"]],
    ["two provinces", "+19025550123", ["America/Halifax"], ["CA-NS", "CA-PE"]],
    ["New York City, of which only the boroughs have names", "+17185550123", [EASTERN], ["US-NY"]],
    ["Jamaica", "+18765550123", ["America/Jamaica"], ["JM"]],
    ["Dominican Republic", "+18295550123", ["America/Santo_Domingo"], ["DO"]],
    ["Puerto Rico", "+17875550123", ["America/Puerto_Rico"], ["US-PR"]],
    ["Guam", "+16715550123", ["Pacific/Guam"], ["US-GU"]],
    ["Algeria", "+213551234567", ["Africa/Algiers"], []],
    ["Kazakhstan or Russia", "+77011234567", tell("+79161234567").zones, []],
    ["a satellite telephone", "+881612345678", [], []],
  ])("is told by its code: %s", (_name, phone, zones, regions) => {
    expect(tell(phone)).toEqual({ zones, regions });
  });

  it("is one of the zones of a country", () => {
    expect(tell("+447911123456").zones).toContain("Europe/London");
    expect(tell("+61412345678").zones).toEqual(
      expect.arrayContaining(["Australia/Perth", "Australia/Darwin", "Australia/Sydney", "Australia/Lord_Howe"]),
    );
    expect(tell("+79161234567").zones).toEqual(expect.arrayContaining(["Europe/Kaliningrad", "Asia/Kamchatka"]));
  });

  it.each(["+18005550123", "+18885550123", "+15005550123", "+12115550123"])(
    "is anywhere in North America but for the Pacific: %s",
    (phone) => {
      const { zones, regions } = tell(phone);
      expect(zones).toEqual(
        expect.arrayContaining([EASTERN, "Pacific/Honolulu", "America/St_Johns", "America/Jamaica"]),
      );
      expect(zones.filter((zone) => /Guam|Saipan|Pago/.test(zone))).toEqual([]);
      expect(regions.filter((region) => region.startsWith("US-")).length).toBe(53);
    },
  );

  it.each<[string, string, GivenPlace, string[], string[]]>([
    ["a zone", "+12125550123", { timeZone: "Europe/Paris" }, ["Europe/Paris"], ["US-NY"]],
    ["the region of the area code", "+13055550123", { region: "US-FL" }, [EASTERN], ["US-FL"]],
    ["another region", "+12125550123", { region: "US-FL" }, [CENTRAL, EASTERN], ["US-FL"]],
    ["one of two regions", "+19025550123", { region: "CA-PE" }, ["America/Halifax"], ["CA-PE"]],
    ["a region of North America, of a foreign number", "+447911123456", { region: "US-RI" }, [EASTERN], ["US-RI"]],
    ["a region elsewhere", "+393331234567", { region: "IT-RM" }, ["Europe/Rome", "Europe/Vatican"], ["IT-RM"]],
    ["a region of a toll-free number", "+18005550123", { region: "US-KY" }, [CENTRAL, EASTERN], ["US-KY"]],
    ["both", "+18005550123", { region: "US-KY", timeZone: CENTRAL }, [CENTRAL], ["US-KY"]],
    ["a zone of a satellite telephone", "+881612345678", { timeZone: CENTRAL }, [CENTRAL], []],
    ["nothing", "+12125550123", { region: null, timeZone: null }, [EASTERN], ["US-NY"]],
  ])("is first of all what the client says: %s", (_name, phone, given, zones, regions) => {
    expect(tell(phone, given)).toEqual({ zones, regions });
  });
});

describe("the country of a number", () => {
  const RESTS = ["5550100", "2345678", "6201234"];

  it("is that of its area code, whether libphonenumber has the area code or not", () => {
    const told = AREA_CODES.flatMap(([regions, , codes]) =>
      codes.split(" ").flatMap((code) => RESTS.map((rest) => ({ regions, phone: `+1${code}${rest}` }))),
    );
    const unlike = told.filter(({ regions, phone }) => {
      const country = parsePhoneNumberFromString(phone)?.country;
      return countryOf(Number(phone.slice(1))) !== (country ?? regions.slice(0, 2));
    });
    expect(unlike).toEqual([]);
  });

  it.each([
    ["+13575550100", "US"],
    ["+14365550100", "US"],
    ["+14575550100", "US"],
    ["+14655550100", "US"],
    ["+14715550100", "US"],
    ["+14835550100", "US"],
    ["+16215550100", "US"],
    ["+16245550100", "US"],
    ["+16795550100", "US"],
    ["+17295550100", "US"],
    ["+18615550100", "US"],
    ["+19245550100", "US"],
    ["+12735550100", "CA"],
    ["+17875550100", "PR"],
    ["+16715550100", "GU"],
    ["+18765550100", "JM"],
    ["+18005550100", "US"],
    ["+447700900123", "GB"],
    ["+447781123456", "GG"],
    ["+4915551234567", "DE"],
    ["+11234567890", undefined],
    ["+881612345678", undefined],
  ])("is, for %s, %s", (phone, country) => {
    expect(countryOf(Number(phone.slice(1)))).toBe(country);
  });
});

it.each([
  ["America/New_York", true],
  ["Asia/Calcutta", true],
  ["UTC", true],
  ["Europe/Kyiv", true],
  ["europe/kyiv", true],
  ["Etc/GMT+5", true],
  ["Factory", false],
  ["factory", false],
  ["posixrules", false],
  ["localtime", false],
  ["Etc/Unknown", false],
  ["+05:00", false],
  ["America/Gotham", false],
  ["", false],
])("a time zone: %s %s", (name, expected) => expect(isTimeZone(name)).toBe(expected));

it.each([
  ["US-FL", true],
  ["US-DC", true],
  ["CA-QC", true],
  ["FR-75C", true],
  ["US-XX", false],
  ["CA-FL", false],
  ["us-fl", false],
  ["FL", false],
  ["US-", false],
  ["toString", false],
])("a region: %s %s", (code, expected) => expect(isRegion(code)).toBe(expected));
