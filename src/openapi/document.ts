import type * as z from "zod";
import { healthAnswerSchema } from "../http/health.ts";
import { description, SECURITY_SCHEMES, TAGS } from "./about.ts";
import { carrierOperations } from "./carrier-operations.ts";
import { ErrorResponses } from "./errors.ts";
import { HEADERS } from "./headers.ts";
import { openOperations } from "./open-operations.ts";
import type { ApiOperation } from "./operation.ts";
import { describeAudit } from "./operator/audit.ts";
import { describeCarriers } from "./operator/carriers.ts";
import { describeClients } from "./operator/clients.ts";
import { describeDatabases } from "./operator/databases.ts";
import { describeDeadJobs } from "./operator/dead-jobs.ts";
import { describeHolds } from "./operator/holds.ts";
import { describeInbound } from "./operator/inbound.ts";
import { describeMessages } from "./operator/messages.ts";
import { describeMoves } from "./operator/moves.ts";
import { describePeople } from "./operator/people.ts";
import { describeReports } from "./operator/reports.ts";
import { describeServiceState } from "./operator/service-state.ts";
import { describeSubscribers } from "./operator/subscribers.ts";
import { describeTokens } from "./operator/tokens.ts";
import { describeWebsites } from "./operator/websites.ts";
import { type JsonObject, SchemaNames } from "./schemas.ts";
import { textOperations, textSchemas } from "./text-operations.ts";
import { webhooks } from "./webhooks.ts";
import { writeOperation } from "./write-operation.ts";

const VERSION = "1";

export interface OpenApiDocument extends JsonObject {
  paths: Record<string, Record<string, JsonObject>>;
  components: Record<"schemas" | "headers" | "responses" | "securitySchemes", Record<string, JsonObject>>;
}

/** Every operation, and the schemas that have a name. */
export function describeApi(): { operations: ApiOperation[]; schemas: Record<string, z.ZodType> } {
  const resources = [
    describeWebsites(),
    describeClients(),
    describeHolds(),
    describeReports(),
    describeSubscribers(),
    describeInbound(),
    describePeople(),
    describeMessages(),
    describeServiceState(),
    describeDatabases(),
    describeMoves(),
    describeCarriers(),
    describeDeadJobs(),
    describeTokens(),
    describeAudit(),
  ];
  const operations = [
    ...textOperations(),
    ...openOperations(),
    ...resources.flatMap((resource) => resource.operations),
    ...carrierOperations(),
  ];
  const operatorSchemas = Object.assign({}, ...resources.map(({ schemas }) => schemas));
  return { operations, schemas: { ...textSchemas, ...operatorSchemas, Health: healthAnswerSchema } };
}

/** The service as OpenAPI 3.1 describes it. Takes some 35 ms to make, the first time. */
export function makeDocument(): OpenApiDocument {
  const { operations, schemas } = describeApi();
  const names = new SchemaNames(schemas);
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
    paths: toPaths(operations, names, errors),
    webhooks: webhooks(),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: names.toComponents(),
      headers,
      responses: errors.components,
    },
  };
}

function toPaths(operations: ApiOperation[], names: SchemaNames, errors: ErrorResponses): OpenApiDocument["paths"] {
  const paths: OpenApiDocument["paths"] = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: writeOperation(operation, names, errors) };
  }
  return paths;
}
