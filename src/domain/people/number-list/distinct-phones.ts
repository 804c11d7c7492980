// Pure. Up to 50,000 numbers, each once. They stay numbers in typed arrays, read straight from the text of the file; sorting
// finds repeats and gives SQL its ascending order. Measured in docs/measurements.md.
import { echoPhone } from "../echo.ts";
import { strip } from "../invisible.ts";
import { e164Digits } from "../phone.ts";
import { sortOrder } from "./sort-order.ts";

export interface PhoneList {
  /** Numbers in E.164 form as digits; distinct, in order of first appearance. */
  valid: Float64Array;
  /** The indexes of `valid`, by ascending number. */
  order: Uint32Array;
  /** As given, stripped; distinct, in order of first appearance. */
  invalid: string[];
}

/** Cells of a file: as strings, or as places in its text where they begin and end. */
export type Cells = string[] | { text: string; bounds: Uint32Array };

export function distinctPhones(listed: readonly string[], file: Cells = []): PhoneList {
  const rows = Array.isArray(file) ? file.length : file.bounds.length / 2;
  const digits = new Float64Array(listed.length + rows);
  const invalid = new Set<string>();
  let count = 0;
  const add = (text: string, start = 0, end = text.length) => {
    let number = e164Digits(text, start, end);
    if (Number.isNaN(number)) {
      const phone = strip(text, start, end);
      number = e164Digits(phone);
      if (Number.isNaN(number)) return invalid.add(echoPhone(phone));
    }
    digits[count++] = number;
  };
  for (const phone of listed) add(phone);
  if (Array.isArray(file)) for (const cell of file) add(cell);
  else for (let row = 0; row < rows; row++) add(file.text, file.bounds[row * 2], file.bounds[row * 2 + 1]);
  return { ...withoutRepeats(digits.subarray(0, count)), invalid: [...invalid] };
}

/** After sorting, equal numbers are neighbors, and the first to appear comes first. */
function withoutRepeats(digits: Float64Array): Pick<PhoneList, "valid" | "order"> {
  const order = sortOrder(digits);
  const repeats = new Set<number>();
  for (let place = 1; place < order.length; place++) {
    const index = order[place] as number;
    if (digits[index] === digits[order[place - 1] as number]) repeats.add(index);
  }
  if (repeats.size === 0) return { valid: digits, order };
  return withoutRepeats(digits.filter((_, index) => !repeats.has(index)));
}
