import * as z from "zod";
import { toE164 } from "../domain/people/phone.ts";
import { phoneListSchema } from "../domain/people/phone-list.ts";
import { subscribeSchema } from "../domain/people/subscribe-request.ts";
import { without } from "../domain/people/subscribers.ts";
import { findInvalidOptOuts, setSubscriptions } from "../flows/people/change-subscriptions.ts";
import { clientOf, type Handler } from "./api-request.ts";
import { BODY_LIMITS, readFields } from "./body.ts";

export const unsubscribeAnswerSchema = z.object({ message: z.string(), invalidPhoneNumbers: z.array(z.string()) });

export const subscribeAnswerSchema = unsubscribeAnswerSchema.extend({
  /** Their owners have opted out by their own word: only they can undo it, by texting START. */
  failedToProcessNumbers: z.array(z.string()),
  /** Left out when there is none. Their numbers are subscribed, without an address. */
  invalidEmails: z.array(z.string()).optional(),
});

/** POST /text/unsubscribe */
export const unsubscribeHandler: Handler = async (request, deps) => {
  const { valid, invalid } = await readFields(request, phoneListSchema, BODY_LIMITS.lists);
  const client = clientOf(request);
  const known = await findInvalidOptOuts(deps, client.websiteId, invalid);
  const changes = [...valid, ...known].map((phone) => ({ phone, email: null, subscribed: false }));
  const origin = {
    source: "api",
    proof: `request ${request.requestId}`,
    now: deps.now(),
    clientId: client.clientId,
  } as const;
  await setSubscriptions(deps, client, changes, origin);
  const answer: z.output<typeof unsubscribeAnswerSchema> = {
    message: `${count(changes.length)} unsubscribed.`,
    invalidPhoneNumbers: without(invalid, known.map(toE164)),
  };
  return Response.json(answer);
};

/** POST /text/subscribe */
export const subscribeHandler: Handler = async (request, deps) => {
  const { subscribers, sendPurpose } = await readFields(request, subscribeSchema, BODY_LIMITS.lists);
  const proof = `request ${request.requestId}, sendPurpose ${sendPurpose}`;
  const client = clientOf(request);
  const origin = { source: "api", proof, now: deps.now(), clientId: client.clientId } as const;
  const set = await setSubscriptions(deps, client, subscribers.takePart().changes, origin);
  const { invalidPhoneNumbers, invalidEmails } = subscribers;
  const answer: z.output<typeof subscribeAnswerSchema> = {
    message: `${count(set.count)} subscribed.`,
    invalidPhoneNumbers,
    failedToProcessNumbers: set.refused.map(toE164),
    ...(invalidEmails.length > 0 ? { invalidEmails } : {}),
  };
  return Response.json(answer);
};

function count(numbers: number): string {
  return numbers === 1 ? "1 number is" : `${numbers} numbers are`;
}
