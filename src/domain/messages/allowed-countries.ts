// Pure. To which countries a website sends.
import type { FieldError } from "../failure.ts";
import { countryOf } from "../people/places.ts";

/**
 * @param allowed ISO 3166-1 codes; null: all
 * @param field that gave the number
 * @returns undefined: the number may be texted
 */
export function findCountryFault(
  allowed: readonly string[] | null,
  phone: number,
  field: "phone" | "email",
): FieldError | undefined {
  if (allowed === null) return undefined;
  const country = countryOf(phone);
  if (country !== undefined && allowed.includes(country)) return undefined;
  const where = country === undefined ? "a number of no country" : `a number of ${country}`;
  const what = field === "phone" ? `is ${where}` : `has ${where}`;
  return { field, message: `${what}: this website sends to ${allowed.join(", ")} only, as its operator has set` };
}
