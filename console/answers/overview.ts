// What the overview shows. answers.ts says how to read this.

/** GET /operator/overview?website=, as today; what is optional is wanted, `website` only where one is asked for. */
export interface Overview {
  asOf: string;
  /** Whether a text was ever accepted. */
  hasTexts: boolean;
  /** `waiting`: against the will only, neither held nor scheduled. */
  needs: { waiting: number; toDecide: number; problems: number };
  problems: Problem[];
  /** The problems of the last seven days, the newest first, with those that are open. */
  lastProblems: PastProblem[];
  /** 60 of them, the oldest first, by the minute of acceptance. */
  minutes: Minute[];
  hour: { clients?: number; oldestWithoutReceiptSeconds: number | null; countedSince?: string | null };
  /** 30 of them, days of UTC, the oldest first; the last is today. */
  days: Day[];
  websites: WebsiteNow[];
  carriers: CarrierNow[];
  /** There are more websites than these. */
  isCut?: boolean;
  website?: WebsiteToday;
}

export interface Minute {
  at: string;
  accepted: number;
  submitted: number;
  delivered: number;
  undelivered: number;
  noReceipt: number;
  waiting: number;
}

export interface Day {
  day: string;
  accepted: number;
  /** Given to a carrier. */
  sent: number;
  delivered: number;
  undelivered: number;
  clicked: number;
  optedOut: number;
}

/** `problem` is a code of GET /operator/health, and the subject is as there; the rest is wanted. */
export interface Problem {
  problem: string;
  since: string | null;
  carrier: string | null;
  sender: string | null;
  websiteId: string | null;
  clientId: string | null;
  host: string | null;
  database: string | null;
  /** The words of the other side. */
  cause: string | null;
  nextTryAt: string | null;
  websiteNames?: string[];
  clientName?: string | null;
  /** Texts, callbacks, jobs or people, whatever the problem is of. */
  affected?: number | null;
  /** When the oldest of the texts is given up. */
  triedUntil?: string | null;
  timeZone?: string | null;
  /** The last entry of the audit log about it: "ada tried kannel at 03:02". */
}

export interface PastProblem {
  problem: string;
  carrier: string | null;
  websiteId?: string | null;
  clientId?: string | null;
  cause?: string | null;
  websiteName?: string | null;
  clientName?: string | null;
  host: string | null;
  database: string | null;
  began: string;
  ended: string | null;
}

/** Counts of the last hour; `sent`: given to a carrier. */
export interface WebsiteNow {
  websiteId: string;
  name: string;
  accepted: number;
  sent: number;
  delivered: number;
  undelivered: number;
  noReceipt: number;
  waiting: number;
  waitsFor: string | null;
  subscribers?: number;
  subscribersWeekAgo?: number;
  textsToday: number;
  errorsToday?: number;
  optedOut30Days: number;
  sent30Days: number;
}

export interface CarrierNow {
  carrier: string;
  submitted: number;
  delivered: number;
  undelivered: number;
  noReceipt: number;
  waiting: number;
  state: "accepting" | "refusing" | "paused" | "failing" | "not-set-up" | "idle";
}

export interface WebsiteToday {
  /** 30 days of UTC. */
  growth: { day: string; joined: number; left: number }[];
  errors: { code: number; count: number }[];
  endpoints: Endpoint[];
}

/** Posts of one client's endpoint in the last 24 hours, by 20 minutes, the oldest first: 72 of them. */
export interface Endpoint {
  clientId: string;
  slots: { taken: number; failed: number }[];
  failing: { since: string; taken: number; posted: number } | null;
  /** The posts of the seven days before today. */
  before: { taken: number; posted: number };
  p95Milliseconds: number | null;
  lastFailure: { at: string; httpStatus: number | null; outcome: string; response: string | null } | null;
  requestsToday: { accepted: number; errors: { code: number; count: number }[] };
}
