import { parseFields } from "../domain/field-errors.ts";
import { toDigits } from "../domain/phone.ts";
import { phoneListSchema } from "../domain/phone-list.ts";
import { findSubscribed } from "../platform/store/subscriptions.ts";
import { clientOf, type Handler } from "./api-request.ts";
import { LIST_BODY_BYTES, readJson } from "./body.ts";

/** POST /text/subscription/status */
export const subscriptionStatus: Handler = async (request, deps) => {
  const { value } = await readJson(request, LIST_BODY_BYTES);
  const phones = parseFields(phoneListSchema, value);
  const subscribed = await findSubscribed(deps.db, clientOf(request).websiteId, phones.valid);
  // E.164 needs no escaping in JSON, and an answer of 50,000 numbers is built faster as text than as objects.
  const statuses = phones.valid.map(
    (phone) => `{"phoneNumber":"${phone}","subscriptionStatus":${subscribed.has(toDigits(phone))}}`,
  );
  const invalid = JSON.stringify(phones.invalid);
  return new Response(`{"phoneNumberStatuses":[${statuses.join(",")}],"invalidPhoneNumbers":${invalid}}`, {
    headers: { "content-type": "application/json" },
  });
};
