import * as z from "zod/mini";
import { BODY_LIMITS } from "../../http/body.ts";
import { subscriberAnswers } from "../../http/operator/subscribers.ts";
import { PHONE } from "../examples.ts";
import { type ApiOperation, ok } from "../operation.ts";
import { type Resource, WEBSITE_PARAMETER } from "./resource.ts";

export function describeSubscribers(): Resource {
  const schemas = subscriberAnswers();
  const importSubscribers: ApiOperation = {
    id: "importSubscribers",
    method: "post",
    path: "/operator/websites/{websiteId}/subscribers",
    tag: "People",
    access: "operator",
    summary: "Import subscribers",
    description:
      "A file with an invalid row is rejected as a whole, and so is one with more than 100,000 invalid phone numbers and e-mail addresses; fewer are left out, and listed. `optedOutNumbers` has the numbers whose owners opted out themselves: they are not subscribed again.",
    parameters: [WEBSITE_PARAMETER],
    body: {
      mediaTypes: ["text/csv"],
      schema: z.string(),
      description:
        "CSV with the columns `phone_numbers`, and optionally `email` (an empty cell keeps the present address) and `subscribed` (default `true`).",
      limitBytes: BODY_LIMITS.subscribers,
      examples: { two: `phone_numbers,email,subscribed\n${PHONE},ada@example.com,true\n+12125550101,,false\n` },
    },
    answers: [
      ok(schemas.ImportAnswer, "How many rows were imported, and which numbers were not.", {
        imported: 2,
        invalidPhoneNumbers: [],
      }),
    ],
    errors: ["resource-unknown"],
  };
  return { operations: [importSubscribers], schemas };
}
