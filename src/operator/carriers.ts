import * as z from "zod";
import { findCarrier } from "../flows/clients/carrier-accounts.ts";
import { tryCarrier } from "../flows/messages/carrier-pauses.ts";
import { audited } from "../flows/operations/audit.ts";
import { authorOf } from "../http/api-request.ts";
import { inPath, ok, type Resource } from "../http/call.ts";
import { countOf, operatorCall } from "./operator-call.ts";
import { requireFound } from "./params.ts";

const carrierAnswers = {
  TriedCarrier: z.object({
    carrier: z.string(),
    due: z.int().describe("How many messages waited for a retry, and are due now: at most 20,000 a call."),
  }),
};

const tryAgain = operatorCall({
  id: "tryCarrier",
  method: "POST",
  path: "/operator/carriers/:carrier/try",
  tag: "Service state",
  summary: "Try a carrier again now",
  description:
    "Lets the next submission through its circuit breaker and those of its senders, in every database, and makes its messages due that wait for a retry. If the carrier or a sender still fails, the next failure opens the breaker again, for longer. Held messages stay held.",
  parameters: [inPath("carrier", "A carrier that is set up.", "kannel")],
  answers: [ok(carrierAnswers.TriedCarrier, "It is tried now.", { carrier: "kannel", due: 748 })],
  errors: ["resource-unknown"],
  command: {
    name: "try-carrier",
    next: ({ carrier, due }) =>
      `${countOf(due, "message")} that waited for ${carrier} can be submitted now. \`health\` shows whether the carrier accepts texts.`,
  },
  run: async (request, deps) => {
    const carrier = request.params.carrier ?? "";
    requireFound(await findCarrier(deps, carrier), "carrier, or it is not set up");
    const entry = { action: "try-carrier", subject: carrier } as const;
    const work = () => tryCarrier(deps, carrier);
    const due = await audited(deps, authorOf(request), entry, work, (messages) => ({ due: messages }));
    request.logged = { carrier, due };
    return { carrier, due };
  },
});

export const carriers: Resource = { calls: [tryAgain], schemas: carrierAnswers };
