import { writeStatuses } from "../domain/people/number-list/status-json.ts";
import { phoneListSchema } from "../domain/people/phone-list.ts";
import { findSubscribed } from "../store/people/subscriptions.ts";
import { clientOf, type Handler } from "./api-request.ts";
import { BODY_LIMITS, readFields } from "./body.ts";

/** POST /text/subscription/status */
export const subscriptionStatusHandler: Handler = async (request, deps) => {
  const phones = await readFields(request, phoneListSchema, BODY_LIMITS.lists);
  const subscribed = await findSubscribed(deps.db, clientOf(request).websiteId, phones);
  return new Response(writeStatuses(phones, subscribed), { headers: { "content-type": "application/json" } });
};
