import type {
  Client,
  Posts,
  Report,
  ReportRow,
  SenderList,
  TestEvent,
  WebsiteList,
  WebsiteWithClients,
} from "../../../console/answers.ts";
import { REASONS } from "../../../src/domain/messages/reason.ts";
import { auditEntries } from "./fixture-audit.ts";
import { ago, MARKUP, MINUTE, minutesAgo, NOW } from "./fixture-clock.ts";
import { TRAFFIC } from "./fixture-state.ts";

const CREATED = { createdAt: "2026-03-03T10:00:00Z", updatedAt: "2026-11-24T01:05:00Z" };

const harbor = {
  ...CREATED,
  websiteId: "harbor-coffee",
  database: "DB",
  name: "Harbor Coffee",
  carrier: "twilio",
  sender: "+12065550100",
  helpText: "Harbor Coffee: call 206 555 0100.",
  duplicateWindowHours: null,
  optOutWords: null,
  timeZone: "America/Los_Angeles",
  allowedCountries: null,
  linkOrigin: null,
  frequencyCap: { count: 3, hours: 24 },
  transactionalPurposes: null,
  sendingHours: { profile: "us-strict" as const, whenClosed: "delay" as const },
  fallback: null,
  dailyLimit: null,
  unreachableAfter: 3,
  holds: [
    {
      ...{ holdId: "0197c2ab-71d4-4e0b-8a01-0000000000a1", sendPurpose: "loyalty-nudge", clientId: null },
      ...{ since: minutesAgo(535), by: "ada", reason: "wrong text" },
    },
  ],
};

export const list = (): WebsiteList => ({
  websites: [
    harbor,
    {
      ...harbor,
      websiteId: "northwind",
      name: "Northwind Outfitters",
      carrier: "kannel",
      sender: "+15035550107",
      holds: [],
    },
  ],
});

export const senders = (): SenderList => ({
  senders: [
    {
      ...{
        carrier: "kannel",
        sender: "+15035550107",
        websites: ["northwind"],
        messagesPerMinute: null,
        messagesPerDay: null,
      },
      ...{
        waiting: 871,
        pausedUntil: minutesAgo(-4),
        why: "kannel keeps failing: its circuit breaker is open (HTTP 403)",
      },
    },
    {
      ...{
        carrier: "twilio",
        sender: "+12065550100",
        websites: ["harbor-coffee"],
        messagesPerMinute: 75,
        messagesPerDay: 2000,
      },
      ...{ waiting: 12, pausedUntil: null, why: null },
    },
  ],
});

const BRAZE = "4b1f09d24b1f09d24b1f09d24b1f2d58";

/** 20 minutes each, up to 03:20 in Berlin. */
const slotAt = (index: number) => ago(NOW - Date.parse("2026-11-25T02:20:00Z") + (72 - index) * 20 * MINUTE);

const posts: Posts = {
  slots: Array.from({ length: 72 }, (_, index) => ({
    at: slotAt(index),
    ...(index < 66 ? { taken: 20 + ((index * 13) % 24), failed: index === 23 ? 4 : 0 } : { taken: 0, failed: 36 }),
  })),
  meanMilliseconds: 84,
  slowestMilliseconds: 920,
  failing: { since: minutesAgo(113), failures: 214 },
  lastFailure: {
    at: ago(29_000),
    httpStatus: 500,
    outcome: "answered",
    response: `{"error":"upstream connect error or disconnect/reset before headers"} ${MARKUP}`,
  },
};

const NO_POSTS: Posts = {
  slots: Array.from({ length: 72 }, (_, index) => ({ at: slotAt(index), taken: 0, failed: 0 })),
  meanMilliseconds: null,
  slowestMilliseconds: null,
  failing: null,
  lastFailure: null,
};

const clients: Client[] = [
  {
    clientId: BRAZE,
    websiteId: "harbor-coffee",
    name: "braze",
    callbackUrl: "https://hooks.harborcoffee.example/braze/textgate",
    operations: ["send", "status"],
    events: ["message.status"],
    suspended: false,
    createdAt: "2026-06-03T08:00:00Z",
    updatedAt: "2026-06-03T08:00:00Z",
    lastUsedAt: ago(11_000),
    rotatedAt: null,
    oldPairUntil: null,
    lastRefusal: { at: "2026-11-21T13:02:00Z", cause: "rate-exceeded" },
    posts,
    secrets: [{ endsIn: "9f21", since: "2026-06-03T08:00:00Z", validUntil: null, lastUsedAt: ago(11_000) }],
  },
  {
    clientId: "c07e51aac07e51aac07e51aac07e3b19",
    websiteId: "harbor-coffee",
    name: `pos-terminals ${MARKUP}`,
    callbackUrl: null,
    operations: ["send", "subscription", "subscribe"],
    events: [],
    suspended: false,
    createdAt: "2026-06-03T08:00:00Z",
    updatedAt: "2026-06-03T08:00:00Z",
    lastUsedAt: minutesAgo(4),
    rotatedAt: minutesAgo(95),
    oldPairUntil: "2026-11-26T00:30:00Z",
    lastRefusal: null,
    posts: NO_POSTS,
    secrets: [
      { endsIn: "07ce", since: minutesAgo(95), validUntil: null, lastUsedAt: null },
      { endsIn: "b31d", since: "2026-06-03T08:00:00Z", validUntil: "2026-11-26T00:30:00Z", lastUsedAt: minutesAgo(4) },
    ],
  },
];

const refusedRequests = [0, 0, 4, 9, 17].map((days, index) => ({
  day: new Date(NOW - days * 86_400_000).toISOString().slice(0, 10),
  code: index === 1 ? 42902 : 40001,
  requests: [12, 3, 140, 8, 31][index] ?? 0,
}));

export const one = (): WebsiteWithClients => ({
  ...{ ...harbor, dailyLimit: 20_000, dailyLimitUsed: 5914 },
  ...{ texts: { asOf: ago(0), ...TRAFFIC }, clients, refusedRequests, changes: auditEntries },
});
export const emptyOne = (): WebsiteWithClients => ({
  ...harbor,
  holds: [],
  helpText: null,
  timeZone: null,
  ...{ texts: { asOf: null, ...TRAFFIC }, dailyLimitUsed: null, clients: [], refusedRequests: [], changes: [] },
});

const days = Array.from({ length: 30 }, (_, index) => ({
  day: new Date(NOW - (29 - index) * 86_400_000).toISOString().slice(0, 10),
  sent: 100 * (index === 11 ? 88 : 16 + ((index * 7) % 17)),
}));

export const testEvent = (): TestEvent => ({
  eventId: "test_1",
  outcome: "answered",
  httpStatus: 500,
  response: '{"error":"upstream connect error"}',
  durationMilliseconds: 207,
});

const NO_REASONS = Object.fromEntries(REASONS.map((reason) => [reason, 0])) as Report["total"]["reasons"];

type Rates = [delivered: number, clicked: number, optedOut: number];

const countsOf = (sent: number, rates: Rates): Report["total"] => ({
  ...{ accepted: sent + 40, scheduled: 0, waiting: 0, held: 0, notSubscribed: 40, endedBefore: 0, notTaken: 0 },
  ...{ sent, noReceipt: 0 },
  delivered: Math.round(sent * rates[0]),
  undelivered: sent - Math.round(sent * rates[0]),
  failed: {
    FAILED_TO_SEND: 0,
    FAILED_TO_DELIVERY: Math.round(sent * (1 - rates[0])),
    NOT_FOUND: 0,
    NOT_SUBSCRIBED: 40,
    FAILED_TO_MATCH: 0,
  },
  clicked: Math.round(sent * rates[1]),
  clicks: Math.round(sent * rates[1] * 1.2),
  robotClicks: 12,
  optedOut: Math.round(sent * rates[2]),
  reasons: NO_REASONS,
  segments: sent,
});

const row = (of: Pick<ReportRow, "day" | "sendPurpose" | "country">, sent: number, rates: Rates): ReportRow => ({
  ...of,
  ...countsOf(sent, rates),
});

/** The rates of the days before are a little others. */
export function report(query: URLSearchParams): Report {
  const from = query.get("from") ?? "2026-10-27";
  const to = query.get("to") ?? "2026-11-25";
  const timeZone = query.get("timeZone") ?? "UTC";
  const about = { websiteId: "harbor-coffee", sendPurpose: query.get("purpose"), timeZone, asOf: ago(0), from, to };
  const total = countsOf(79_446, [0.984, 0.051, 0.0024]);
  if (query.get("by") === "day") {
    const rows = days.map(({ day, sent }) => row({ day }, sent, [0.985, 0.05, 0.002]));
    return { ...about, by: "day", rows, total };
  }
  if (query.get("by") === "country") {
    const counted: [string | null, number][] = [
      ["US", 70_020],
      ["CA", 9_400],
      [null, 26],
    ];
    const rows = counted.map(([country, sent]) => row({ country }, sent, [0.985, 0.05, 0.002]));
    return { ...about, by: "country", rows, total };
  }
  const isBefore = to < "2026-11-25";
  const rows = [
    row({ sendPurpose: "loyalty-points" }, 38_204, isBefore ? [0.985, 0.053, 0.0023] : [0.986, 0.061, 0.0018]),
    row({ sendPurpose: "morning-offer" }, 24_870, isBefore ? [0.982, 0.043, 0.0029] : [0.982, 0.039, 0.0031]),
    row({ sendPurpose: "pickup-ready" }, 11_962, isBefore ? [0.987, 0, 0.0001] : [0.989, 0, 0.0001]),
    row({ sendPurpose: `loyalty-nudge ${MARKUP}` }, 4410, isBefore ? [0.982, 0.041, 0.0033] : [0.971, 0.022, 0.0074]),
  ];
  return { ...about, by: "purpose", rows, total };
}

export const emptyReport = (): Report => ({
  ...{ websiteId: "harbor-coffee", sendPurpose: null, timeZone: "UTC", by: "purpose", asOf: ago(0) },
  from: "2026-10-27",
  to: "2026-11-25",
  rows: [],
  total: { ...countsOf(0, [0, 0, 0]), accepted: 0 },
});
