import * as z from "zod";
import { callbackSchema } from "../domain/callback.ts";
import { OPERATIONS } from "../domain/client.ts";
import { MESSAGE_STATUSES } from "../domain/message.ts";
import { reportSchema } from "../domain/report.ts";
import { faultAnswers } from "./operator-fault-answers.ts";

// What an operator is answered: operator-views.ts makes it from rows. Made when first asked for, not as the Worker starts.
export function operatorAnswerSchemas() {
  const time = z.iso.datetime();
  const client = z.object({
    clientId: z.string(),
    websiteId: z.string(),
    callbackUrl: z.string().nullable(),
    operations: z.array(z.enum(OPERATIONS)),
    suspended: z.boolean(),
    createdAt: time,
    updatedAt: time,
  });
  const website = z.object({
    websiteId: z.string(),
    name: z.string(),
    carrier: z.string(),
    sender: z.string().nullable(),
    helpText: z.string().nullable(),
    duplicateWindowHours: z.int().nullable(),
    createdAt: time,
    updatedAt: time,
  });
  const secrets = z.object({
    clientSecret: z.string().meta({ description: "Shown only now." }),
    callbackSecret: z.string().meta({ description: "Shown only now. Verifies the signatures of callbacks." }),
  });
  return {
    Client: client,
    Website: website,
    WebsiteWithClients: website.extend({ clients: z.array(client) }),
    WebsiteList: z.object({ websites: z.array(website) }),
    NewClient: z.object({ clientId: z.string(), ...secrets.shape }),
    NewSecrets: secrets,
    ImportAnswer: importAnswer(),
    ...personAnswers(time),
    EmailRemoval: z.object({ phone: z.string(), email: z.null() }),
    Erasure: z.object({ phone: z.string(), erasedMessages: z.int() }),
    Report: reportSchema,
    OperatorMessage: operatorMessage(time),
    ...faultAnswers(time),
  };
}

function importAnswer() {
  return z.object({
    imported: z.int(),
    invalidPhoneNumbers: z.array(z.string()),
    invalidEmails: z
      .array(z.string())
      .optional()
      .meta({ description: "Left out if empty. Their numbers are imported without an address." }),
    optedOutNumbers: z
      .array(z.string())
      .optional()
      .meta({ description: "Left out if empty. Their owners opted out themselves: they are not subscribed again." }),
  });
}

function personAnswers(time: z.ZodISODateTime) {
  const text = z.object({
    from: z.string(),
    to: z.string(),
    text: z.string(),
    keyword: z.enum(["stop", "start", "help"]).nullable(),
    carrier: z.string(),
    carrierMessageId: z.string(),
    receivedAt: time,
  });
  const change = z.object({
    from: z.boolean().nullable().meta({ description: "null: unknown before." }),
    to: z.boolean(),
    at: time,
    source: z.enum(["import", "api", "keyword", "carrier"]),
    proof: z.string().meta({ description: "The id of the request, or the text." }),
  });
  const person = z.object({
    phone: z.string(),
    subscribed: z.boolean(),
    email: z.string().nullable(),
    optedOutByPerson: z.boolean().meta({ description: "The person opted out: only a START undoes it." }),
    optOutConfirmedAt: time.nullable(),
    changes: z.array(change),
    texts: z.array(text),
  });
  const websiteId = z.string().nullable().meta({ description: "null: no website has the recipient as its sender." });
  return {
    InboundText: text,
    InboundTextList: z.object({ texts: z.array(text) }),
    TextsWithoutEffect: z.object({ texts: z.array(text.extend({ websiteId })) }),
    Person: person,
  };
}

function operatorMessage(time: z.ZodISODateTime) {
  const status = z.enum(MESSAGE_STATUSES);
  return z.object({
    messageId: z.uuid(),
    websiteId: z.string(),
    clientId: z.string(),
    status,
    reason: z.string().nullable(),
    phone: z.string().nullable(),
    email: z.string().nullable(),
    text: z.string(),
    mediaUrl: z.string().nullable(),
    clickUrl: z.string().nullable(),
    callbackData: z.string(),
    sendPurpose: z.string(),
    encoding: z.enum(["GSM-7", "UCS-2"]).nullable(),
    segments: z.int().nullable(),
    carrier: z.string().nullable(),
    carrierMessageId: z.string().nullable(),
    attempts: z.int(),
    acceptedAt: time,
    updatedAt: time,
    claimedAt: time.nullable(),
    retryAt: time.nullable(),
    clicks: z.object({ people: z.int(), robots: z.int(), firstAt: time.nullable() }),
    events: z.array(
      z.object({
        eventId: z.string(),
        eventType: callbackSchema.shape.eventType,
        status: status.optional().meta({ description: "Of message.status." }),
        occurredAt: time,
      }),
    ),
    callbacks: z.array(
      z.object({
        eventId: z.string(),
        attemptedAt: time.nullable(),
        outcome: z.enum(["answered", "timed-out", "unreachable", "not-posted"]).nullable(),
        httpStatus: z.int().nullable(),
        response: z.string().nullable().meta({ description: "The first kilobyte of what came back, or the error." }),
        durationMilliseconds: z.number().nullable(),
      }),
    ),
  });
}
