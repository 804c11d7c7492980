import { parseFields } from "../domain/field-errors.ts";
import { type PhoneList, phoneListSchema } from "../domain/phone-list.ts";
import { findSubscribed } from "../platform/store/subscriptions.ts";
import { clientOf, type Handler } from "./api-request.ts";
import { LIST_BODY_BYTES, readJson } from "./body.ts";

/** POST /text/subscription/status */
export const subscriptionStatus: Handler = async (request, deps) => {
  const { value } = await readJson(request, LIST_BODY_BYTES);
  const phones = parseFields(phoneListSchema, value);
  const subscribed = await findSubscribed(deps.db, clientOf(request).websiteId, phones);
  return new Response(writeAnswer(phones, subscribed), { headers: { "content-type": "application/json" } });
};

const SUBSCRIBED = '","subscriptionStatus":true}';
const NOT_SUBSCRIBED = '","subscriptionStatus":false}';

/** E.164 needs no escaping in JSON, and an answer of 50,000 numbers is built faster as text than as objects. */
function writeAnswer({ valid, invalid }: PhoneList, subscribed: Uint8Array): string {
  let statuses = "";
  for (let index = 0; index < valid.length; index++) {
    const start = index === 0 ? '{"phoneNumber":"' : ',{"phoneNumber":"';
    statuses += start + valid[index] + (subscribed[index] === 1 ? SUBSCRIBED : NOT_SUBSCRIBED);
  }
  return `{"phoneNumberStatuses":[${statuses}],"invalidPhoneNumbers":${JSON.stringify(invalid)}}`;
}
