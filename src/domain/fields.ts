// Pure. Fields of JSON bodies that several requests share.
import * as z from "zod/mini";
import { ILL_FORMED, isWellFormed } from "./well-formed.ts";

/** Leaving it out, `""` and null mean the same, because templates cannot leave a field out. */
export function orAbsent(schema: z.ZodMiniType<string, string>) {
  return z.pipe(
    z.optional(z.union([schema, z.literal(""), z.null()])),
    z.transform((value) => value || null),
  );
}

/** `""` and null remove the setting; an omitted field keeps it. */
export function orNull<T extends z.ZodMiniType>(schema: T) {
  return z.pipe(
    z.optional(z.union([schema, z.literal(""), z.null()])),
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

export const text = (most: number) =>
  z
    .string({ error: "must be a string" })
    .check(z.maxLength(most, { error: `must have at most ${most} characters` }), z.refine(isWellFormed, ILL_FORMED));
