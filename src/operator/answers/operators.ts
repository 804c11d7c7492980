// Who may call, who is signed in, and who has changed what.
import * as z from "zod";
import { AUDIT_ACTIONS } from "../../domain/operations/audit.ts";
import { ROLES } from "../../domain/operations/operator-token.ts";
import { type Answers, missingShape } from "../answers.ts";

const tokenSchema = z.object({
  name: z.string(),
  role: z.enum(ROLES),
  createdAt: z.iso.datetime(),
  createdBy: z.string().describe("The name of the token that made it."),
  endsAt: z.iso.datetime().nullable().describe("null: it is valid until it is ended."),
});

export const tokenAnswers = {
  OperatorTokenList: z.object({ tokens: z.array(tokenSchema) }),
  NewOperatorToken: z.object({ name: z.string(), token: z.string().describe("Shown only now.") }),
  EndedOperatorToken: z.object({
    name: z.string(),
    left: z.int().describe("How many tokens with this name are still valid."),
  }),
};

export type TokenAnswers = Answers<typeof tokenAnswers>;

export const sessionAnswers = {
  OperatorSessionList: z.object({
    sessions: z.array(
      z.object({
        sessionId: z.string(),
        operator: z.string().describe("The name of the token that signed in."),
        role: z.enum(ROLES),
        createdAt: z.iso.datetime(),
        lastUsedAt: z.iso.datetime().describe("In steps of ten minutes."),
        expiresAt: z.iso.datetime().describe("12 hours after it was created, or when its token ends."),
        isThis: z.boolean().describe("It is the one that asks."),
      }),
    ),
  }),
  EndedOperatorSession: z.object({ sessionId: z.string(), operator: z.string() }),
};

export type SessionAnswers = Answers<typeof sessionAnswers>;

export const auditEntrySchema = z.object({
  at: z.iso.datetime(),
  operator: z.string().describe("The name of the token."),
  action: z.enum(AUDIT_ACTIONS),
  websiteId: z.string().nullable(),
  clientId: z.string().nullable(),
  subject: z
    .string()
    .nullable()
    .describe("Another subject of the change: a masked number, a carrier, a dead job, a token, an import."),
  before: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("The settings that it replaced. A callback URL is cut to its origin."),
  after: z.record(z.string(), z.unknown()).nullable(),
  outcome: z
    .enum(["done", "failed"])
    .nullable()
    .describe("failed: a part may be done. null: it began, and was cut off or is not over."),
  requestId: z.string(),
});

export const auditAnswers = {
  AuditEntry: auditEntrySchema,
  AuditPage: z.object({
    entries: z.array(auditEntrySchema),
    next: z.string().nullable().describe("The `cursor` of the next page; null: this is the last."),
    ...missingShape,
  }),
};

export type AuditAnswers = Answers<typeof auditAnswers>;
