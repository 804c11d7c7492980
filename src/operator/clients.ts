import type { Deps } from "../deps.ts";
import { isLoopback } from "../domain/callbacks/callback-url.ts";
import { type Client, clientSettingsSchema, rotationSchema } from "../domain/clients/client.ts";
import type { ClientRefusal } from "../domain/clients/client-uses.ts";
import { changeClient, createClient, rotateClient } from "../flows/clients/manage-clients.ts";
import { countCancellable } from "../flows/messages/cancel-waiting.ts";
import { type ApiRequest, authorOf } from "../http/api-request.ts";
import { BODY_LIMITS, readFields } from "../http/body.ts";
import { ok, type Resource } from "../http/call.ts";
import { CLIENT_ID as A_CLIENT_ID, CALLBACK_SECRET, CLIENT_SECRET, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { describeError } from "../platform/describe-error.ts";
import { readEndpoints } from "../store/callbacks/endpoint-health.ts";
import { readClient } from "../store/clients/client-uses.ts";
import { clientAnswers } from "./answers/clients.ts";
import { CHANGE_COLUMNS, lastChanges } from "./audit.ts";
import { operatorCall, settingsBody } from "./operator-call.ts";
import { CLIENT as CLIENT_PARAMETER, requireClientId, requireFound, requireWebsite, WEBSITE } from "./params.ts";
import { CLIENT, clientView, clientWithUseView, USE } from "./views/client.ts";

const { name, callbackUrl, operations, events } = CLIENT;

const SECRETS = { clientSecret: CLIENT_SECRET, callbackSecret: CALLBACK_SECRET };

const ClientSettings = clientSettingsSchema(false);

/** What the command prints about the time at which an option takes effect. Nothing else gives or takes: for example, a new endpoint gets the next event. */
const EFFECTS = {
  suspend: "The requests of the client are refused everywhere from now on.",
  resume: "The requests of the client are accepted everywhere within 90 seconds.",
  operations: "A grant that the client has lost is refused everywhere from now on. A new grant takes up to 90 seconds.",
};

const LATE =
  "The limiter of the website did not answer, so this holds everywhere only within 90 seconds. To have it at once, run the command again.";

const MEANING_OF_REFUSAL: Record<ClientRefusal, string> = {
  "secret-malformed": "401: X-Client-Secret is missing, or does not have the form of a secret",
  "secret-wrong": "401: the secret is not this client's",
  "secret-replaced": "401: the secret is that before the rotation, and no longer valid",
  suspended: "403: it is suspended",
  "operation-denied": "403: an operation that it is not granted",
  "rate-exceeded": "429: more than 300 requests in a second of its website",
  "daily-limit-reached": "429: a text beyond the daily limit of its website",
};

const SUSPEND = { field: "suspended", sets: true, summary: "Refuse its requests." };

const KEEP = "Keep them now: they are not shown again.";

const FORWARD =
  "Give its engineers the three values, the address of the service, and its /docs, which begin with a quick start.";

const create = operatorCall({
  id: "createClient",
  method: "POST",
  path: "/operator/websites/:websiteId/clients",
  tag: "Clients",
  summary: "Create a client",
  description: "Issues its secrets, which are shown only once. Each call creates another client.",
  database: "named",
  parameters: [WEBSITE],
  body: settingsBody(ClientSettings, { some: { name, callbackUrl, operations, events }, all: {} }),
  answers: [ok(clientAnswers.NewClient, "Its secrets are shown only now.", { clientId: A_CLIENT_ID, ...SECRETS }, 201)],
  errors: ["resource-unknown"],
  command: { name: "create-client", options: { suspend: SUSPEND }, next: () => `${KEEP}\n${FORWARD}` },
  run: async (request, deps) => {
    const website = await requireWebsite(request, deps);
    return await createClient(deps, authorOf(request), website, await readSettings(request));
  },
});

const get = operatorCall({
  id: "getClient",
  method: "GET",
  path: "/operator/clients/:clientId",
  tag: "Clients",
  summary: "Read a client, its last use and refusal, and its last changes",
  description:
    "`lastUsedAt` and `lastRefusal` are coarse: they are stored once in ten minutes, or a minute, for each client.",
  database: "named",
  parameters: [CLIENT_PARAMETER],
  answers: [
    ok(clientAnswers.ClientWithChanges, "The client, without secrets.", {
      ...CLIENT,
      ...USE,
      changes: [],
    }),
  ],
  errors: ["resource-unknown"],
  command: {
    name: "client",
    columns: { changes: CHANGE_COLUMNS },
    next: ({ lastRefusal: last }) => last && `Last refused ${last.at}, ${MEANING_OF_REFUSAL[last.cause]}.`,
  },
  run: async (request, deps) => {
    const clientId = requireClientId(request);
    const [found, endpoints, changes] = await Promise.all([
      readClient(deps.db, clientId, deps.now()),
      readEndpoints(deps.db, { clientId }, deps.now()),
      lastChanges(deps, { name: "client", value: clientId }),
    ]);
    return { ...clientWithUseView(requireFound(found, "client"), endpoints), changes };
  },
});

const change = operatorCall({
  id: "changeClient",
  method: "PATCH",
  path: "/operator/clients/:clientId",
  tag: "Clients",
  summary: "Change a client",
  description:
    "Fields that are left out stay as they are. `takesEffect` says when the change holds: what it takes away usually at once, what it grants within 90 seconds.",
  database: "named",
  parameters: [CLIENT_PARAMETER],
  body: settingsBody(ClientSettings, { suspend: { suspended: true }, endpoint: { callbackUrl, operations } }),
  answers: [
    ok(clientAnswers.ChangedClient, "The changed client.", {
      ...{ ...CLIENT, takesEffect: "at-once", waitingMessages: null },
    }),
  ],
  errors: ["resource-unknown"],
  command: {
    name: "change-client",
    options: {
      suspend: SUSPEND,
      resume: { field: "suspended", sets: false, summary: "Accept its requests again." },
    },
    next: ({ takesEffect, waitingMessages, websiteId, clientId }, given) => {
      const meanings = Object.entries(EFFECTS).flatMap(([name, meaning]) => (given[name] === undefined ? [] : meaning));
      const effect = takesEffect === "at-once" ? meanings : [LATE];
      const waiting = `The client is suspended, but ${waitingMessages} pending or scheduled messages will still be sent. To hold them: hold ${websiteId} --client ${clientId}`;
      return [...effect, ...(waitingMessages ? [waiting] : [])].join("\n");
    },
  },
  run: async (request, deps) => {
    const clientId = requireClientId(request);
    const settings = await readSettings(request);
    const { takesEffect, ...client } = requireFound(
      await changeClient(deps, authorOf(request), clientId, settings),
      "client",
    );
    const waitingMessages = settings.suspended ? await countOfClient(deps, client) : null;
    return { ...clientView(client), takesEffect, waitingMessages };
  },
});

/** @returns null: not known. The client is changed, whatever comes of the count. */
async function countOfClient(deps: Deps, { websiteId, clientId }: Client): Promise<number | null> {
  try {
    return await countCancellable(deps.db, websiteId, { clientId, sendPurpose: null });
  } catch (error) {
    deps.log("error", "waiting.not-counted", { websiteId, clientId, error: describeError(error) });
    return null;
  }
}

const rotate = operatorCall({
  id: "rotateClient",
  method: "POST",
  path: "/operator/clients/:clientId/rotate",
  tag: "Clients",
  summary: "Replace the secrets of a client",
  description:
    "The old pair stays valid until its grace period ends. A second rotation within 10 minutes, as after a lost response, replaces the first: the original pair stays valid until its grace period ends, and the first new pair is revoked. The new pair works everywhere within 90 seconds: change over after that.",
  database: "named",
  parameters: [CLIENT_PARAMETER],
  body: settingsBody(rotationSchema, { aDay: {}, atOnce: { graceSeconds: 0 } }),
  answers: [
    ok(clientAnswers.NewSecrets, "The new pair is shown only now.", {
      ...SECRETS,
      oldPairUntil: TIME,
      takesEffect: "at-once",
    }),
  ],
  errors: ["resource-unknown"],
  command: {
    name: "rotate-client",
    next: ({ oldPairUntil, takesEffect }) =>
      [
        KEEP,
        `The old pair is valid until ${oldPairUntil}. The new pair works everywhere within 90 seconds.`,
        ...(takesEffect === "at-once" ? [] : [LATE]),
      ].join("\n"),
  },
  run: async (request, deps) => {
    const clientId = requireClientId(request);
    const { graceSeconds } = await readFields(request, rotationSchema, BODY_LIMITS.settings);
    const { oldUntil, ...rotated } = requireFound(
      await rotateClient(deps, authorOf(request), clientId, graceSeconds),
      "client",
    );
    return { ...rotated, oldPairUntil: toTime(oldUntil) };
  },
});

async function readSettings(request: ApiRequest) {
  return await readFields(request, clientSettingsSchema(isLocal(request)), BODY_LIMITS.settings);
}

/** On a developer's machine, callbacks may go to loopback. No host name of the edge is one of loopback. */
function isLocal(request: ApiRequest): boolean {
  return isLoopback(new URL(request.url));
}

/** A client is answered with what is known of its requests, or of its change: never alone. */
const { Client: _, ...named } = clientAnswers;

export const clients: Resource = {
  calls: [create, get, change, rotate],
  schemas: { ClientSettings, Rotation: rotationSchema, ...named },
};
