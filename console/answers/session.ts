// Who is signed in, who may be, and who has changed what: the types of the service's own declarations. answers.ts says how to read this.
import type { ConsoleSessionAnswer } from "../../src/domain/operations/session.ts";
import type { AuditAnswers, SessionAnswers, TokenAnswers } from "../../src/operator/answers/operators.ts";

/** Each error of the service. `details`, wanted for 40903: `[{count}]`, the count of now. */
export interface ErrorAnswer {
  code: number;
  message: string;
  details?: { field?: string; message?: string; line?: number; value?: string; count?: number }[];
  requestId?: string;
}

/** GET /console/session. POST takes `{token}`, DELETE ends it. */
export type SessionAnswer = ConsoleSessionAnswer;

export type Session = NonNullable<SessionAnswer["session"]>;

/** GET /operator/tokens */
export type TokenList = TokenAnswers["OperatorTokenList"];

/** POST /operator/tokens `{name, role}`. */
export type NewToken = TokenAnswers["NewOperatorToken"];

/** GET /operator/sessions; DELETE /operator/sessions/{sessionId} ends one. */
export type SessionList = SessionAnswers["OperatorSessionList"];

/** GET /operator/audit?website=&client=&by=&cursor= */
export type AuditPage = AuditAnswers["AuditPage"];

export type AuditEntry = AuditAnswers["AuditEntry"];
