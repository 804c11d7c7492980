import type { ClientAnswers } from "../../src/http/operator/clients.ts";
import { demoClientFile, keepRotated } from "../demo.ts";
import { callOperator, type Service } from "./api.ts";
import { showEntries } from "./audit.ts";
import { type Command, type Option, segment, toNumber, UsageError, type Values } from "./command.ts";
import { toTable } from "./table.ts";

type Client = ClientAnswers["Client"];

const SETTINGS: Record<string, Option> = {
  name: { value: "<text>", summary: "which platform it is, for the operator; '' for none" },
  "callback-url": { value: "<url>", summary: "where its callbacks are posted; '' for none" },
  operations: { value: "<list>", summary: "of send,status,subscription,subscribe,unsubscribe" },
  events: {
    value: "<list>",
    summary: "posted to it: of message.status,message.clicked,message.received,subscription.changed",
  },
};

export const CLIENT_COMMANDS: Command[] = [
  {
    name: "create-client",
    parameters: ["<websiteId>"],
    summary: "make a client; its secrets are shown this once",
    options: SETTINGS,
    notes: "Without --operations it may do all of them. Without --events it gets message.status and message.clicked.",
    run: (service, [id], values) =>
      callOperator(service, "POST", `/websites/${segment(id)}/clients`, toSettings(values)),
    show: showSecrets,
  },
  {
    name: "client",
    parameters: ["<clientId>"],
    summary: "show a client and its last changes",
    options: {},
    run: (service, [id]) => callOperator(service, "GET", `/clients/${segment(id)}`),
    show: (answer) => {
      const { changes, ...client } = JSON.parse(answer) as ClientAnswers["ClientWithChanges"];
      return [
        describeClient(client),
        describeUse(client),
        ...(changes.length > 0 ? ["", showEntries(changes)] : []),
      ].join("\n");
    },
  },
  {
    name: "change-client",
    parameters: ["<clientId>"],
    summary: "change a client; what is not given stays",
    options: {
      ...SETTINGS,
      suspend: { summary: "refuse its requests" },
      resume: { summary: "take them again" },
    },
    run: changeClient,
    show: (answer) => {
      const { takesEffect, waitingMessages, ...client } = JSON.parse(answer) as ClientAnswers["ChangedClient"];
      const { websiteId, clientId } = client;
      const waiting = waitingMessages
        ? [
            `${waitingMessages} of its messages still wait, and will go. To hold them: hold ${websiteId} --client ${clientId}`,
          ]
        : [];
      return [describeClient(client), "", EFFECTS[takesEffect], ...waiting].join("\n");
    },
  },
  {
    name: "rotate-client",
    parameters: ["<clientId>"],
    summary: "give a client new secrets, shown this once",
    options: { "grace-seconds": { value: "<n>", summary: "how long the old ones work; a day when left out" } },
    run: async (service, [id], values) => {
      const graceSeconds = toNumber("grace-seconds", values["grace-seconds"]);
      const answer = await callOperator(service, "POST", `/clients/${segment(id)}/rotate`, { graceSeconds });
      // The next `npm start` shows them, and the examples read them from there.
      keepRotated(demoClientFile(), id ?? "", JSON.parse(answer) as ClientAnswers["NewSecrets"]);
      return answer;
    },
    show: showSecrets,
  },
];

async function changeClient(service: Service, [id]: string[], values: Values): Promise<string> {
  if (values.suspend && values.resume) throw new UsageError("--suspend and --resume exclude each other");
  const suspended = values.suspend ? true : values.resume ? false : undefined;
  const change = JSON.parse(JSON.stringify({ ...toSettings(values), suspended }));
  if (Object.keys(change).length === 0) throw new UsageError("nothing to change is given");
  return callOperator(service, "PATCH", `/clients/${segment(id)}`, change);
}

/** What the operator is told of the time at which a change holds. */
const EFFECTS: Record<ClientAnswers["ChangedClient"]["takesEffect"], string> = {
  "at-once": "What this takes away is refused everywhere from now on. What it grants takes a minute or more.",
  "within-minutes":
    "The limiter of the website did not answer: this takes some minutes to hold everywhere. Run it again to try once more.",
};

/** What is undefined is left out of the JSON. */
function toSettings(values: Values) {
  return {
    name: values.name,
    callbackUrl: values["callback-url"],
    operations: toList(values.operations),
    events: toList(values.events),
  };
}

function toList(value: Values[string]): string[] | undefined {
  return typeof value === "string" ? value.split(/[\s,]+/).filter(Boolean) : undefined;
}

export function describeClient({ clientId, name, callbackUrl, operations, events, suspended }: Client): string {
  return toTable([
    ["client", clientId + (suspended ? "  SUSPENDED" : "")],
    ...(name === null ? [] : [["name", name]]),
    ["callbacks", callbackUrl],
    ["operations", operations.join(", ") || "none"],
    ["events", events.join(", ") || "none"],
  ]);
}

const REFUSALS: Record<NonNullable<ClientAnswers["ClientWithChanges"]["lastRefusal"]>["cause"], string> = {
  "secret-malformed": "401: X-Client-Secret is missing, or has not the form of a secret",
  "secret-wrong": "401: the secret is not this client's",
  "secret-replaced": "401: the secret is that before the rotation, and no longer valid",
  suspended: "403: it is suspended",
  "operation-denied": "403: an operation that it is not granted",
  "rate-exceeded": "429: more than 300 requests in a second of its website",
};

function describeUse(client: Omit<ClientAnswers["ClientWithChanges"], "changes">): string {
  const { lastUsedAt, rotatedAt, oldPairUntil, lastRefusal } = client;
  const refusal = lastRefusal && `${lastRefusal.at}, ${REFUSALS[lastRefusal.cause]}`;
  return toTable([
    ["last used", lastUsedAt ?? "never"],
    ["last refused", refusal ?? "never"],
    ["rotated", rotatedAt ?? "never"],
    ["old pair", oldPairUntil ? `valid until ${oldPairUntil}` : "not valid"],
  ]);
}

function showSecrets(answer: string): string {
  const secrets = JSON.parse(answer) as ClientAnswers["NewClient"] | ClientAnswers["NewSecrets"];
  return [
    toTable([
      ...("clientId" in secrets ? [["X-Client-ID", secrets.clientId]] : []),
      ["X-Client-Secret", secrets.clientSecret],
      ["callback secret", secrets.callbackSecret],
    ]),
    "",
    "Keep them now: they are not shown again.",
    ...("takesEffect" in secrets ? [EFFECTS[secrets.takesEffect]] : []),
  ].join("\n");
}
