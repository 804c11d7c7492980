// The parts of answers that several operator calls share.
import * as z from "zod";
import { ATTEMPT_OUTCOMES } from "../domain/callbacks/callback.ts";

/** The answers of a resource, by the names of their schemas. */
export type Answers<Schemas extends Record<string, z.ZodType>> = {
  [Name in keyof Schemas]: z.output<Schemas[Name]>;
};

/** The field beside each number of a person. */
export const personIdShape = {
  personId: z
    .string()
    .optional()
    .describe("The id that replaces the number. Left out unless `phone` or `from` is masked."),
};

/** The field of an answer that is made of what all databases have. */
export const missingShape = {
  unavailableDatabases: z
    .array(z.string())
    .optional()
    .describe("Databases that did not answer, so their rows are missing here. Left out if all answered."),
};

/** A hold: who began it, when and why. */
export const heldSchema = z.object({
  since: z.iso.datetime(),
  by: z.string().describe("The name of the operator's token."),
  reason: z.string().nullable().describe("In the operator's words."),
});

/** The one attempt of a callback. */
export const callbackSchema = z.object({
  attemptedAt: z.iso.datetime().nullable(),
  outcome: z.enum(ATTEMPT_OUTCOMES).nullable(),
  httpStatus: z.int().nullable(),
  response: z
    .string()
    .nullable()
    .describe("The first kilobyte of the response, or the error; null: its body could not be read."),
  durationMilliseconds: z.number().nullable(),
});
