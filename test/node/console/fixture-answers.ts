import type { Session } from "../../../console/answers.ts";
import { auditEntries } from "./fixture-audit.ts";
import * as campaigns from "./fixture-campaigns.ts";
import * as events from "./fixture-events.ts";
import * as people from "./fixture-people.ts";
import * as service from "./fixture-state.ts";
import * as texts from "./fixture-texts.ts";
import * as websites from "./fixture-websites.ts";

export type Mode = "data" | "empty" | "failing" | "away";

interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  mode: Mode;
  role: Session["role"];
}

const REQUEST = { requestId: "7f1c2a9e-55b0-4c0b-9d57-3c1f6e1f0a42" };

/** The patterns of the calls, each with what it answers where there is data, and where there is none. */
const ANSWERS: [pattern: RegExp, data: (query: URLSearchParams, path: string) => unknown, empty: () => unknown][] = [
  [/^GET \/operator\/overview$/, (query) => service.overview(query.get("website")), service.emptyOverview],
  [/^GET \/operator\/waiting$/, service.waiting, service.nothingWaits],
  [/^GET \/operator\/holds$/, (query) => service.holds(query.get("website")), () => ({ holds: [] })],
  [/^GET \/operator\/messages$/, texts.found, () => ({ messages: [], next: null, lookedBackTo: null })],
  [/^GET \/operator\/messages\/0197c2c1/, texts.waitingMessage, () => null],
  [/^GET \/operator\/messages\/[^/]+$/, texts.deliveredMessage, () => null],
  [/^GET \/operator\/inbound$/, people.inbound, () => ({ texts: [], next: null, toDecide: 0 })],
  [/^POST \/operator\/inbound\/decide$/, () => ({ optedOut: true }), () => null],
  [
    /^GET \/operator\/websites\/[^/]+\/subscribers$/,
    people.subscribers,
    () => ({ total: 0, next: null, subscribers: [] }),
  ],
  [/^POST \/operator\/people\/find$/, () => ({ personId: "p-ada", phone: "+1206•••••42" }), () => null],
  [/^POST \/operator\/people\/[^/]+\/reveal$/, () => ({ phone: "+12065550142", emails: [] }), () => null],
  [/^GET \/operator\/people\/[^/]+$/, people.person, people.unknownPerson],
  [
    /^DELETE \/operator\/people\/[^/]+$/,
    () => ({ websites: [{ websiteId: "harbor-coffee", erasedMessages: 3 }], failed: [] }),
    () => null,
  ],
  [/^GET \/operator\/websites$/, websites.list, () => ({ websites: [] })],
  [/^GET \/operator\/senders$/, websites.senders, () => ({ senders: [] })],
  [/^GET \/operator\/websites\/[^/]+\/campaigns\/[^/]+$/, campaigns.running, campaigns.none],
  [/^(GET|PUT) \/operator\/websites\/[^/]+$/, websites.one, websites.emptyOne],
  [/^GET \/operator(\/websites\/[^/]+)?\/report$/, (query) => websites.report(query), websites.emptyReport],
  [/^POST \/operator\/websites\/[^/]+\/hold$/, () => ({ holdId: "h-new", held: 871 }), () => null],
  [/^POST \/operator\/websites\/[^/]+\/release$/, () => ({ released: 140, ended: [], remaining: [] }), () => null],
  [/^POST \/operator\/websites\/[^/]+\/cancel$/, () => ({ cancelled: 871 }), () => ({ cancelled: 0 })],
  [/^POST \/operator\/websites\/[^/]+\/subscribers$/, people.imported, people.imported],
  [/^GET \/operator\/imports$/, people.imports, () => ({ imports: [] })],
  [
    /^POST \/operator\/clients\/[^/]+\/rotate$/,
    () => ({ clientSecret: "5".repeat(64), callbackSecret: "whsec_invented" }),
    () => null,
  ],
  [/^POST \/operator\/clients\/[^/]+\/test-event$/, websites.testEvent, () => null],
  [
    /^POST \/operator\/clients\/[^/]+\/test-text$/,
    () => ({ messageId: "0197c2ab-71d4-4e0b-8a01-00000000b7aa", scheduledFor: null }),
    () => null,
  ],
  [/^GET \/operator\/clients\/[^/]+\/events$/, events.ofClient, () => ({ events: [], next: null, lookedBackTo: null })],
  [/^POST \/operator\/messages\/[^/]+\/cancel$/, () => ({ messageId: "any", cancelled: 1 }), () => null],
  [/^PATCH \/operator\/clients\/[^/]+$/, () => ({ takesEffect: "within-minutes" }), () => null],
  [
    /^POST \/operator\/carriers\/[^/]+\/try$/,
    () => ({ carrier: "kannel", due: 1 }),
    () => ({ carrier: "kannel", due: 0 }),
  ],
  [/^GET \/operator\/dead-jobs$/, service.deadJobs, () => ({ deadJobs: [] })],
  [/^GET \/operator\/databases$/, service.databases, service.emptyDatabases],
  [/^GET \/operator\/accounts$/, service.accounts, () => ({ accounts: [] })],
  [/^GET \/operator\/tokens$/, service.tokens, () => ({ tokens: [] })],
  [/^GET \/operator\/sessions$/, service.sessions, service.sessions],
  [/^GET \/operator\/audit$/, () => ({ entries: auditEntries, next: "older" }), () => ({ entries: [], next: null })],
];

export function answerOf({ method, path, query, mode, role }: Call): { status: number; body: unknown } {
  if (path === "/console/session") {
    const session = { operator: "ada", role, expiresAt: "2026-11-25T14:00:00.000Z" };
    return method === "GET" ? { status: 200, body: { session } } : { status: 204, body: null };
  }
  if (mode === "failing") return { status: 503, body: { code: 50300, message: "A store did not answer.", ...REQUEST } };
  const found = ANSWERS.find(([pattern]) => pattern.test(`${method} ${path}`));
  const body = found?.[mode === "empty" ? 2 : 1](query, path) ?? null;
  if (body === null) return { status: 404, body: { code: 40400, message: "There is no such path.", ...REQUEST } };
  return { status: 200, body };
}
