import { writeStatuses } from "../domain/people/number-list/status-json.ts";
import { phoneListSchema, subscriptionStatusAnswerSchema } from "../domain/people/phone-list.ts";
import { findSubscribed } from "../store/people/subscriptions.ts";
import { clientOf } from "./api-request.ts";
import { BODY_LIMITS, readFields } from "./body.ts";
import { call, ignoredIn, jsonBody, ok, type Resource } from "./call.ts";
import { LISTS, PHONE } from "./examples.ts";

const read = call({
  id: "subscriptionStatus",
  method: "POST",
  path: "/text/subscription/status",
  tag: "Subscriptions",
  summary: "Read which numbers are subscribed",
  description:
    "Each distinct number appears once, in order of first appearance, `phone_numbers` before `csv_file`. `invalidPhoneNumbers` has the other values as you sent them. A spreadsheet's `1.2E+10` is listed there, and never guessed.",
  access: { client: "subscription" },
  database: "client",
  body: jsonBody(phoneListSchema, BODY_LIMITS.lists, LISTS),
  answers: [
    ok(subscriptionStatusAnswerSchema, "An unknown number is `false`.", {
      phoneNumberStatuses: [{ phoneNumber: PHONE, subscriptionStatus: true }],
      invalidPhoneNumbers: ["1.2E+10"],
    }),
  ],
  run: async (request, deps) => {
    const phones = await readFields(request, phoneListSchema, BODY_LIMITS.lists);
    const subscribed = await findSubscribed(deps.db, clientOf(request).websiteId, phones);
    return new Response(writeStatuses(phones, subscribed, ignoredIn(request)), {
      headers: { "content-type": "application/json" },
    });
  },
});

/** Its schemas are with those of src/http/subscribe.ts. */
export const subscriptionStatus: Resource = { calls: [read], schemas: {} };
