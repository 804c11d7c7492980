// Pure. Fields of JSON bodies that several requests share.
import * as z from "zod/mini";
import { ILL_FORMED, isWellFormed } from "./well-formed.ts";

/** A body. */
export const jsonObject = <T extends z.core.$ZodShape>(shape: T) => z.object(shape, { error: "must be a JSON object" });

/**
 * The rules of one field, in order: only the first broken rule is told. Checks of zod with `abort` would tell only the first as well,
 * but a broken one would also keep zod from trying the rules that concern several fields.
 */
export const rulesInOrder = (...rules: [isKept: (value: string) => boolean, message: string][]) =>
  z.superRefine<string>((value, context) => {
    const [, message] = rules.find(([isKept]) => !isKept(value)) ?? [];
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

/**
 * A rule for several fields of a body. It is tried even if a field breaks a rule of its own, unless that rule has `abort`: so the
 * caller hears of both.
 * @param check gets a field that breaks a rule of its own as it was given. It calls `add` for each field that breaks this rule
 */
export const ruleOfFields = <T>(check: (body: T, add: (field: string, message: string) => void) => void) =>
  z.superRefine<T>(
    (body, context) => check(body, (field, message) => context.addIssue({ code: "custom", path: [field], message })),
    { when: ({ value }) => typeof value === "object" && value !== null },
  );

export const orEmpty = <T extends z.ZodMiniType>(schema: T) => z.optional(z.union([schema, z.literal(""), z.null()]));

/** Leaving it out, `""` and null mean the same, because templates cannot leave a field out. */
export function orAbsent(schema: z.ZodMiniType<string, string>) {
  return z.pipe(
    orEmpty(schema),
    z.transform((value) => value || null),
  );
}

/** `""` and null remove the setting; an omitted field keeps it. */
export function orNull<T extends z.ZodMiniType>(schema: T) {
  return z.pipe(
    orEmpty(schema),
    z.transform((value) => (value === "" ? null : value) as z.output<T> | null | undefined),
  );
}

/**
 * A list of strings. Each is looked at without a schema: there may be thousands.
 * @param error of what is no list
 * @param countFault what is wrong with so many
 */
export function strings(
  error: NonNullable<z.core.$ZodArrayParams["error"]>,
  countFault: (count: number) => string | undefined,
) {
  const areStrings = z.superRefine<unknown[]>((items, context) => {
    const add = (message: string, path: number[] = []) => context.addIssue({ code: "custom", message, path });
    const fault = countFault(items.length);
    if (fault) return add(fault);
    items.forEach((item, index) => {
      if (typeof item !== "string") add("must be a string", [index]);
    });
  });
  return z.pipe(
    z.array(z.unknown(), { error }).check(areStrings),
    z.transform((items) => items as string[]),
  );
}

export const atMost = (characters: number) =>
  z.maxLength(characters, { error: `must have at most ${characters} characters` });

export const text = (most: number) =>
  z.string({ error: "must be a string" }).check(atMost(most), z.refine(isWellFormed, ILL_FORMED));

/** @param unit what it counts, such as seconds */
export const wholeNumber = (unit: string, least: number, most: number) =>
  z
    .number({ error: `must be a number of ${unit}` })
    .check(
      z.int({ error: `must be a whole number of ${unit}` }),
      z.minimum(least, { error: `must be at least ${least}` }),
      z.maximum(most, { error: `must be at most ${most}` }),
    );
