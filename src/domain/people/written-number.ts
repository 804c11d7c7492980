// Pure. Reads a phone number as a gateway writes it: an end of an inbound text. libphonenumber knows how each country dials.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from "libphonenumber-js/min";
import { isE164, PHONE_FORM, prefixAbroad, toDigits } from "./phone.ts";
import { countryOf } from "./places.ts";
import { otherForm } from "./two-form-numbers.ts";

export type { CountryCode };

/** One number that may be meant, as digits. */
export interface Reading {
  /** Every form in which it may be stored: one of these counts where a website knows it. */
  forms: number[];
  /** The form that counts where no website knows any; null: then the number does not count. */
  assumed: number | null;
}

/** Fewer digits without a plus sign are a short code, unless somebody knows the number. */
const LEAST_DIGITS = 7;

/**
 * @param written the number of one end of a text
 * @param homes the countries that the other end may be in: people write numbers as their country dials them
 * @param others further countries, to guess at: a number in their national form counts only if a website knows it
 * @returns the likeliest first; none for a name
 */
export function readNumber(written: string, homes: CountryCode[], others: CountryCode[] = []): Reading[] {
  const text = toPlain(written);
  // A zero in brackets is dialed at home only, as in +44 (0) 7700 900123. In a country without such a zero, it is part of the number.
  const texts = [...new Set([text.replace("(0)", ""), text].map((one) => one.replaceAll(/[()]/g, "")))];
  const readings = texts.flatMap((one) => readDigits(one, homes, others));
  return readings.filter(
    ({ forms: [first] }, place) => readings.findIndex(({ forms }) => forms[0] === first) === place,
  );
}

/** Without spaces, punctuation and what cannot be seen. */
function toPlain(written: string): string {
  const bare = written.normalize("NFKC").replaceAll(/[\s\p{Pd}\p{Cf}./]+/gu, "");
  // No calling code begins with 0: the plus sign was put before a number in another form.
  return bare.replace(/^\+(?=\(?0)/, "");
}

function readDigits(text: string, homes: CountryCode[], others: CountryCode[]): Reading[] {
  if (/^\+[1-9]\d{2,17}$/.test(text)) return readInternational(text.slice(1));
  if (!/^\d{3,20}$/.test(text)) return [];
  // Both stand before a calling code in many countries. A country with another prefix knows it itself.
  const [, abroad] = /^(?:00|011)([1-9]\d+)$/.exec(text) ?? [];
  const fromAbroad = abroad === undefined ? [] : readInternational(abroad);
  const national = homes.flatMap((home) => readNational(text, home));
  const asItStands = readInternational(text);
  const plain = homes.some((home) => isCalled(text, home))
    ? [...asItStands, ...national]
    : [...national, ...asItStands];
  const guesses = others.flatMap((country) => readNational(text, country)).map(asGuess);
  const begins00 = text.startsWith("00") && !homes.some((home) => goesOn(text, home));
  const readings = begins00 ? [...fromAbroad, ...plain] : [...plain, ...fromAbroad];
  return [...(text.length < LEAST_DIGITS ? readings.map(asGuess) : readings), ...guesses];
}

/** Whether the country dials abroad with 00 and further digits, as with 0011 in Australia, and a number that exists follows them. */
function goesOn(text: string, home: CountryCode): boolean {
  const prefix = prefixAbroad(home).exec(text)?.[0] ?? "";
  if (prefix.length <= 2 || isCalled(text.slice(2), home)) return false;
  return parsePhoneNumberFromString(`+${text.slice(prefix.length)}`)?.isValid() === true;
}

const asGuess = ({ forms }: Reading): Reading => ({ forms, assumed: null });

/** @param digits after the plus sign */
function readInternational(digits: string): Reading[] {
  const number = parsePhoneNumberFromString(`+${digits}`)?.number.slice(1) ?? digits;
  const other = otherForm(number);
  const assumed = [number, other].find((one) => one !== undefined && isE164(`+${one}`));
  const forms = [assumed, number, other, digits].filter((one) => one !== undefined && PHONE_FORM.test(`+${one}`));
  if (forms.length === 0) return [];
  return [{ forms: [...new Set(forms.map(Number))], assumed: assumed === undefined ? null : Number(assumed) }];
}

/** As a phone in the country dials it. */
function readNational(text: string, country: CountryCode): Reading[] {
  const number = parsePhoneNumberFromString(text, country)?.number;
  return number ? readInternational(number.slice(1)) : [];
}

const isCalled = (text: string, country: CountryCode) => text.startsWith(getCountryCallingCode(country));

/** A sender with fewer digits, and without a plus sign, is a short code. */
const LEAST_DIGITS_OF_SENDER = 9;

/** The country of a sender, or of a number that was texted. A short code, a name and a number in national form have none. */
export function findCountries(sender: string): CountryCode[] {
  const [, digits = ""] = /^\+?([1-9]\d+)$/.exec(toPlain(sender)) ?? [];
  if (!sender.includes("+") && digits.length < LEAST_DIGITS_OF_SENDER) return [];
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (!number || !isE164(number.number)) return [];
  return [countryOf(toDigits(number.number)) ?? number.getPossibleCountries()].flat().slice(0, 1);
}

export const ALL_COUNTRIES = getCountries();
