import * as z from "zod";
import { BODY_LIMITS } from "../http/body.ts";
import { type ApiOperation, pathParameter } from "./operation.ts";

const CARRIER = pathParameter("carrier", "A carrier that is set up.", { type: "string" }, "twilio");

/** What carriers call. Its form is each carrier's own. */
export function carrierOperations(): ApiOperation[] {
  return (["get", "post"] as const).flatMap((method) => [
    carrierOperation(method, "receipts", "Receive receipts", "Statuses of messages that the carrier accepted."),
    carrierOperation(method, "inbound", "Receive inbound texts", "Texts that people sent."),
  ]);
}

function carrierOperation(method: "get" | "post", name: string, summary: string, about: string): ApiOperation {
  return {
    id: `${method}${name === "receipts" ? "Receipts" : "Inbound"}`,
    method,
    path: `/carriers/{carrier}/${name}`,
    tag: "Carriers",
    summary: `${summary} (${method.toUpperCase()})`,
    description: `${about} In the carrier's own format, with its own proof of origin: a signature, or a key in the URL.`,
    access: "carrier",
    parameters: [CARRIER],
    ...(method === "post" ? { body: carrierBody() } : {}),
    answers: [{ status: 200, description: "Received. The body is empty." }],
  };
}

function carrierBody() {
  return {
    mediaTypes: ["application/json", "application/x-www-form-urlencoded"],
    schema: z.looseObject({}),
    description: "In the carrier's own format.",
    limitBytes: BODY_LIMITS.carrier,
    examples: {},
  };
}
