import * as z from "zod";
import { EVENT_TYPES } from "../../domain/callbacks/callback.ts";
import { MESSAGE_STATUSES } from "../../domain/messages/message.ts";
import { reasonSchema } from "../../domain/messages/reason.ts";
import { type Answers, callbackSchema, personIdShape } from "../answers.ts";

const eventSchema = z.object({
  eventId: z.string(),
  eventType: z.enum(EVENT_TYPES),
  occurredAt: z.iso.datetime(),
  messageId: z.uuid().nullable().describe("null: it is about no message."),
  sendPurpose: z.string().nullable(),
  status: z.enum(MESSAGE_STATUSES).nullable(),
  reason: reasonSchema,
  phone: z.string().nullable().describe("Whom it is about; null: no number was found."),
  ...personIdShape,
  callback: callbackSchema.nullable().describe("null: the event is not posted. `attemptedAt` null: not posted yet."),
});

export const clientEventAnswers = {
  ClientEvents: z.object({
    events: z.array(eventSchema),
    next: z
      .string()
      .nullable()
      .describe("The `cursor` of the next page, which may have older ones; null: there are none."),
    lookedBackTo: z.iso
      .datetime()
      .nullable()
      .describe("The events since then were looked through; null: there are no others."),
  }),
};

export type ClientEventAnswers = Answers<typeof clientEventAnswers>;

export type ClientEvent = ClientEventAnswers["ClientEvents"]["events"][number];
