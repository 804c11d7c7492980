import type * as z from "zod";
import { clientSettingsSchema, rotationSchema } from "../domain/client.ts";
import { WEBSITE_ID, websiteSettingsSchema } from "../domain/website.ts";
import { BODY_LIMITS } from "../http/body.ts";
import type { operatorAnswerSchemas } from "../http/operator-answers.ts";
import { DEFAULT_CARRIER } from "../platform/carriers/index.ts";
import { CALLBACK_SECRET, CLIENT, CLIENT_ID, CLIENT_SECRET, WEBSITE } from "./examples.ts";
import { type Answer, type ApiOperation, pathParameter, type RequestBody } from "./operation.ts";

export type OperatorAnswers = ReturnType<typeof operatorAnswerSchemas>;

export const WEBSITE_PARAMETER = pathParameter(
  "websiteId",
  "1 to 40 of a–z 0–9 `-`.",
  { type: "string", pattern: WEBSITE_ID.source },
  "brand",
);

const CLIENT_PARAMETER = pathParameter("clientId", "As issued.", { type: "string" }, CLIENT_ID);

/** The bodies that an operator sends. Rules that depend on the set-up (carriers, local callbacks) stand in their words. */
export function operatorRequestSchemas() {
  return {
    WebsiteSettings: websiteSettingsSchema(undefined, { faults: () => [], names: [], defaultCarrier: DEFAULT_CARRIER }),
    ClientSettings: clientSettingsSchema(false),
    Rotation: rotationSchema,
  };
}

export type OperatorRequests = ReturnType<typeof operatorRequestSchemas>;

export function ok(schema: z.ZodType, description: string, example: unknown, status = 200): Answer {
  return { status, mediaType: "application/json", schema, description, example };
}

function json(schema: z.ZodType, examples: Record<string, unknown>): RequestBody {
  return { mediaTypes: ["application/json"], schema, limitBytes: BODY_LIMITS.settings, examples };
}

export function websiteOperations(requests: OperatorRequests, answers: OperatorAnswers): ApiOperation[] {
  const common = { tag: "Websites", access: "operator", path: "/operator/websites/{websiteId}" } as const;
  const withClients = ok(answers.WebsiteWithClients, "The website with its clients, without secrets.", {
    ...WEBSITE,
    clients: [CLIENT],
  });
  const { name, carrier, helpText, duplicateWindowHours } = WEBSITE;
  return [
    {
      ...common,
      id: "listWebsites",
      method: "get",
      path: "/operator/websites",
      summary: "List the websites",
      answers: [ok(answers.WebsiteList, "Every website.", { websites: [WEBSITE] })],
    },
    {
      ...common,
      id: "putWebsite",
      method: "put",
      summary: "Create a website, or change its settings",
      description:
        'Fields that are left out stay as they are; `""` or null removes an optional setting. A new website needs a `name`, and a `carrier` once one is set up.',
      parameters: [WEBSITE_PARAMETER],
      body: json(requests.WebsiteSettings, { brand: { name, carrier, helpText, duplicateWindowHours } }),
      answers: [withClients],
    },
    {
      ...common,
      id: "getWebsite",
      method: "get",
      summary: "Read a website and its clients",
      parameters: [WEBSITE_PARAMETER],
      answers: [withClients],
      errors: ["resource-unknown"],
    },
  ];
}

export function clientOperations(requests: OperatorRequests, answers: OperatorAnswers): ApiOperation[] {
  const common = { tag: "Clients", access: "operator", errors: ["resource-unknown"] } satisfies Partial<ApiOperation>;
  const secrets = { clientSecret: CLIENT_SECRET, callbackSecret: CALLBACK_SECRET };
  const settings = { callbackUrl: CLIENT.callbackUrl, operations: CLIENT.operations };
  return [
    {
      ...common,
      id: "createClient",
      method: "post",
      path: "/operator/websites/{websiteId}/clients",
      summary: "Create a client",
      description: "Issues its secrets, which are shown only once. Each call creates another client.",
      parameters: [WEBSITE_PARAMETER],
      body: json(requests.ClientSettings, { some: settings, all: {} }),
      answers: [ok(answers.NewClient, "Its secrets are shown only now.", { clientId: CLIENT_ID, ...secrets }, 201)],
    },
    {
      ...common,
      id: "changeClient",
      method: "patch",
      path: "/operator/clients/{clientId}",
      summary: "Change a client",
      description: "Fields that are left out stay as they are. The change is in effect everywhere within 90 seconds.",
      parameters: [CLIENT_PARAMETER],
      body: json(requests.ClientSettings, { suspend: { suspended: true }, endpoint: settings }),
      answers: [ok(answers.Client, "The changed client.", CLIENT)],
    },
    {
      ...common,
      id: "rotateClient",
      method: "post",
      path: "/operator/clients/{clientId}/rotate",
      summary: "Replace the secrets of a client",
      description:
        "The old pair stays valid until its grace period ends. A second rotation within 10 minutes, as after a lost response, replaces the first: the original pair stays valid until its grace period ends, and the first new pair is revoked.",
      parameters: [CLIENT_PARAMETER],
      body: json(requests.Rotation, { aDay: {}, atOnce: { graceSeconds: 0 } }),
      answers: [ok(answers.NewSecrets, "The new pair is shown only now.", secrets)],
    },
  ];
}
