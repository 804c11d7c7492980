// Pure. Countries that write one number in two ways. Gateways, phones and old lists have either form.

/** The digits `added` stand between the digits before them and the rest, or do not. In a pattern, `?` is any digit, as in GLOB of SQL. */
interface TwoForms {
  before: string;
  added: string;
  rest: string;
}

const TWO_FORMS: TwoForms[] = [
  // Mexico: a 1 stood before mobile numbers from abroad until 3 August 2019 (IFT, Plan Técnico Fundamental de Numeración).
  { before: "52", added: "1", rest: "[2-9]?????????" },
  // Argentina: a 9 stands before mobile numbers for calls from abroad, and not for texts (en.wikipedia.org/wiki/Telephone_numbers_in_Argentina).
  { before: "54", added: "9", rest: "[1-3]?????????" },
  // Brazil: mobile numbers have had a 9 in front since 2012 to 2016 (Anatel, Resolução 553/2010).
  { before: "55[1-9]?", added: "9", rest: "[6-9]???????" },
  // Benin: all numbers have had 01 in front since 30 November 2024 (ARCEP Bénin).
  { before: "229", added: "01", rest: "????????" },
  // Ivory Coast: numbers have had the digits of their operator in front since 31 January 2021 (ARTCI). The second digit of a mobile
  // number told its operator, the third one of a landline: Moov, MTN, Orange.
  { before: "225", added: "01", rest: "[04-9][0-3]??????" },
  { before: "225", added: "05", rest: "[04-9][4-6]??????" },
  { before: "225", added: "07", rest: "[04-9][7-9]??????" },
  { before: "225", added: "21", rest: "[23]?8?????" },
  { before: "225", added: "25", rest: "[23]?0?????" },
  { before: "225", added: "27", rest: "[23]?[1-79]?????" },
];

/** How numbers of one form become those of the other: the store applies them as well. */
interface Change {
  /** The pattern of the numbers. */
  form: string;
  /** So many digits stay before `added`; the digits from the place `next` on, counted from 1, stay after it. */
  kept: number;
  added: string;
  next: number;
}

export const CHANGES: Change[] = TWO_FORMS.flatMap(({ before, added, rest }) => {
  const kept = before.replaceAll(/\[.*?\]/g, "?").length;
  return [
    { form: before + rest, kept, added, next: kept + 1 },
    { form: before + added + rest, kept, added: "", next: kept + added.length + 1 },
  ];
});

const READERS = CHANGES.map((change) => ({ ...change, form: new RegExp(`^${change.form.replaceAll("?", ".")}$`) }));

/** With which two digits such numbers begin. Most numbers begin with others, and are looked at no further. */
export const BEGINNINGS = [...new Set(TWO_FORMS.map(({ before }) => before.slice(0, 2)))];

/** The other form of a number, as digits; null: it has one form. */
export function otherFormOf(phone: number): number | null {
  const digits = String(phone);
  const other = BEGINNINGS.includes(digits.slice(0, 2)) ? otherForm(digits) : undefined;
  return other === undefined ? null : Number(other);
}

/** The form by which a person is one, in whichever form a number is given: the shorter of the two. As digits. */
export function oneFormOf(phone: number): number {
  return Math.min(phone, otherFormOf(phone) ?? phone);
}

/** @param digits in international form. @returns the number in its other form, which need not be possible; undefined: it has one form */
export function otherForm(digits: string): string | undefined {
  const change = READERS.find(({ form }) => form.test(digits));
  return change && digits.slice(0, change.kept) + change.added + digits.slice(change.next - 1);
}
