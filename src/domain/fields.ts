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

export const text = (most: number) =>
  z
    .string({ error: "must be a string" })
    .check(z.maxLength(most, { error: `must have at most ${most} characters` }), z.refine(isWellFormed, ILL_FORMED));
