// What the overview shows. answers.ts says how to read this.

/** GET /operator/overview?website= */
export interface Overview {
  /** What came before is counted; null: nothing is yet. */
  asOf: string | null;
  /** Whether a text was accepted in 30 days. */
  hasTexts: boolean;
  /** `overdue`: waiting texts that are not held, but for those of the last two minutes; null: too many are pending to tell. */
  needs: { overdue: number | null; held: number | null; toDecide: number; problems: number };
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

/** What has become of accepted texts; null: too many are pending to tell. `held` is a part of `waiting`. */
export interface Traffic {
  accepted: number;
  scheduled: number | null;
  waiting: number | null;
  held: number | null;
  notSubscribed: number;
  endedBefore: number;
  notTaken: number;
  sent: number;
  noReceipt: number;
  delivered: number;
  undelivered: number;
}

export interface Minute extends Traffic {
  at: string;
}

/** A day, as the charts read it. */
export interface Day extends Pick<Traffic, "accepted" | "sent" | "delivered" | "undelivered"> {
  day: string;
  clicked: number;
  optedOut: number;
}

export interface DayWithGrowth extends Traffic, Day {
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

/** Where no span is named, of the last hour. */
export interface WebsiteNow extends Traffic {
  websiteId: string;
  name: string;
  today: Traffic;
  /** The last 30 days. */
  month: Traffic;
  /** As in `needs`. */
  overdue: number | null;
  waitsFor: string | null;
  optedOut30Days: number;
  failingEndpoints: number;
}

export interface CarrierNow extends Pick<Traffic, "sent" | "noReceipt" | "delivered" | "undelivered"> {
  carrier: string;
  waiting: number;
  state: "accepting" | "refusing" | "paused" | "failing" | "not-set-up" | "idle";
}
