// Pure. Which waiting messages of a website an operator holds, releases or cancels.
import * as z from "zod";
import { CLIENT_ID } from "../clients/client.ts";
import { expectedCount, isAbsent, jsonObject, orAbsent, orLeftOut, ruleOfFields, text } from "../fields.ts";

/** null: any. */
export interface MessageFilter {
  sendPurpose: string | null;
  clientId: string | null;
}

export interface Hold extends MessageFilter {
  holdId: string;
  /** Milliseconds since 1970. */
  since: number;
  /** The name of the operator's token. */
  by: string;
  /** Why, for the next operator. */
  reason: string | null;
}

/** Whether the filter has no other purpose or client than these. */
export const covers = (filter: MessageFilter, { sendPurpose, clientId }: MessageFilter): boolean =>
  (filter.sendPurpose ?? sendPurpose) === sendPurpose && (filter.clientId ?? clientId) === clientId;

const PURPOSE_RULE = "must be a string of at most 100 characters";
const ID_RULE = "must be a client's id";
const HOLD_RULE = "must be the id of a hold";

const fields = {
  sendPurpose: orAbsent(z.string(PURPOSE_RULE).max(100, PURPOSE_RULE)).describe("Only messages with this sendPurpose."),
  clientId: orAbsent(z.string(ID_RULE).max(100, ID_RULE).regex(CLIENT_ID, ID_RULE)).describe(
    "Only messages of this client.",
  ),
};

/** A switch. */
const orFalse = () => orLeftOut(z.boolean("must be true or false")).transform((isOn) => isOn ?? false);

export const holdSchema = jsonObject({
  ...fields,
  reason: orAbsent(text(200).trim()).describe("Why, for the next operator: it is shown wherever the hold is."),
});

/** The hold of one scope would end where another is meant. */
const eitherIdOrScopeOrAll = ruleOfFields<Record<string, unknown>>((body, add) => {
  const isGiven = (field: string) => !isAbsent(body[field]) && body[field] !== false;
  const others = ["sendPurpose", "clientId"].filter(isGiven);
  if (isGiven("holdId") && others.length > 0) add("holdId", `excludes ${others.join(" and ")}`);
  const all = ["holdId", ...others].filter(isGiven);
  if (isGiven("all") && all.length > 0) add("all", `excludes ${all.join(" and ")}`);
});

export const releaseSchema = jsonObject({
  holdId: orAbsent(z.string(HOLD_RULE).max(100, HOLD_RULE)).describe("The hold with this id."),
  sendPurpose: fields.sendPurpose.describe("The hold of this sendPurpose."),
  clientId: fields.clientId.describe("The hold of this client."),
  all: orFalse().meta({ description: "true: every hold of the website.", default: false }),
}).check(eitherIdOrScopeOrAll);

export const cancelSchema = jsonObject({
  ...fields,
  expected: expectedCount("messages"),
  dryRun: orFalse().meta({ description: "Counts them, and changes nothing.", default: false }),
});

/** What a release ends. */
export type Released = z.output<typeof releaseSchema>;

/** Whether a release means this hold. Without any field, it means the hold of the whole website. */
export function isMeant({ holdId, sendPurpose, clientId, all }: Released, hold: Hold): boolean {
  if (all) return true;
  if (holdId !== null) return hold.holdId === holdId;
  return hold.sendPurpose === sendPurpose && hold.clientId === clientId;
}
