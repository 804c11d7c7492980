// Pure. A failed zod parse as one `{field, message}` for each broken rule.
import type * as z from "zod";
import { type FieldError, RequestFailure } from "./failure.ts";

/** @throws RequestFailure with every wrong field of `input` */
export function parseFields<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = tryFields(schema, input);
  if (parsed.details) throw new RequestFailure({ kind: "fields-wrong", details: parsed.details });
  return parsed.data;
}

/** What `input` says, or every wrong field of it. */
export function tryFields<T extends z.ZodType>(
  schema: T,
  input: unknown,
): { data: z.output<T>; details?: never } | { data?: never; details: FieldError[] } {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { data: parsed.data };
  return { details: parsed.error.issues.flatMap((issue) => toFieldErrors(issue, [])) };
}

/** A union's own issue says only "Invalid input"; its first option is the one that a caller means. */
function toFieldErrors(issue: z.core.$ZodIssue, parent: PropertyKey[]): FieldError[] {
  const path = [...parent, ...issue.path];
  const firstOption = issue.code === "invalid_union" ? issue.errors[0] : undefined;
  if (firstOption) return firstOption.flatMap((inner) => toFieldErrors(inner, path));
  return [{ field: toFieldName(path), message: issue.message }];
}

function toFieldName(path: PropertyKey[]): string {
  const name = path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    "",
  );
  return name === "" ? "body" : name;
}
