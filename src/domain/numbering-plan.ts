// Pure. Reads digits as libphonenumber does, with what the service needs of its data; a test holds the two together.
import { PHONE_METADATA } from "./phone-metadata.ts";

/** The numbers of a calling code: those of its main country, unless said otherwise. The texts are regular expressions of digits. */
type PlanData = [
  /** How many digits may follow the calling code, ascending. */
  lengths: number[],
  /** Numbers that are assigned; absent where no country has the calling code. */
  assigned?: string,
  /** Dialed before a number at home. */
  prefix?: string | 0,
  /** Takes the place of the prefix and of what its groups match. */
  replacement?: string | 0,
  /** Numbers that begin so belong to another country, with other lengths. */
  others?: [start: string, lengths: number[]][],
];

const data = JSON.parse(PHONE_METADATA) as Record<string, PlanData>;

/** The plans that have been asked for, by calling code. */
const plans: Plan[] = [];

/** Undefined: nobody has the calling code. */
export function planOf(callingCode: number): Plan | undefined {
  const known = plans[callingCode];
  if (known) return known;
  const own = data[callingCode];
  if (own) plans[callingCode] = toPlan(own);
  return plans[callingCode];
}

type Plan = ReturnType<typeof toPlan>;

function toPlan([lengths, assigned = "", prefix, replacement, others = []]: PlanData) {
  const start = (source: string) => new RegExp(`^(?:${source})`);
  return {
    lengths,
    /** Bit n: a number may have n digits, whichever country it belongs to. */
    commonLengths: others.map(([, own]) => toBits(own)).reduce((all, own) => all & own, toBits(lengths)),
    assigned: new RegExp(`^(?:${assigned})$`),
    prefix: prefix ? start(prefix) : null,
    /** Bit d: the prefix may begin with digit d. */
    prefixStarts: toStarts(prefix || ""),
    replacement,
    others: others.map(([source, own]) => ({ start: start(source), lengths: own })),
  };
}

/** Any digit, unless the pattern is a list of digits, such as `0|180020`. */
const toStarts = (pattern: string) =>
  /^[\d|]*$/.test(pattern) ? toBits(Array.from(pattern.matchAll(/\b\d/g), ([digit]) => Number(digit))) : 0b11_1111_1111;

const toBits = (lengths: number[]) => lengths.reduce((bits, length) => bits | (1 << length), 0);

/** @param national the digits after the calling code */
export function isPossible({ others, lengths }: Plan, national: string): boolean {
  const own = others.find(({ start }) => start.test(national))?.lengths ?? lengths;
  return own.includes(national.length);
}

/** The number without the prefix of a call at home; the number itself where that would be no number. */
export function withoutPrefix(plan: Plan, national: string): string {
  const rest = removePrefix(plan, national);
  const isFalse = plan.assigned.test(national) && !plan.assigned.test(rest);
  return isPossible(plan, rest) && !isFalse ? rest : national;
}

function removePrefix({ prefix, replacement }: Plan, national: string): string {
  const match = prefix?.exec(national);
  if (!prefix || !match) return national;
  const hasGroups = match.length > 1 && match.at(-1);
  return replacement && hasGroups ? national.replace(prefix, replacement) : national.slice(match[0].length);
}

/** @returns the calling code and the digits after it; undefined when nobody has the calling code */
export function splitCallingCode(digits: string): [callingCode: string, national: string] | undefined {
  for (let end = 1; end <= 3; end++) {
    const callingCode = digits.slice(0, end);
    if (Object.hasOwn(data, callingCode)) return [callingCode, digits.slice(end)];
  }
  return undefined;
}

/** @param digits in international form. @returns the same without a prefix that was left in */
export function normalize(digits: string): string | undefined {
  const [callingCode, national] = splitCallingCode(digits) ?? [];
  const plan = planOf(Number(callingCode));
  return plan && national !== undefined ? callingCode + withoutPrefix(plan, national) : undefined;
}
