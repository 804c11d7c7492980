// Pure. A list of numbers as the JSON array that SQL reads, in ascending order. Measured in docs/measurements.md.
import { MOST_DIGITS, writeDecimal } from "./decimal.ts";
import type { PhoneList } from "./distinct-phones.ts";

const [BRACKET, COMMA, CLOSING_BRACKET] = new TextEncoder().encode("[,]") as unknown as [number, number, number];

export function toSortedJson({ valid, order }: Pick<PhoneList, "valid" | "order">): string {
  const bytes = new Uint8Array(2 + order.length * (MOST_DIGITS + 1));
  let at = 1;
  for (let place = 0; place < order.length; place++) {
    at = writeDecimal(bytes, at, valid[order[place] as number] as number);
    bytes[at++] = COMMA;
  }
  // The closing bracket replaces the last comma.
  const end = Math.max(1, at - 1);
  bytes[0] = BRACKET;
  bytes[end] = CLOSING_BRACKET;
  return new TextDecoder().decode(bytes.subarray(0, end + 1));
}
