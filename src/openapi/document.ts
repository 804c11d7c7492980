import { CALLS, SCHEMAS } from "../calls.ts";
import type { Call } from "../http/call.ts";
import { description, SECURITY_SCHEMES, TAGS } from "./about.ts";
import { ErrorResponses } from "./errors.ts";
import { HEADERS } from "./headers.ts";
import { type JsonObject, SchemaNames } from "./schemas.ts";
import { webhooks } from "./webhooks.ts";
import { toTemplate, writeOperation } from "./write-operation.ts";

const VERSION = "1";

export interface OpenApiDocument extends JsonObject {
  paths: Record<string, Record<string, JsonObject>>;
  components: Record<"schemas" | "headers" | "responses" | "securitySchemes", Record<string, JsonObject>>;
}

/** The OpenAPI 3.1 document of the service. The first call takes about 35 ms. */
export function makeDocument(): OpenApiDocument {
  const names = new SchemaNames(SCHEMAS);
  const errors = new ErrorResponses();
  // It comes with the wrong method, which is no operation's error.
  const { Allow: _, ...headers } = HEADERS;
  return {
    openapi: "3.1.1",
    info: {
      title: "Textgate",
      version: VERSION,
      summary: "Send text messages, and know who is subscribed",
      description: description(),
      contact: { name: "The operator of this service" },
      license: { name: "MIT", identifier: "MIT" },
    },
    externalDocs: {
      description: "Standard Webhooks: how callbacks are signed",
      url: "https://www.standardwebhooks.com",
    },
    servers: [{ url: "/" }],
    tags: TAGS.map(([name, about]) => ({ name, description: about })),
    paths: toPaths(CALLS, names, errors),
    webhooks: webhooks(),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: names.toComponents(),
      headers,
      responses: errors.components,
    },
  };
}

function toPaths(calls: Call[], names: SchemaNames, errors: ErrorResponses): OpenApiDocument["paths"] {
  const paths: OpenApiDocument["paths"] = {};
  for (const call of calls) {
    const path = toTemplate(call.path);
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: writeOperation(call, names, errors) };
  }
  return paths;
}
