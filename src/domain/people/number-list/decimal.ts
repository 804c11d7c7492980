// Pure. Writes whole numbers as decimal text into bytes. Many numbers take less time so than as strings, and no heap.
// Measured in docs/measurements.md.

const ZERO = 48;
const HALF_DIGITS = 8;
const HALF = 10 ** HALF_DIGITS;

/** The length of the longest number in E.164 form. */
export const MOST_DIGITS = 15;

/**
 * @param at the place of the first digit
 * @param value whole, from 0 to 10^15
 * @returns the place after the last digit
 */
export function writeDecimal(bytes: Uint8Array, at: number, value: number): number {
  const end = at + countDigits(value);
  const high = Math.floor(value / HALF);
  const low = value - high * HALF;
  if (high === 0) writeDigits(bytes, at, end, low);
  else {
    writeDigits(bytes, at, end - HALF_DIGITS, high);
    writeDigits(bytes, end - HALF_DIGITS, end, low);
  }
  return end;
}

function countDigits(value: number): number {
  let count = 1;
  for (let limit = 10; value >= limit; limit *= 10) count++;
  return count;
}

/** Fills the places with the last digits of a value below 10^8, padded with zeros. */
function writeDigits(bytes: Uint8Array, start: number, end: number, value: number): void {
  let rest = value | 0;
  for (let place = end - 1; place >= start; place--) {
    const shorter = (rest / 10) | 0;
    bytes[place] = ZERO + rest - shorter * 10;
    rest = shorter;
  }
}
