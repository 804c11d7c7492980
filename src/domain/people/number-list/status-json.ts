// Pure. The JSON of a status answer, written as bytes. As text, an answer of 50,000 numbers takes longer and fills the heap.
// Measured in docs/measurements.md.
import { MOST_DIGITS, writeDecimal } from "./decimal.ts";
import type { PhoneList } from "./distinct-phones.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Each number takes two pieces: its digits, and the text up to the digits of the next number. Neither needs JSON escapes. */
const BEGINNING = '{"phoneNumber":"+';
const FIRST = encode(`{"phoneNumberStatuses":[${BEGINNING}`);
const AFTER_SUBSCRIBED = encode(`","subscriptionStatus":true},${BEGINNING}`);
const AFTER_OTHER = encode(`","subscriptionStatus":false},${BEGINNING}`);
const END_BYTES = `,${BEGINNING}`.length;

/**
 * @param subscribed for each of `valid`, 1 when the number is subscribed
 * @param others further fields of the answer
 */
export function writeStatuses(
  { valid, invalid }: PhoneList,
  subscribed: Uint8Array,
  others: object = {},
): Uint8Array<ArrayBuffer> {
  const rest = encode(`],${JSON.stringify({ invalidPhoneNumbers: invalid, ...others }).slice(1)}`);
  const most = valid.length * (MOST_DIGITS + AFTER_OTHER.length);
  const bytes = new Uint8Array(FIRST.length + most + rest.length);
  bytes.set(FIRST);
  let at = FIRST.length;
  for (let index = 0; index < valid.length; index++) {
    at = writeDecimal(bytes, at, valid[index] as number);
    const after = subscribed[index] === 1 ? AFTER_SUBSCRIBED : AFTER_OTHER;
    bytes.set(after, at);
    at += after.length;
  }
  // The last piece has begun an object for a next number: the end of the answer overwrites it.
  at -= valid.length === 0 ? BEGINNING.length : END_BYTES;
  bytes.set(rest, at);
  return bytes.subarray(0, at + rest.length);
}
