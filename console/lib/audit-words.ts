// Pure. An entry of the audit log as a sentence, and only the difference that it made.
import type { AuditEntry } from "../answers.ts";
import { formatTime } from "./times.ts";

const ACTIONS: Record<string, string> = {
  "put-website": "changed the website",
  "create-client": "made a client",
  "change-client": "changed a client",
  "rotate-client": "rotated the secrets of a client",
  hold: "held texts",
  release: "released texts",
  cancel: "cancelled texts",
  import: "imported people",
  "undo-import": "undid an import",
  "remove-email": "removed an e-mail address",
  "erase-person": "erased a person",
  "set-sender": "set the pace of",
  "try-carrier": "tried a carrier",
  "put-account": "set up an account at a carrier",
  "delete-account": "removed an account at a carrier",
  reachable: "made a number reachable again",
  "put-back": "put dead jobs back",
  "create-token": "made a token",
  "end-token": "ended a token",
  "look-up": "looked up a person",
  reveal: "saw the number of a person",
  "sign-in": "signed in",
  "end-session": "ended a session",
  "test-event": "sent a test event",
  "test-text": "sent a test text",
  "decide-inbound": "decided what a text meant",
  "cancel-message": "cancelled one text",
};

export const actionWords = (action: string): string => ACTIONS[action] ?? action.replaceAll("-", " ");

export interface Difference {
  name: string;
  before: string | null;
  after: string | null;
}

/** Only what is not the same on both sides. */
export function differencesOf({ before, after }: Pick<AuditEntry, "before" | "after">): Difference[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap((name) => {
    const [was, is] = [wordOf(before?.[name]), wordOf(after?.[name])];
    return was === is ? [] : [{ name, before: was, after: is }];
  });
}

function wordOf(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const SOURCES: Record<string, string> = {
  api: "by a client",
  keyword: "by the person",
  carrier: "told by the carrier",
  undo: "by the undo of an import",
};

/** By what a subscription was changed, and by whose act: `by an import of ada`. */
export const sourceWords = (source: string, operator?: string | null): string =>
  SOURCES[source] ??
  (source === "import" ? `by an import${operator ? ` of ${operator}` : ""}` : `by ${operator ?? "an operator"}`);

interface Told {
  consentedAt?: string | null | undefined;
  evidence?: string | null | undefined;
}

/** What a client or an import has told as proof that the person agreed; empty: nothing. */
export function evidenceOf({ consentedAt, evidence }: Told, now: number): string {
  const at = consentedAt ? `, ${formatTime(consentedAt, now)}` : "";
  return evidence ? `Evidence: “${evidence}”${at}.` : at && `They agreed${at}.`;
}
