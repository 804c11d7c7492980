import type { CarrierAnswers } from "../../src/http/operator/carriers.ts";
import { callOperator } from "./api.ts";
import { type Command, segment } from "./command.ts";

export const CARRIER_COMMANDS: Command[] = [
  {
    name: "try-carrier",
    parameters: ["<carrier>"],
    summary: "close the circuit breaker of a carrier, and make due what waits for it; twice is harmless",
    options: {},
    run: (service, [carrier]) => callOperator(service, "POST", `/carriers/${segment(carrier)}/try`),
    show: showTried,
  },
];

function showTried(answer: string): string {
  const { carrier, due } = JSON.parse(answer) as CarrierAnswers["TriedCarrier"];
  return `${carrier} is tried now. ${due} ${due === 1 ? "message is" : "messages are"} due.`;
}
