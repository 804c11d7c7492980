import { clientSettingsSchema, rotationSchema } from "../../domain/clients/client.ts";
import { type ClientAnswers, clientAnswers } from "../../http/operator/clients.ts";
import { CALLBACK_SECRET, CLIENT_ID, CLIENT_SECRET, TIME } from "../examples.ts";
import { type ApiOperation, ok, pathParameter } from "../operation.ts";
import { type Resource, settingsBody, WEBSITE_PARAMETER } from "./resource.ts";

export const CLIENT = {
  clientId: CLIENT_ID,
  websiteId: "brand",
  name: "The newsletter platform",
  callbackUrl: "https://example.com/callbacks",
  operations: ["send", "status"],
  events: ["message.status", "message.received"],
  suspended: false,
  createdAt: TIME,
  updatedAt: TIME,
} satisfies ClientAnswers["Client"];

const SECRETS = {
  clientSecret: CLIENT_SECRET,
  callbackSecret: CALLBACK_SECRET,
} satisfies Omit<ClientAnswers["NewSecrets"], "takesEffect">;

const EFFECT = { takesEffect: "at-once" } satisfies Pick<ClientAnswers["ChangedClient"], "takesEffect">;

const USE = {
  lastUsedAt: TIME,
  rotatedAt: TIME,
  oldPairUntil: null,
  lastRefusal: { at: TIME, cause: "secret-replaced" },
} satisfies Partial<ClientAnswers["ClientWithChanges"]>;

const CLIENT_PARAMETER = pathParameter("clientId", "As issued.", { type: "string" }, CLIENT_ID);

export function describeClients(): Resource {
  const ClientSettings = clientSettingsSchema(false);
  const { name, callbackUrl, operations: granted, events } = CLIENT;
  const common = { tag: "Clients", access: "operator", errors: ["resource-unknown"] } satisfies Partial<ApiOperation>;
  const operations: ApiOperation[] = [
    {
      ...common,
      id: "createClient",
      method: "post",
      path: "/operator/websites/{websiteId}/clients",
      summary: "Create a client",
      description: "Issues its secrets, which are shown only once. Each call creates another client.",
      parameters: [WEBSITE_PARAMETER],
      body: settingsBody(ClientSettings, { some: { name, callbackUrl, operations: granted, events }, all: {} }),
      answers: [
        ok(clientAnswers.NewClient, "Its secrets are shown only now.", { clientId: CLIENT_ID, ...SECRETS }, 201),
      ],
    },
    {
      ...common,
      id: "getClient",
      method: "get",
      path: "/operator/clients/{clientId}",
      summary: "Read a client, its last use and refusal, and its last changes",
      description:
        "`lastUsedAt` and `lastRefusal` are coarse: they are stored once in ten minutes, or a minute, for each client.",
      parameters: [CLIENT_PARAMETER],
      answers: [
        ok(clientAnswers.ClientWithChanges, "The client, without secrets.", { ...CLIENT, ...USE, changes: [] }),
      ],
    },
    {
      ...common,
      id: "changeClient",
      method: "patch",
      path: "/operator/clients/{clientId}",
      summary: "Change a client",
      description:
        "Fields that are left out stay as they are. `takesEffect` says when the change holds: what it takes away usually at once, what it grants in 60 seconds or more.",
      parameters: [CLIENT_PARAMETER],
      body: settingsBody(ClientSettings, {
        suspend: { suspended: true },
        endpoint: { callbackUrl, operations: granted },
      }),
      answers: [
        ok(clientAnswers.ChangedClient, "The changed client.", { ...CLIENT, ...EFFECT, waitingMessages: null }),
      ],
    },
    {
      ...common,
      id: "rotateClient",
      method: "post",
      path: "/operator/clients/{clientId}/rotate",
      summary: "Replace the secrets of a client",
      description:
        "The old pair stays valid until its grace period ends. A second rotation within 10 minutes, as after a lost response, replaces the first: the original pair stays valid until its grace period ends, and the first new pair is revoked. Use the new pair after a minute or more: it is not known everywhere at once.",
      parameters: [CLIENT_PARAMETER],
      body: settingsBody(rotationSchema, { aDay: {}, atOnce: { graceSeconds: 0 } }),
      answers: [ok(clientAnswers.NewSecrets, "The new pair is shown only now.", { ...SECRETS, ...EFFECT })],
    },
  ];
  return { operations, schemas: { ClientSettings, Rotation: rotationSchema, ...clientAnswers } };
}
