import { carrierAnswers } from "../../http/operator/carriers.ts";
import { type ApiOperation, ok, pathParameter } from "../operation.ts";
import type { Resource } from "./resource.ts";

export function describeCarriers(): Resource {
  const tryCarrier: ApiOperation = {
    id: "tryCarrier",
    method: "post",
    path: "/operator/carriers/{carrier}/try",
    tag: "Service state",
    access: "operator",
    summary: "Try a carrier again now",
    description:
      "Lets the next submission through its circuit breaker, in every database, and makes due what waits for a retry. If it still fails, the next failure opens the breaker again, for longer. What is held stays held.",
    parameters: [pathParameter("carrier", "A carrier that is set up.", { type: "string" }, "kannel")],
    answers: [ok(carrierAnswers.TriedCarrier, "It is tried now.", { carrier: "kannel", due: 748 })],
    errors: ["resource-unknown"],
  };
  return { operations: [tryCarrier], schemas: carrierAnswers };
}
