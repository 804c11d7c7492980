import * as z from "zod/mini";
import { toE164 } from "../../domain/phone.ts";
import { SubscriberFile } from "../../domain/subscriber-file.ts";
import type { SubscriptionChange } from "../../domain/subscriber-rows.ts";
import { type Subscribers, without } from "../../domain/subscribers.ts";
import { audited } from "../../flows/audit.ts";
import { findInvalidOptOuts, setSubscriptions } from "../../flows/change-subscriptions.ts";
import { type ApiRequest, authorOf, type Handler } from "../api-request.ts";
import { BODY_LIMITS, readChunks, requireMediaType } from "../body.ts";
import type { Answers } from "./answers.ts";
import { requireWebsite } from "./params.ts";

export function subscriberAnswers() {
  return {
    ImportAnswer: z.object({
      imported: z.int(),
      invalidPhoneNumbers: z.array(z.string()),
      invalidEmails: z
        .optional(z.array(z.string()))
        .check(z.describe("Left out if empty. Their numbers are imported without an address.")),
      optedOutNumbers: z
        .optional(z.array(z.string()))
        .check(z.describe("Left out if empty. Their owners opted out themselves: they are not subscribed again.")),
    }),
  };
}

export type SubscriberAnswers = Answers<typeof subscriberAnswers>;

/** POST /operator/websites/:websiteId/subscribers */
export const importSubscribersHandler: Handler = async (request, deps) => {
  const website = await requireWebsite(request, deps);
  const { websiteId } = website;
  requireMediaType(request, "text/csv");
  const file = await readFile(request);
  const origin = { source: "import", proof: request.requestId, now: deps.now() } as const;
  const known = await findInvalidOptOuts(deps, websiteId, file.invalidOptOuts);
  const { invalidPhoneNumbers, invalidEmails } = file;
  const { count, refused } = await audited(
    deps,
    authorOf(request),
    { action: "import", websiteId },
    () => setSubscriptions(deps, website, changesOf(file, known), origin),
    (stored) => ({ imported: stored.count, refused: stored.refused.length, invalid: invalidPhoneNumbers.length }),
  );
  const answer: SubscriberAnswers["ImportAnswer"] = {
    imported: count,
    invalidPhoneNumbers: without(invalidPhoneNumbers, known.map(toE164)),
    ...(invalidEmails.length > 0 ? { invalidEmails } : {}),
    ...(refused.length > 0 ? { optedOutNumbers: refused.map(toE164) } : {}),
  };
  return Response.json(answer);
};

/** Checked while it comes in, and stored afterwards: neither the file nor its text is in memory at any time. */
async function readFile(request: ApiRequest): Promise<Subscribers> {
  const file = new SubscriberFile();
  for await (const piece of readChunks(request, BODY_LIMITS.subscribers)) file.write(piece);
  return file.end();
}

function* changesOf(file: Subscribers, optOuts: number[]): Generator<SubscriptionChange, void> {
  for (const phone of optOuts) yield { phone, email: null, subscribed: false };
  yield* file.changes();
}
