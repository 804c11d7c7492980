// Pure. What the audit log has of the changes that operators make, and of the people whom they look up.

/** Who makes a change, and by which request. */
export interface Author {
  /** The name of the token. */
  operator: string;
  requestId: string;
}

/** The author of a part of a request that changes several websites: each part has an entry of its own. */
export function partOf({ operator, requestId }: Author, websiteId: string): Author {
  return { operator, requestId: `${requestId}/${websiteId}` };
}

/** The id of the request, also of a part of it. */
export function toRequestId({ requestId }: Pick<Author, "requestId">): string {
  return requestId.replace(/\/.*/, "");
}

/** The name of the secret OPERATOR_TOKEN. No other token can have it: their names are in lower case. */
export const FIRST_OPERATOR = "OPERATOR_TOKEN";

export const AUDIT_ACTIONS = [
  "put-website",
  "create-client",
  "change-client",
  "rotate-client",
  "test-event",
  "test-text",
  "hold",
  "release",
  "cancel",
  "cancel-message",
  "export-subscribers",
  "export-ledger",
  "export-messages",
  "import",
  "undo-import",
  "decide-inbound",
  "remove-email",
  "erase-person",
  "set-sender",
  "reachable",
  "try-carrier",
  "put-account",
  "delete-account",
  "put-back",
  "create-token",
  "end-token",
  "sign-in",
  "end-session",
  "look-up",
  "reveal",
] as const;

/** Settings, filters and counts; never a secret, a text of a message or a whole phone number of a person. */
type Facts = Record<string, unknown> | null;

export interface AuditEntry {
  action: (typeof AUDIT_ACTIONS)[number];
  websiteId?: string;
  clientId?: string;
  subject?: string;
  before?: Facts;
  after?: Facts;
}

export interface StoredAudit extends Author {
  id: number;
  storedAt: number;
  action: AuditEntry["action"];
  websiteId: string | null;
  clientId: string | null;
  subject: string | null;
  before: Facts;
  after: Facts;
  outcome: "done" | "failed" | null;
}

/** What a change replaces, and by what: only what is given, and is not so already. */
export function changeOf<T extends object>(present: T | undefined, given: Partial<Record<keyof T, unknown>>) {
  const isNew = (name: string, value: unknown) =>
    present === undefined || JSON.stringify(present[name as keyof T]) !== JSON.stringify(value);
  const after = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && isNew(name, value)),
  );
  const before = present && Object.fromEntries(Object.keys(after).map((name) => [name, present[name as keyof T]]));
  return { before: before ? hideUrl(before) : null, after: hideUrl(after) };
}

/** The path and the query of a callback URL may hold a key of the client's: only its origin is kept. */
function hideUrl(facts: Record<string, unknown>): Record<string, unknown> {
  const { callbackUrl } = facts;
  return typeof callbackUrl === "string" ? { ...facts, callbackUrl: URL.parse(callbackUrl)?.origin ?? null } : facts;
}
