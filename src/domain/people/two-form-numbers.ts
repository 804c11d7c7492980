// Pure. Countries that write one number in two ways. Gateways, phones and old lists have either form.

/** The digits `added` stand between the digits before them and the rest, or do not. Regular expressions. */
interface TwoForms {
  before: string;
  added: string;
  rest: string;
}

const TWO_FORMS: TwoForms[] = [
  // Mexico: a 1 stood before mobile numbers from abroad until 3 August 2019 (IFT, Plan Técnico Fundamental de Numeración).
  { before: "52", added: "1", rest: "[2-9].{9}" },
  // Argentina: a 9 stands before mobile numbers for calls from abroad, and not for texts (en.wikipedia.org/wiki/Telephone_numbers_in_Argentina).
  { before: "54", added: "9", rest: "[1-3].{9}" },
  // Brazil: mobile numbers have had a 9 in front since 2012 to 2016 (Anatel, Resolução 553/2010).
  { before: "55[1-9].", added: "9", rest: "[6-9].{7}" },
  // Benin: all numbers have had 01 in front since 30 November 2024 (ARCEP Bénin).
  { before: "229", added: "01", rest: ".{8}" },
  // Ivory Coast: numbers have had the digits of their operator in front since 31 January 2021 (ARTCI). The second digit of a mobile
  // number told its operator, the third one of a landline: Moov, MTN, Orange.
  { before: "225", added: "01", rest: "[04-9][0-3].{6}" },
  { before: "225", added: "05", rest: "[04-9][4-6].{6}" },
  { before: "225", added: "07", rest: "[04-9][7-9].{6}" },
  { before: "225", added: "21", rest: "[23].8.{5}" },
  { before: "225", added: "25", rest: "[23].0.{5}" },
  { before: "225", added: "27", rest: "[23].[1-79].{5}" },
];

const CHANGES = TWO_FORMS.flatMap(({ before, added, rest }) => [
  { from: new RegExp(`^(${before})(${rest})$`), between: added },
  { from: new RegExp(`^(${before})${added}(${rest})$`), between: "" },
]);

const MAY_HAVE_TWO = /^(?:5[245]|22[59])/;

/** The other form of a number, as digits; null: it has one form. */
export function otherFormOf(phone: number): number | null {
  const digits = String(phone);
  const other = MAY_HAVE_TWO.test(digits) ? otherForm(digits) : undefined;
  return other === undefined ? null : Number(other);
}

/** @param digits in international form. @returns the number in its other form, which need not be possible; undefined: it has one form */
export function otherForm(digits: string): string | undefined {
  for (const { from, between } of CHANGES) {
    const [, before, rest] = from.exec(digits) ?? [];
    if (before !== undefined && rest !== undefined) return before + between + rest;
  }
  return undefined;
}
