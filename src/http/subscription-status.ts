import { parseFields } from "../domain/failure.ts";
import { writeStatuses } from "../domain/number-list/status-json.ts";
import { phoneListSchema } from "../domain/phone-list.ts";
import { findSubscribed } from "../platform/store/subscriptions.ts";
import { clientOf, type Handler } from "./api-request.ts";
import { BODY_LIMITS, readJson } from "./body.ts";

/** POST /text/subscription/status */
export const subscriptionStatusHandler: Handler = async (request, deps) => {
  const { value } = await readJson(request, BODY_LIMITS.lists);
  const phones = parseFields(phoneListSchema, value);
  const subscribed = await findSubscribed(deps.db, clientOf(request).websiteId, phones);
  return new Response(writeStatuses(phones, subscribed), { headers: { "content-type": "application/json" } });
};
