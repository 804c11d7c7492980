import * as z from "zod";
import { type Answers, missingShape } from "../answers.ts";

const senderSchema = z.object({
  carrier: z.string(),
  sender: z.string(),
  websites: z.array(z.string()).describe("The ids of the websites that send from it, be it as their fallback."),
  messagesPerMinute: z.int().nullable().describe("Segments; null: no limit."),
  messagesPerDay: z.int().nullable().describe("Segments; null: no limit."),
  waiting: z.int().describe("Pending messages of the websites whose own sender it is, up to 10,000 of a database."),
  pausedUntil: z.iso
    .datetime()
    .nullable()
    .describe("Until when the circuit breaker of the sender, the account or the carrier is open; null: none is."),
  why: z.string().nullable().describe("In words; null: nothing pauses it."),
});

export const senderAnswers = {
  Sender: senderSchema,
  SenderList: z.object({ senders: z.array(senderSchema), ...missingShape }),
};

export type SenderAnswers = Answers<typeof senderAnswers>;
