// The parts that several resources of the operator share.
import type * as z from "zod";
import { WEBSITE_ID } from "../../domain/clients/website.ts";
import { BODY_LIMITS } from "../../http/body.ts";
import { type ApiOperation, pathParameter, type RequestBody } from "../operation.ts";

/** A resource of the operator: its calls, and the schemas that have a name. */
export interface Resource {
  operations: ApiOperation[];
  schemas: Record<string, z.ZodType>;
}

export const WEBSITE_PARAMETER = pathParameter(
  "websiteId",
  "1 to 40 of a–z 0–9 `-`.",
  { type: "string", pattern: WEBSITE_ID.source },
  "brand",
);

export function settingsBody<Schema extends z.ZodType>(
  schema: Schema,
  examples: Record<string, z.input<Schema>>,
): RequestBody {
  return { mediaTypes: ["application/json"], schema, limitBytes: BODY_LIMITS.settings, examples };
}
