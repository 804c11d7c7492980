import { MOST_DIGITS, writeDecimal } from "../domain/decimal.ts";
import { parseFields } from "../domain/field-errors.ts";
import { type PhoneList, phoneListSchema } from "../domain/phone-list.ts";
import { findSubscribed } from "../platform/store/subscriptions.ts";
import { clientOf, type Handler } from "./api-request.ts";
import { BODY_LIMITS, readJson } from "./body.ts";

/** POST /text/subscription/status */
export const subscriptionStatusHandler: Handler = async (request, deps) => {
  const { value } = await readJson(request, BODY_LIMITS.lists);
  const phones = parseFields(phoneListSchema, value);
  const subscribed = await findSubscribed(deps.db, clientOf(request).websiteId, phones);
  return new Response(writeAnswer(phones, subscribed), { headers: { "content-type": "application/json" } });
};

const encode = (text: string) => new TextEncoder().encode(text);

/** Of each number two pieces, its digits and what stands between them and the next one's: neither needs escaping in JSON. */
const BEGINNING = '{"phoneNumber":"+';
const FIRST = encode(`{"phoneNumberStatuses":[${BEGINNING}`);
const AFTER_SUBSCRIBED = encode(`","subscriptionStatus":true},${BEGINNING}`);
const AFTER_OTHER = encode(`","subscriptionStatus":false},${BEGINNING}`);
const END_BYTES = `,${BEGINNING}`.length;

/** As bytes, an answer of 50,000 numbers takes a third of the time that it takes as text, and nothing of the heap. */
function writeAnswer({ valid, invalid }: PhoneList, subscribed: Uint8Array): Uint8Array<ArrayBuffer> {
  const rest = encode(`],"invalidPhoneNumbers":${JSON.stringify(invalid)}}`);
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
  // What would begin another number gives way.
  at -= valid.length === 0 ? BEGINNING.length : END_BYTES;
  bytes.set(rest, at);
  return bytes.subarray(0, at + rest.length);
}
