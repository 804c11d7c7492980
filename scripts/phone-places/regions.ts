/** The states, provinces and territories as the geocoding data of libphonenumber name them, by ISO 3166-2 code. */
const NAMES: Record<string, string> = {
  "US-AL": "Alabama",
  "US-AK": "Alaska",
  "US-AZ": "Arizona",
  "US-AR": "Arkansas",
  "US-CA": "California",
  "US-CO": "Colorado",
  "US-CT": "Connecticut",
  "US-DE": "Delaware",
  "US-DC": "Washington D.C.",
  "US-FL": "Florida",
  "US-GA": "Georgia",
  "US-HI": "Hawaii",
  "US-ID": "Idaho",
  "US-IL": "Illinois",
  "US-IN": "Indiana",
  "US-IA": "Iowa",
  "US-KS": "Kansas",
  "US-KY": "Kentucky",
  "US-LA": "Louisiana",
  "US-ME": "Maine",
  "US-MD": "Maryland",
  "US-MA": "Massachusetts",
  "US-MI": "Michigan",
  "US-MN": "Minnesota",
  "US-MS": "Mississippi",
  "US-MO": "Missouri",
  "US-MT": "Montana",
  "US-NE": "Nebraska",
  "US-NV": "Nevada",
  "US-NH": "New Hampshire",
  "US-NJ": "New Jersey",
  "US-NM": "New Mexico",
  "US-NY": "New York",
  "US-NC": "North Carolina",
  "US-ND": "North Dakota",
  "US-OH": "Ohio",
  "US-OK": "Oklahoma",
  "US-OR": "Oregon",
  "US-PA": "Pennsylvania",
  "US-RI": "Rhode Island",
  "US-SC": "South Carolina",
  "US-SD": "South Dakota",
  "US-TN": "Tennessee",
  "US-TX": "Texas",
  "US-UT": "Utah",
  "US-VT": "Vermont",
  "US-VA": "Virginia",
  "US-WA": "Washington State",
  "US-WV": "West Virginia",
  "US-WI": "Wisconsin",
  "US-WY": "Wyoming",
  "CA-AB": "Alberta",
  "CA-BC": "British Columbia",
  "CA-MB": "Manitoba",
  "CA-NB": "New Brunswick",
  "CA-NL": "Newfoundland and Labrador",
  "CA-NS CA-PE": "Nova Scotia/Prince Edward Island",
  "CA-NT CA-NU CA-YT": "Northwest Territories/Nunavut/Yukon",
  "CA-ON": "Ontario",
  "CA-QC": "Quebec",
  "CA-SK": "Saskatchewan",
};

/** ISO 3166-2 has these as parts of the United States; libphonenumber, as countries. */
export const US_TERRITORIES = ["AS", "GU", "MP", "PR", "VI"];

const CODES = new Map(Object.entries(NAMES).map(([codes, name]) => [name, codes]));
CODES.set("British Colombia", "CA-BC");

/**
 * @param place as the data write it: `New Jersey`, `Chicago, IL`
 * @returns ISO 3166-2 codes, joined by a space; undefined: a place that is none of these
 */
export function regionsOf(place: string): string | undefined {
  const suffix = /, ([A-Z]{2})$/.exec(place)?.[1];
  if (suffix === undefined) return CODES.get(place);
  return Object.keys(NAMES).find((codes) => codes === `US-${suffix}` || codes.split(" ").includes(`CA-${suffix}`));
}
