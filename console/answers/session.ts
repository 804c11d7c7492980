// Who is signed in, who may be, and who has changed what. answers.ts says how to read this.

/** Each error of the service. `triesLeft`, wanted: of a sign-in. `details`, wanted for 40903: `[{count}]`, the count of now. */
export interface ErrorAnswer {
  code: number;
  message: string;
  details?: { field?: string; message?: string; count?: number }[];
  requestId?: string;
  triesLeft?: number;
}

/**
 * Wanted: GET /console/session answers 200 `{session}`, null where nobody is signed in: a 401 would be an error in the browser's
 * console. POST takes `{token}`, DELETE ends it: contract.
 */
export interface SessionAnswer {
  session: Session | null;
}

export interface Session {
  operator: string;
  role: "viewer" | "operator";
  expiresAt: string;
  /** Whether its data was made by `npm start`. */
  isDemo?: boolean;
}

/** GET /operator/tokens, as today; `role` is wanted. */
export interface TokenList {
  tokens: { name: string; role?: "viewer" | "operator"; createdAt: string; createdBy: string; endsAt: string | null }[];
}

/** POST /operator/tokens `{name, role}`. */
export interface NewToken {
  name: string;
  token: string;
}

/** Wanted: GET /operator/sessions, DELETE /operator/sessions/{sessionId}. */
export interface SessionList {
  sessions: {
    sessionId: string;
    operator: string;
    role: string;
    createdAt: string;
    lastUsedAt: string;
    expiresAt: string;
    isThis: boolean;
  }[];
}

/** GET /operator/audit?website=&client=&by=&cursor=, as today. */
export interface AuditPage {
  entries: AuditEntry[];
  next: string | null;
}

export interface AuditEntry {
  at: string;
  operator: string;
  action: string;
  websiteId: string | null;
  clientId: string | null;
  subject: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  outcome: "done" | "failed" | null;
  requestId: string;
}
