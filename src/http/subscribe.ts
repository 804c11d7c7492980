import * as z from "zod";
import { RequestFailure } from "../domain/failure.ts";
import { ignoredFieldsShape } from "../domain/messages/ignored-fields.ts";
import { toE164 } from "../domain/people/phone.ts";
import { phoneListSchema, subscriptionStatusAnswerSchema } from "../domain/people/phone-list.ts";
import { subscribeSchema, trySubscribeRequest } from "../domain/people/subscribe-request.ts";
import { without } from "../domain/people/subscribers.ts";
import { findInvalidOptOuts, findOtherForms, setSubscriptions } from "../flows/people/change-subscriptions.ts";
import { clientOf } from "./api-request.ts";
import { BODY_LIMITS, noteIgnored, readFields, readJson } from "./body.ts";
import { call, jsonBody, ok, type Resource } from "./call.ts";
import { LISTS, OTHER_PHONE } from "./examples.ts";

export const unsubscribeAnswerSchema = z.object({
  message: z.string(),
  invalidPhoneNumbers: z.array(z.string()),
  ...ignoredFieldsShape,
});

export const subscribeAnswerSchema = unsubscribeAnswerSchema.extend({
  /** Their owners have opted out by their own word: only they can undo it, by texting START. */
  failedToProcessNumbers: z.array(z.string()),
  /** Left out when there is none. Their numbers are subscribed, without an address. */
  invalidEmails: z.array(z.string()).optional(),
});

const unsubscribe = call({
  id: "unsubscribe",
  method: "POST",
  path: "/text/unsubscribe",
  tag: "Subscriptions",
  summary: "Unsubscribe numbers",
  description:
    "Unknown numbers are stored as opted out. Pending messages to these numbers are not sent. If a country writes a number in two ways, and the website has stored the other one, that is unsubscribed as well. Safe to repeat.",
  access: { client: "unsubscribe" },
  database: "client",
  body: jsonBody(phoneListSchema, BODY_LIMITS.lists, LISTS),
  answers: [
    ok(unsubscribeAnswerSchema, "The numbers are unsubscribed.", {
      ...{ message: "2 numbers are unsubscribed.", invalidPhoneNumbers: [] },
    }),
  ],
  run: async (request, deps) => {
    const { valid, invalid } = await readFields(request, phoneListSchema, BODY_LIMITS.lists);
    const client = clientOf(request);
    const known = await findInvalidOptOuts(deps, client.websiteId, invalid);
    const phones = [...valid, ...known];
    const toOptOut = (phone: number) => ({ phone, email: null, subscribed: false });
    const given = phones.map(toOptOut);
    const changes = [...given, ...(await findOtherForms(deps, client.websiteId, given)).map(toOptOut)];
    const origin = {
      source: "api",
      proof: `request ${request.requestId}`,
      now: deps.now(),
      clientId: client.clientId,
    } as const;
    await setSubscriptions(deps, client, changes, origin);
    return {
      message: `${count(phones.length)} unsubscribed.`,
      invalidPhoneNumbers: without(invalid, known.map(toE164)),
    };
  },
});

const subscribe = call({
  id: "subscribe",
  method: "POST",
  path: "/text/subscribe",
  tag: "Subscriptions",
  summary: "Subscribe numbers",
  description:
    "The file may have a column `email`. The call subscribes every number of the file. So it refuses a file with a column such as `status`, `opt_in` or `unsubscribed`, or with anything but true in a column `subscribed`. `failedToProcessNumbers` has the numbers whose owners opted out themselves. Only they can opt in again, by texting START. `consentedAt` and `evidence` are kept as proof with each number that is subscribed. If a number is subscribed already, a new proof is added to its proofs. Safe to repeat.",
  access: { client: "subscribe" },
  database: "client",
  body: jsonBody(subscribeSchema, BODY_LIMITS.lists, {
    array: { ...LISTS.array, sendPurpose: "newsletter" },
    file: { ...LISTS.file, sendPurpose: "newsletter" },
  }),
  answers: [
    ok(subscribeAnswerSchema, "How many numbers are subscribed, and which are not.", {
      message: "1 number is subscribed.",
      invalidPhoneNumbers: ["1.2E+10"],
      failedToProcessNumbers: [OTHER_PHONE],
    }),
  ],
  run: async (request, deps) => {
    const { value } = await readJson(request, BODY_LIMITS.lists);
    noteIgnored(request, subscribeSchema, value);
    const { data, details } = trySubscribeRequest(value, deps.now());
    if (!data) throw new RequestFailure({ kind: "fields-wrong", details });
    const { subscribers, sendPurpose, consent } = data;
    const proof = `request ${request.requestId}, sendPurpose ${sendPurpose}`;
    const client = clientOf(request);
    const origin = {
      ...({ source: "api", proof, now: deps.now(), clientId: client.clientId } as const),
      ...(consent ? { consent } : {}),
    };
    const set = await setSubscriptions(deps, client, subscribers.takePart().changes, origin);
    const { invalidPhoneNumbers, invalidEmails } = subscribers;
    return {
      message: `${count(set.count)} subscribed.`,
      invalidPhoneNumbers,
      failedToProcessNumbers: set.refused.map(toE164),
      ...(invalidEmails.length > 0 ? { invalidEmails } : {}),
    };
  },
});

export const subscriptions: Resource = {
  calls: [subscribe, unsubscribe],
  schemas: {
    PhoneList: phoneListSchema,
    SubscriptionStatuses: subscriptionStatusAnswerSchema,
    SubscribeRequest: subscribeSchema,
    SubscribeAnswer: subscribeAnswerSchema,
    UnsubscribeAnswer: unsubscribeAnswerSchema,
  },
};

function count(numbers: number): string {
  return numbers === 1 ? "1 number is" : `${numbers} numbers are`;
}
