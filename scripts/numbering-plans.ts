/** Positions in a country's entry: https://gitlab.com/catamphetamine/libphonenumber-js/-/blob/master/METADATA.md */
const [ASSIGNED, LENGTHS, PREFIX, PREFIX_FOR_PARSING, REPLACEMENT, START, TYPES] = [2, 3, 5, 7, 8, 10, 11];

type Country = unknown[];

/** What libphonenumber-js calls metadata. */
export interface Metadata {
  country_calling_codes: Record<string, string[]>;
  countries: Record<string, Country>;
  nonGeographic: Record<string, Country>;
}

/** What src/domain/numbering-plan.ts needs of libphonenumber-js's data, as JSON: a sixth of it. */
export function writePlans({ country_calling_codes, countries, nonGeographic }: Metadata): string {
  const plans = Object.entries(country_calling_codes).map(([code, names]) => {
    const [main = [], ...others] = names.map((name) => countries[name] ?? []);
    return [code, toPlan(main, others)];
  });
  const ofNoCountry = Object.entries(nonGeographic).map(([code, entry]) => [code, [entry[LENGTHS]]]);
  // The patterns are tried on digits alone, of which a dot matches any: a backslash would be written as two, in JSON and again in code.
  return JSON.stringify(Object.fromEntries([...plans, ...ofNoCountry])).replaceAll("\\\\d", ".");
}

function toPlan(main: Country, others: Country[]): unknown[] {
  const prefix = main[PREFIX_FOR_PARSING] || main[PREFIX] || 0;
  const parts = others.flatMap((other) => toPart(other, main[LENGTHS] as number[]));
  const plan = [main[LENGTHS], main[ASSIGNED], prefix, main[REPLACEMENT] || 0, parts];
  if (parts.length === 0) plan.pop();
  while (plan.at(-1) === 0) plan.pop();
  return plan;
}

/** The country of a number matters only where its numbers have other lengths than those of the main country. */
function toPart(country: Country, usual: number[]): [start: string, lengths: number[]][] {
  const lengths = country[LENGTHS] as number[];
  if (String(lengths) === String(usual)) return [];
  if (country[START]) return [[String(country[START]), lengths]];
  const types = ((country[TYPES] || []) as (0 | [pattern: string, lengths?: number[]])[]).flatMap((type) => {
    const [pattern, own = lengths] = type || [""];
    return pattern !== "" && own.some((length) => !usual.includes(length)) ? pattern : [];
  });
  return types.length === 0 ? [] : [[`(?:${types.join("|")})$`, lengths]];
}
