// Pure. Which waiting messages of a website an operator holds or cancels.
import * as z from "zod";
import { CLIENT_ID } from "./client.ts";
import { jsonObject, orAbsent } from "./fields.ts";

/** null: any. */
export interface MessageFilter {
  sendPurpose: string | null;
  clientId: string | null;
}

export interface Hold extends MessageFilter {
  /** Milliseconds since 1970. */
  since: number;
}

const text = (error: string) => z.string(error).max(100, error);

const fields = {
  sendPurpose: orAbsent(text("must be a string of at most 100 characters")),
  clientId: orAbsent(text("must be a client's id").regex(CLIENT_ID, "must be a client's id")),
};

export const holdSchema = jsonObject(fields);

export const cancelSchema = jsonObject({
  ...fields,
  dryRun: z.boolean("must be true or false").default(false),
});

/** With descriptions. A function, so that the bundle of the Worker leaves them out: only the OpenAPI document needs them. */
export function describedHolds() {
  fields.sendPurpose.register(z.globalRegistry, { description: "Only messages with this sendPurpose." });
  fields.clientId.register(z.globalRegistry, { description: "Only messages of this client." });
  return { HoldRequest: holdSchema, CancelRequest: cancelSchema };
}
