import type * as z from "zod";

/** The answers of a resource, by the names of their schemas. */
export type Answers<Schemas extends (...shared: never[]) => Record<string, z.ZodType>> = {
  [Name in keyof ReturnType<Schemas>]: z.output<ReturnType<Schemas>[Name]>;
};
