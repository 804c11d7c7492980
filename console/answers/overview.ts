// What the overview shows. answers.ts says how to read this.

/** GET /operator/overview?website= */
export interface Overview {
  asOf: string;
  /** Whether a text was ever accepted. */
  hasTexts: boolean;
  /** `waiting`: against the will only, neither held nor scheduled; null: it is not known how many are held. */
  needs: { waiting: number | null; toDecide: number; problems: number };
  problems: Problem[];
  /** The problems of the last seven days, the newest first, with those that are open. */
  lastProblems: PastProblem[];
  /** 60 of them, the oldest first, by the minute of acceptance. */
  minutes: Minute[];
  hour: { oldestWithoutReceiptSeconds: number | null };
  /** 30 of them, days of UTC, the oldest first; the last is today. */
  days: DayWithGrowth[];
  websites: WebsiteNow[];
  carriers: CarrierNow[];
  /** There are more websites than these. */
  isCut: boolean;
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

export interface DayWithGrowth extends Day {
  /** Numbers that were subscribed on the day, and that were unsubscribed or erased. */
  joined: number;
  parted: number;
}

/** `problem` is a code of GET /operator/health, and the subject is as there. */
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
  websiteNames: string[];
  clientName: string | null;
  /** Texts, callbacks or jobs, whatever the problem is of; null: nobody has counted them. */
  affected: number | null;
  timeZone: string | null;
}

export interface PastProblem {
  problem: string;
  carrier: string | null;
  websiteId: string | null;
  clientId: string | null;
  cause: string | null;
  websiteName: string | null;
  clientName: string | null;
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
  /** As in `needs`. */
  waiting: number | null;
  waitsFor: string | null;
  textsToday: number;
  failedToday: number;
  optedOut30Days: number;
  sent30Days: number;
  failingEndpoints: number;
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
