import type * as z from "zod";
import type { Operation } from "../domain/clients/client.ts";
import type { ErrorKind } from "../http/error-codes.ts";
import type { HeaderName } from "./headers.ts";

/** Who may call: a client with the named operation granted, the operator, a carrier, or anyone. */
export type Access = { client: Operation } | "operator" | "carrier" | "open";

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: object;
  /** Filled in where the operation is tried out: what may be left out has none. */
  example?: string;
}

export interface RequestBody {
  /** A carrier's webhook may take several types. */
  mediaTypes: string[];
  schema: z.ZodType;
  description?: string;
  limitBytes: number;
  examples: Record<string, unknown>;
}

/** What is answered when nothing goes wrong. */
export interface Answer {
  status: number;
  description: string;
  mediaType?: string;
  schema?: z.ZodType;
  example?: unknown;
  /** The same in another form, where the request asks for it. */
  other?: { mediaType: string; schema: z.ZodType; example: unknown };
  headers?: HeaderName[];
}

/** One operation, before it is written as OpenAPI has it. */
export interface ApiOperation {
  id: string;
  method: "get" | "head" | "post" | "put" | "patch" | "delete";
  /** As OpenAPI writes it: `/operator/websites/{websiteId}`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  parameters?: Parameter[];
  body?: RequestBody;
  answers: Answer[];
  /** In addition to the errors of its access and its body. */
  errors?: ErrorKind[];
}

/** The answer of a call that worked. The compiler checks the example against the schema. */
export function ok<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: z.output<Schema>,
  status = 200,
): Answer {
  return { status, mediaType: "application/json", schema, description, example };
}

export function jsonBody(
  schema: RequestBody["schema"],
  limitBytes: number,
  examples: Record<string, unknown>,
): RequestBody {
  return { mediaTypes: ["application/json"], schema, limitBytes, examples };
}

export function pathParameter(name: string, description: string, schema: object, example: string): Parameter {
  return { name, in: "path", required: true, description, schema, example };
}

/** Such as `128 KB`. */
export function toSize(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KB` : `${bytes / (1024 * 1024)} MB`;
}
