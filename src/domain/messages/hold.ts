// Pure. Which waiting messages of a website an operator holds or cancels.
import * as z from "zod";
import { CLIENT_ID } from "../clients/client.ts";
import { expectedCount, jsonObject, orAbsent, orLeftOut, text } from "../fields.ts";

/** null: any. */
export interface MessageFilter {
  sendPurpose: string | null;
  clientId: string | null;
}

export interface Hold extends MessageFilter {
  /** Milliseconds since 1970. */
  since: number;
  /** The name of the operator's token. */
  by: string;
  /** Why, for the next operator. */
  reason: string | null;
}

const PURPOSE_RULE = "must be a string of at most 100 characters";
const ID_RULE = "must be a client's id";

const fields = {
  sendPurpose: orAbsent(z.string(PURPOSE_RULE).max(100, PURPOSE_RULE)).describe("Only messages with this sendPurpose."),
  clientId: orAbsent(z.string(ID_RULE).max(100, ID_RULE).regex(CLIENT_ID, ID_RULE)).describe(
    "Only messages of this client.",
  ),
};

export const holdSchema = jsonObject({
  ...fields,
  reason: orAbsent(text(200).trim()).describe("Why, for the next operator: it is shown wherever the hold is."),
  expected: expectedCount("messages"),
});

export const releaseSchema = jsonObject(fields);

export const cancelSchema = jsonObject({
  ...fields,
  expected: expectedCount("messages"),
  dryRun: orLeftOut(z.boolean("must be true or false"))
    .transform((isDry) => isDry ?? false)
    .meta({ description: "Counts them, and changes nothing.", default: false }),
});
