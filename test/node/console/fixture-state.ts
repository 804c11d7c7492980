import type {
  AccountList,
  CarrierNow,
  DatabaseList,
  DeadJobList,
  HoldList,
  Minute,
  Overview,
  PastProblem,
  Problem,
  SessionList,
  TokenList,
  Waiting,
  WebsiteNow,
} from "../../../console/answers.ts";
import { ago, DAY, MARKUP, MINUTE, minutesAgo, NOW } from "./fixture-clock.ts";

/** The same numbers with each run. */
const noise = (index: number) => Math.abs(Math.sin(index * 12.9898) * 43758.5453) % 1;

export const TRAFFIC: WebsiteNow["month"] = {
  ...{ accepted: 0, scheduled: 0, waiting: 0, held: 0, notSubscribed: 0, endedBefore: 0, notTaken: 0 },
  ...{ sent: 0, noReceipt: 0, delivered: 0, undelivered: 0 },
};

const minutes: Minute[] = Array.from({ length: 60 }, (_, index) => {
  const at = new Date(Math.floor(NOW / MINUTE) * MINUTE - (59 - index) * MINUTE).toISOString();
  const isCampaign = index >= 25 && index < 52;
  const accepted = Math.round((isCampaign ? 70 : 26) + noise(index) * 12);
  const waiting = index >= 35 ? Math.round(accepted * (isCampaign ? 0.7 : 0.3)) : 0;
  const undelivered = noise(index + 7) > 0.7 ? 2 : 0;
  const noReceipt = index > 50 ? 1 : 0;
  const delivered = accepted - waiting - undelivered - noReceipt;
  return { at, ...TRAFFIC, accepted, sent: accepted - waiting, delivered, undelivered, noReceipt, waiting };
});

const days = Array.from({ length: 30 }, (_, index) => {
  const isToday = index === 29;
  const isSale = [8, 14, 21].includes(index);
  const accepted = Math.round((isSale ? 13_000 : 5200) + noise(index + 3) * 1800);
  const sent = isToday ? 2800 : accepted;
  const undelivered = Math.round(sent * (index === 16 ? 0.085 : 0.014));
  const clicked = Math.round(sent * (0.03 + noise(index) * 0.03));
  const day = new Date(NOW - (29 - index) * DAY).toISOString().slice(0, 10);
  const optedOut = Math.round(sent / 420);
  const growth = { joined: isSale ? 610 : Math.round(120 + noise(index + 5) * 90), parted: optedOut * 2 };
  const delivered = sent - undelivered;
  return { day, ...TRAFFIC, accepted, sent, delivered, undelivered, clicked, optedOut, ...growth };
});

export const NO_SUBJECT = {
  carrier: null,
  sender: null,
  websiteId: null,
  clientId: null,
  host: null,
  database: null,
  cause: null,
  nextTryAt: null,
};

export const problems: Problem[] = [
  {
    ...NO_SUBJECT,
    problem: "carrier-credentials",
    since: minutesAgo(24),
    carrier: "kannel",
    cause: `403 Authorization failed for sendsms ${MARKUP}`,
    websiteNames: ["Northwind Outfitters"],
    affected: 950,
    clientName: null,
    timeZone: "America/Los_Angeles",
  },
  {
    ...NO_SUBJECT,
    problem: "endpoint-failing",
    since: minutesAgo(113),
    websiteId: "harbor-coffee",
    clientId: "4b1f09d24b1f09d24b1f09d24b1f2d58",
    clientName: "braze",
    host: "hooks.harborcoffee.example",
    cause: '500 {"error":"upstream connect error"}',
    websiteNames: ["Harbor Coffee"],
    timeZone: null,
    affected: 214,
  },
];

const past = (problem: string, began: string, ended: string | null, more: Partial<PastProblem> = {}): PastProblem => ({
  problem,
  carrier: null,
  websiteId: null,
  clientId: null,
  cause: null,
  websiteName: null,
  clientName: null,
  host: null,
  database: null,
  began,
  ended,
  ...more,
});

const lastProblems = [
  past("carrier-credentials", minutesAgo(24), null, { carrier: "kannel" }),
  past("endpoint-failing", minutesAgo(113), null, { clientName: "braze", websiteName: "Harbor Coffee" }),
  past("carrier-paused", "2026-11-22T18:30:00Z", "2026-11-22T18:52:00Z", { carrier: "kannel" }),
  past("database-filling", "2026-11-20T05:00:00Z", "2026-11-20T09:14:00Z", { database: "DB" }),
];

export const websitesNow: WebsiteNow[] = [
  {
    websiteId: "harbor-coffee",
    name: "Harbor Coffee",
    ...{ ...TRAFFIC, accepted: 1348, sent: 1348, delivered: 1327, undelivered: 16, noReceipt: 5 },
    today: { ...TRAFFIC, accepted: 2071, sent: 2071, delivered: 2040, undelivered: 31 },
    month: { ...TRAFFIC, accepted: 79_446, sent: 79_446, delivered: 78_300, undelivered: 1146 },
    overdue: 0,
    waitsFor: null,
    optedOut30Days: 191,
    failingEndpoints: 1,
  },
  {
    websiteId: "northwind",
    name: "Northwind Outfitters",
    ...{ ...TRAFFIC, accepted: 1570, waiting: 950, sent: 620, delivered: 604, undelivered: 12, noReceipt: 4 },
    today: { ...TRAFFIC, accepted: 1841, waiting: 950, sent: 891, delivered: 879, undelivered: 12 },
    month: { ...TRAFFIC, accepted: 101_200, waiting: 950, sent: 100_250, delivered: 99_000, undelivered: 1250 },
    overdue: 950,
    waitsFor: "kannel",
    optedOut30Days: 402,
    failingEndpoints: 0,
  },
];

const carriers: CarrierNow[] = [
  {
    carrier: "twilio",
    sent: 1348,
    delivered: 1327,
    undelivered: 16,
    noReceipt: 5,
    waiting: 0,
    state: "accepting",
  },
  { carrier: "kannel", sent: 620, delivered: 604, undelivered: 12, noReceipt: 4, waiting: 950, state: "refusing" },
];

export function overview(website: string | null): Overview {
  const whole: Overview = {
    asOf: ago(0),
    hasTexts: true,
    needs: { overdue: 950, held: 0, toDecide: 3, problems: 2 },
    problems,
    lastProblems,
    minutes,
    hour: { oldestWithoutReceiptSeconds: 240 },
    days,
    websites: websitesNow,
    isCut: false,
    carriers,
  };
  return website === null ? whole : { ...whole, websites: websitesNow.filter((it) => it.websiteId === website) };
}

/** Without a problem: what most days look like. */
export const emptyOverview = (): Overview => ({
  ...overview(null),
  hasTexts: false,
  needs: { overdue: 0, held: 0, toDecide: 0, problems: 0 },
  problems: [],
  lastProblems: [],
  minutes: minutes.map(({ at }) => ({ at, ...TRAFFIC })),
  hour: { oldestWithoutReceiptSeconds: null },
  days: days.map(({ day }) => ({
    ...{ day, ...TRAFFIC, clicked: 0, optedOut: 0, joined: 0, parted: 0 },
  })),
  websites: [],
  carriers: [],
});

const WAITS = {
  clientId: "aa11",
  kind: "marketing",
  why: "carrier",
  carrier: "kannel",
  cause: "kannel refuses",
  nextTryAt: new Date(NOW + 48_000).toISOString(),
  held: null,
  opensAt: null,
  hours: null,
} as const;
const until = (minutes: number) => new Date(NOW + minutes * MINUTE).toISOString();

const HELD = {
  ...{ holdId: "0197c2ab-71d4-4e0b-8a01-0000000000a1", sendPurpose: "loyalty-nudge", clientId: null },
  ...{ by: "ada", since: "2026-11-24T17:10:00Z", reason: `wrong text ${MARKUP}` },
};

export const holds = (website: string | null): HoldList => ({
  holds: [
    { ...HELD, websiteId: "harbor-coffee", texts: 140 },
    {
      ...{ ...HELD, holdId: "0197c2ab-71d4-4e0b-8a01-0000000000a2", websiteId: "harbor-coffee", texts: 0 },
      ...{ sendPurpose: "sprng", reason: null },
    },
  ].filter(({ websiteId }) => website === null || websiteId === website),
});

export const waiting = (): Waiting => ({
  asOf: ago(0),
  isCut: false,
  groups: [
    {
      websiteId: "northwind",
      name: "Northwind Outfitters",
      timeZone: "America/Los_Angeles",
      isCut: false,
      rows: [
        {
          ...WAITS,
          sendPurpose: "winter-sale",
          clientName: "klaviyo",
          count: 871,
          oldestAt: minutesAgo(24),
          endsAt: until(216),
        },
        {
          ...WAITS,
          sendPurpose: "order-shipped",
          clientName: "shopify",
          kind: "transactional",
          count: 65,
          oldestAt: minutesAgo(23),
          endsAt: until(217),
        },
        {
          ...WAITS,
          sendPurpose: `back-in-stock ${MARKUP}`,
          clientName: "klaviyo",
          count: 14,
          oldestAt: minutesAgo(9),
          endsAt: until(231),
        },
      ],
    },
    {
      websiteId: "harbor-coffee",
      name: "Harbor Coffee",
      timeZone: "America/Los_Angeles",
      isCut: false,
      rows: [
        {
          ...WAITS,
          sendPurpose: "loyalty-nudge",
          clientName: "braze",
          count: 140,
          why: "held",
          cause: null,
          nextTryAt: null,
          held: HELD,
          oldestAt: minutesAgo(95),
          endsAt: until(145),
        },
        {
          ...WAITS,
          sendPurpose: "morning-offer",
          clientName: "braze",
          count: 2310,
          why: "scheduled",
          cause: null,
          nextTryAt: null,
          opensAt: "2026-11-25T17:00:00Z",
          oldestAt: minutesAgo(300),
          endsAt: "2026-11-25T21:00:00Z",
        },
      ],
    },
  ],
});

export const nothingWaits = (): Waiting => ({ asOf: ago(0), isCut: false, groups: [] });

export const deadJobs = (): DeadJobList => ({
  deadJobs: [
    {
      id: "8f1c2b3a4d5e6f708192a3b4c5d6e7f8",
      queue: "textgate-messages",
      body: { kind: "deliver", messageIds: ["5f0c5a9e-7d0d-4d6c-9c39-0f5f6c1e8a11"] },
      diedAt: minutesAgo(190),
      error: `TypeError: carrier.submit is not a function ${MARKUP}`,
      putBackAt: null,
    },
    {
      id: "9f1c2b3a4d5e6f708192a3b4c5d6e7f9",
      queue: "textgate-receipts",
      body: { kind: "receipts" },
      diedAt: minutesAgo(2900),
      error: "D1_ERROR: no such column: reason",
      putBackAt: minutesAgo(2000),
    },
  ],
});

const SWEPT = { sweptAt: ago(0), sweepAgeSeconds: 0 };

export const databases = (): DatabaseList => ({
  databases: [
    {
      database: "DB",
      status: "ok",
      bytes: 7_400_000_000,
      limitBytes: 10_000_000_000,
      bytesPerDay: 81_000_000,
      daysLeft: 32,
      websites: 12,
      schemaVersion: "0001_schema.sql",
      ...SWEPT,
    },
    {
      database: "DB_2",
      status: "ok",
      bytes: 410_000_000,
      limitBytes: 10_000_000_000,
      bytesPerDay: 2_000_000,
      daysLeft: 4795,
      websites: 3,
      schemaVersion: "0001_schema.sql",
      ...SWEPT,
    },
  ],
});

const ACCOUNT = {
  ...{
    carrier: "twilio" as const,
    settings: { accountSid: "AC0123456789abcdef0123456789abcdef" },
    secrets: ["authToken"],
  },
  ...{ isReadable: true, webhooks: null, createdAt: "2026-10-01T09:00:00Z", updatedAt: "2026-11-20T09:00:00Z" },
} as const;

export const accounts = (): AccountList => ({
  accounts: [
    { ...ACCOUNT, name: "harbor", websiteIds: ["harbor-coffee"] },
    { ...ACCOUNT, name: "northwind", websiteIds: [], isReadable: false },
  ].map((account) => ({ ...account, secrets: [...account.secrets] })),
});

export const emptyDatabases = (): DatabaseList => ({
  databases: [
    {
      database: "DB",
      status: "ok",
      bytes: 90_000,
      limitBytes: 10_000_000_000,
      bytesPerDay: null,
      daysLeft: null,
      websites: 0,
      schemaVersion: "0001_schema.sql",
      ...SWEPT,
    },
  ],
});

export const tokens = (): TokenList => ({
  tokens: [
    { name: "ada", role: "operator", createdAt: "2026-06-03T08:00:00Z", createdBy: "OPERATOR_TOKEN", endsAt: null },
    { name: "grace", role: "viewer", createdAt: "2026-11-02T08:00:00Z", createdBy: "ada", endsAt: null },
  ],
});

export const sessions = (): SessionList => ({
  sessions: [
    {
      sessionId: "s1",
      operator: "ada",
      role: "operator",
      createdAt: minutesAgo(65),
      lastUsedAt: minutesAgo(0),
      expiresAt: until(655),
      isThis: true,
    },
    {
      sessionId: "s2",
      operator: "grace",
      role: "viewer",
      createdAt: minutesAgo(300),
      lastUsedAt: minutesAgo(40),
      expiresAt: until(420),
      isThis: false,
    },
  ],
});
