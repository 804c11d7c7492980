import * as z from "zod";
import { tryCarrier } from "../../flows/messages/carrier-pauses.ts";
import { audited } from "../../flows/operations/audit.ts";
import { authorOf, type Handler } from "../api-request.ts";
import type { Answers } from "./answers.ts";
import { requireFound } from "./params.ts";

export const carrierAnswers = {
  TriedCarrier: z.object({
    carrier: z.string(),
    due: z.int().describe("How many messages waited for a retry, and are due now: at most 20,000 a call."),
  }),
};

export type CarrierAnswers = Answers<typeof carrierAnswers>;

/** POST /operator/carriers/:carrier/try */
export const tryCarrierHandler: Handler = async (request, deps) => {
  const carrier = request.params.carrier ?? "";
  requireFound(Object.hasOwn(deps.carriers.ready, carrier), "carrier that is set up");
  const entry = { action: "try-carrier", subject: carrier } as const;
  const work = () => tryCarrier(deps, carrier);
  const due = await audited(deps, authorOf(request), entry, work, (messages) => ({ due: messages }));
  request.logged = { carrier, due };
  const answer: CarrierAnswers["TriedCarrier"] = { carrier, due };
  return Response.json(answer);
};
