import * as z from "zod";
import { jsonObject, orLeftOut } from "../domain/fields.ts";
import { findSendingClient, sendTestText, TEST_TEXTS_A_MINUTE } from "../flows/messages/send-test-text.ts";
import { authorOf } from "../http/api-request.ts";
import { BODY_LIMITS, readFields } from "../http/body.ts";
import { ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID, PHONE } from "../http/examples.ts";
import { maskPerson } from "../http/look-ups.ts";
import { toTime } from "../http/time.ts";
import { operatorCall, settingsBody } from "./operator-call.ts";
import { CLIENT, requireClientId, requireFound } from "./params.ts";

const PURPOSE = "test-text";

const testTextSchema = jsonObject({
  phone: z.string("must be a string").describe("E.164. As for any text, its owner must be subscribed."),
  text: z.string("must be a string").describe("As of a send request."),
  sendPurpose: orLeftOut(z.string("must be a string")).describe(`As of a send request. Default: \`${PURPOSE}\`.`),
});

const answers = {
  SentTestText: z.object({
    messageId: z.uuid(),
    scheduledFor: z.iso.datetime().nullable().describe("When it may go, if that is not now."),
  }),
};

const send = operatorCall({
  id: "sendTestText",
  method: "POST",
  path: "/operator/clients/:clientId/test-text",
  tag: "Clients",
  summary: "Send a test text as a client",
  description: `Sends one text as \`POST /text/message/send\` of this client does, under the same rules: it reaches nobody who is not subscribed, it waits for sending hours and holds, and it counts as any other. The client hears of it in \`GET /text/events\`; no callback is posted. At most ${TEST_TEXTS_A_MINUTE} a minute and client.`,
  database: "named",
  parameters: [CLIENT],
  body: settingsBody(testTextSchema, { usual: { phone: PHONE, text: "Hello from Textgate." } }),
  answers: [ok(answers.SentTestText, "The message is stored.", { messageId: MESSAGE_ID, scheduledFor: null })],
  errors: [
    ...(["resource-unknown", "client-suspended", "operation-denied", "tests-exceeded", "rate-exceeded"] as const),
    ...(["daily-limit-reached", "store-full"] as const),
  ],
  command: {
    name: "test-text",
    arguments: ["phone", "text"],
    next: ({ messageId, scheduledFor }) =>
      `${scheduledFor ? `It may go at ${scheduledFor}. ` : ""}\`message ${messageId}\` shows what becomes of it.`,
  },
  run: async (request, deps) => {
    const clientId = requireClientId(request);
    const client = requireFound(await findSendingClient(deps, clientId), "client");
    const given = await readFields(request, testTextSchema, BODY_LIMITS.settings);
    const linkOrigin = deps.config.linkOrigin ?? new URL(request.url).origin;
    const { messageId, scheduledFor } = await sendTestText(
      deps,
      authorOf(request),
      { client, linkOrigin, subject: maskPerson(given.phone) },
      { ...given, sendPurpose: given.sendPurpose ?? PURPOSE },
    );
    request.logged = { websiteId: client.websiteId, clientId, messageId };
    return { messageId, scheduledFor: toTime(scheduledFor ?? null) };
  },
});

export const testText: Resource = { calls: [send], schemas: { TestTextRequest: testTextSchema, ...answers } };
