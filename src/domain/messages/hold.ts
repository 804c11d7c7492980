// Pure. Which waiting messages of a website an operator holds or cancels.
import * as z from "zod";
import { CLIENT_ID } from "../clients/client.ts";
import { jsonObject, orAbsent } from "../fields.ts";

/** null: any. */
export interface MessageFilter {
  sendPurpose: string | null;
  clientId: string | null;
}

export interface Hold extends MessageFilter {
  /** Milliseconds since 1970. */
  since: number;
}

const PURPOSE_RULE = "must be a string of at most 100 characters";
const ID_RULE = "must be a client's id";

const fields = {
  sendPurpose: orAbsent(z.string(PURPOSE_RULE).max(100, PURPOSE_RULE)).describe("Only messages with this sendPurpose."),
  clientId: orAbsent(z.string(ID_RULE).max(100, ID_RULE).regex(CLIENT_ID, ID_RULE)).describe(
    "Only messages of this client.",
  ),
};

export const holdSchema = jsonObject(fields);

export const cancelSchema = jsonObject({
  ...fields,
  dryRun: z.boolean("must be true or false").default(false).describe("Counts them, and changes nothing."),
});
