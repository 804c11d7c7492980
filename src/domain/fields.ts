// Pure. Fields of JSON bodies that several requests share.
import * as z from "zod";
import { isBlank } from "./people/invisible.ts";
import { ILL_FORMED, isWellFormed } from "./well-formed.ts";

/** A body. */
export const jsonObject = <T extends z.core.$ZodShape>(shape: T) => z.object(shape, "must be a JSON object");

/**
 * The rules of one field, for `superRefine`: only the first broken rule is reported. With `abort`, `refine` would report only the first as
 * well, but a broken rule would also keep zod from trying the rules that concern several fields.
 * @param findFault what is wrong with a value; undefined: nothing
 */
export const firstFault =
  <T>(findFault: (value: T) => string | undefined) =>
  (value: T, context: z.RefinementCtx<T>): void => {
    const message = findFault(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  };

/**
 * A rule for several fields of a body. It is tried even if a field breaks a rule of its own, unless that rule has `abort`: so the
 * caller hears of both.
 * @param check gets a field that breaks a rule of its own as it was given. It calls `add` for each field that breaks this rule
 */
export const ruleOfFields = <T>(check: (body: T, add: (field: string, message: string) => void) => void) =>
  z.superRefine<T>(
    (body, context) => check(body, (field, message) => context.addIssue({ code: "custom", path: [field], message })),
    { when: ({ value }) => typeof value === "object" && value !== null && !Array.isArray(value) },
  );

/** Whether a field says nothing. */
export const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && isBlank(value));

export const orEmpty = <T extends z.ZodType>(schema: T) => z.union([schema, z.literal(""), z.null()]).optional();

/** Leaving it out, `""` and null mean the same, because templates cannot leave a field out. */
export const orAbsent = (schema: z.ZodType<string, string>) => orEmpty(schema).transform((value) => value || null);

/** `""` and null remove the setting; an omitted field keeps it. */
export const orNull = <T extends z.ZodType>(schema: T) =>
  orEmpty(schema).transform((value) => (value === "" ? null : value) as z.output<T> | null | undefined);

/** `""` and null mean that the field is left out. */
export const orLeftOut = <T extends z.ZodType>(schema: T) =>
  orEmpty(schema).transform((value) => (value === "" || value === null ? undefined : value) as z.output<T> | undefined);

/**
 * A list of strings. Each is looked at without a schema: there may be thousands.
 * @param error of what is no list
 * @param findCountFault what is wrong with so many
 */
export function strings(
  error: NonNullable<z.core.$ZodArrayParams["error"]>,
  findCountFault: (count: number) => string | undefined,
) {
  return z
    .array(z.unknown(), { error })
    .superRefine((items, context) => {
      const add = (message: string, path: number[] = []) => context.addIssue({ code: "custom", message, path });
      const fault = findCountFault(items.length);
      if (fault) return add(fault);
      items.forEach((item, index) => {
        if (typeof item !== "string") add("must be a string", [index]);
      });
    })
    .transform((items) => items as string[]);
}

export const text = (most: number) =>
  z.string("must be a string").max(most, `must have at most ${most} characters`).refine(isWellFormed, ILL_FORMED);

/** @param unit what it counts, such as seconds */
export const wholeNumber = (unit: string, least: number, most: number) =>
  z
    .number(`must be a number of ${unit}`)
    .int(`must be a whole number of ${unit}`)
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

/** What the caller of a destructive call has seen: nothing is done where it has changed. @param unit what it counts */
export const expectedCount = (unit: string) =>
  orNull(wholeNumber(unit, 0, 1_000_000_000)).describe(
    "The count that the caller has seen. Where it differs, nothing is done, and 40903 has the count of now.",
  );
