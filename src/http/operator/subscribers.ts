import * as z from "zod";
import { readSubscribers } from "../../domain/subscriber-file.ts";
import { without } from "../../domain/subscribers.ts";
import { findInvalidOptOuts, setSubscriptions } from "../../flows/change-subscriptions.ts";
import type { Handler } from "../api-request.ts";
import { BODY_LIMITS, readBytes, requireMediaType } from "../body.ts";
import type { Answers } from "./answers.ts";
import { requireWebsite } from "./params.ts";

export function subscriberAnswers() {
  return {
    ImportAnswer: z.object({
      imported: z.int(),
      invalidPhoneNumbers: z.array(z.string()),
      invalidEmails: z
        .array(z.string())
        .optional()
        .meta({ description: "Left out if empty. Their numbers are imported without an address." }),
      optedOutNumbers: z
        .array(z.string())
        .optional()
        .meta({ description: "Left out if empty. Their owners opted out themselves: they are not subscribed again." }),
    }),
  };
}

export type SubscriberAnswers = Answers<typeof subscriberAnswers>;

/** POST /operator/websites/:websiteId/subscribers */
export const importSubscribersHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  requireMediaType(request, "text/csv");
  const file = readSubscribers(await readBytes(request, BODY_LIMITS.subscribers));
  const origin = { source: "import", proof: request.requestId, now: deps.now() } as const;
  const known = await findInvalidOptOuts(deps, websiteId, file.invalidOptOuts);
  const changes = [...file.subscribers, ...known];
  const optedOutNumbers = await setSubscriptions(deps, websiteId, changes, origin);
  const { invalidPhoneNumbers, invalidEmails } = file;
  const answer: SubscriberAnswers["ImportAnswer"] = {
    imported: changes.length - optedOutNumbers.length,
    invalidPhoneNumbers: without(invalidPhoneNumbers, known),
    ...(invalidEmails.length > 0 ? { invalidEmails } : {}),
    ...(optedOutNumbers.length > 0 ? { optedOutNumbers } : {}),
  };
  return Response.json(answer);
};
