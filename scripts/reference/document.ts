// The parts of the OpenAPI document that the pages of /docs read.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: Schema;
  example?: string;
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

export interface Response {
  $ref?: string;
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId: string;
  tags?: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { description?: string; content: Record<string, Media> };
  responses: Record<string, Response>;
}

interface Header {
  description: string;
  example: string;
}

interface SecurityScheme {
  /** The header that carries it; left out for a bearer. */
  name?: string;
  description: string;
}

export interface Document {
  info: { title: string; summary: string; description: string };
  externalDocs: { description: string; url: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}

/** An operation, or an event, and its address. */
export interface Call extends Operation {
  method: string;
  /** An event has its type here. */
  path: string;
  isEvent: boolean;
}

export function callsOf({ paths, webhooks }: Document): Call[] {
  const listOf = (items: Document["paths"], isEvent: boolean) =>
    Object.entries(items).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
        isEvent,
      })),
    );
  return [...listOf(paths, false), ...listOf(webhooks, true)];
}

/** Whether the call is one of the operator or of a carrier: a client's engineer reads about none of them. */
export const isForOthers = ({ path }: Call) => /^\/(operator|console|carriers)\//.test(path);

/** What a reference leads to, or what stands in its place. */
export function follow<T extends { $ref?: string }>({ components }: Document, value: T): T {
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(value.$ref ?? "") ?? [];
  return ((components as object as Record<string, Record<string, T>>)[kind]?.[name] as T | undefined) ?? value;
}
