import type { FoundMessage, FoundMessages, Message, Status } from "../../../console/answers.ts";
import { ago, MARKUP, minutesAgo, NOW } from "./fixture-clock.ts";

interface Given extends Partial<FoundMessage> {
  status: Status;
  text: string;
}

function found1(index: number, secondsAgo: number, phone: string, given: Given): FoundMessage {
  return {
    messageId: `0197c2ab-71d4-4e0b-8a01-${String(index).padStart(12, "0")}`,
    websiteId: "harbor-coffee",
    websiteName: "Harbor Coffee",
    clientId: "4b1f09d24b1f09d24b1f09d24b1f2d58",
    reason: null,
    reasonDetail: null,
    phone,
    email: null,
    personId: `p-${index}`,
    sendPurpose: "loyalty-points",
    kind: "marketing",
    carrier: "twilio",
    attempts: 1,
    acceptedAt: ago(secondsAgo * 1000),
    updatedAt: ago(secondsAgo * 1000 - 2100),
    retryAt: null,
    scheduledFor: null,
    waits: null,
    ...{ mediaUrl: null, clickUrl: null, encoding: "GSM-7", segments: 1, carrierMessageId: null, claimedAt: null },
    ...{ expiresAt: null, timeZone: null, region: null },
    clickedAt: null,
    ...given,
  };
}

const NORTHWIND = { websiteId: "northwind", websiteName: "Northwind Outfitters", carrier: "kannel" };

export const found = (): FoundMessages => ({
  next: "older",
  lookedBackTo: ago(190_000_000),
  messages: [
    found1(1, 8, "+1503•••••71", {
      ...NORTHWIND,
      status: "PENDING_TO_SEND",
      text: "Northwind: Order 88214 is on its way. Track it: nwo.example/l/q8",
      sendPurpose: "order-shipped",
      attempts: 3,
      waits: { until: null, because: "403 Authorization failed" },
    }),
    found1(2, 11, "+1206•••••09", {
      status: "DELIVERED",
      text: "Harbor Coffee: Your order is ready at Pier 14.",
      sendPurpose: "pickup-ready",
    }),
    found1(3, 18, "+1206•••••33", {
      status: "SENDING",
      text: "Harbor Coffee: Kim, you have 120 points. Next reward at 150.",
    }),
    found1(4, 22, "+1425•••••90", {
      status: "FAILED_TO_DELIVERY",
      reason: "UNDELIVERED",
      text: `Harbor Coffee: Lee, you have 300 points. ${MARKUP}`,
    }),
    found1(5, 58, "+1206•••••58", {
      status: "NOT_SUBSCRIBED",
      text: "Harbor Coffee: Sam, you have 90 points.",
      sendPurpose: MARKUP,
    }),
    found1(6, 460, "+1971•••••27", {
      ...NORTHWIND,
      status: "FAILED_TO_SEND",
      reason: "FREQUENCY_CAP",
      text: "Northwind: Winter sale, 30% off all shells until Friday. nwo.example/l/p0Zu STOP to end",
    }),
    found1(7, 461, "+1503•••••80", {
      ...NORTHWIND,
      status: "FAILED_TO_SEND",
      reason: "CANCELLED",
      reasonDetail: "cancelled by its client",
      text: "Northwind: Winter sale, 30% off all shells until Friday. nwo.example/l/p0Zv STOP to end",
    }),
    found1(8, 5720, "+1206•••••14", {
      status: "PENDING_TO_SEND",
      text: "Harbor Coffee: 10 points are about to end.",
      sendPurpose: "loyalty-nudge",
      waits: {
        until: null,
        because: "an operator holds it",
        held: { by: "ada", since: minutesAgo(535), reason: null },
      },
    }),
    found1(9, 10_370, "+1360•••••66", {
      status: "SENDING",
      text: "Harbor Coffee: Pat, you have 60 points.",
      updatedAt: minutesAgo(172),
    }),
    found1(10, 190_000, "+49151•••••66", {
      status: "FAILED_TO_MATCH",
      phone: null,
      email: "joy@example.com",
      text: "Harbor Coffee: Joy, you have 10 points.",
    }),
  ],
});

const at = (seconds: number) => new Date(Date.parse("2026-11-25T01:14:04.800Z") + seconds * 1000).toISOString();
const ID = "0197c2ab-71d4-4e0b-8a01-00000000b7aa";

const BASE = {
  clientName: "braze",
  ignoredFields: null,
  clickUrl: "https://harborcoffee.example/points",
  callbackData: '{"profileID":"01H"}',
  claimedAt: at(0.2),
};

export const deliveredMessage = (): Message => ({
  ...found1(0, 3000, "+1206•••••42", {
    status: "DELIVERED",
    text: `Harbor Coffee: Ada, you have 240 points. That is a free flat white: hrbr.example/l/7Kq2 Reply STOP to end. ${MARKUP}`,
  }),
  ...BASE,
  messageId: ID,
  personId: "p-ada",
  websiteName: "Harbor Coffee",
  acceptedAt: at(0),
  updatedAt: at(4.2),
  carrierMessageId: "SM9f01020304050607c31e",
  submissions: [{ at: at(0.3), attempt: 1, outcome: "accepted", reason: null }],
  clicks: { people: 1, robots: 1, firstAt: at(1055) },
  events: [
    { eventId: `${ID}_SENDING`, eventType: "message.status", status: "SENDING", occurredAt: at(0.3) },
    { eventId: `${ID}_DELIVERED`, eventType: "message.status", status: "DELIVERED", occurredAt: at(4.2) },
  ],
  callbacks: [
    {
      eventId: `${ID}_SENDING`,
      attemptedAt: at(0.4),
      outcome: "answered",
      httpStatus: 500,
      response: `{"error":"upstream connect error"} ${MARKUP}`,
      durationMilliseconds: 212,
    },
    {
      eventId: `${ID}_DELIVERED`,
      attemptedAt: at(4.3),
      outcome: "answered",
      httpStatus: 500,
      response: null,
      durationMilliseconds: 198,
    },
  ],
  endsAt: null,
  consent: {
    subscribed: true,
    since: "2026-10-12T07:20:00Z",
    source: "import",
    operator: "ada",
    proof: "import till-october.csv",
    changeId: 90_001,
    consentedAt: "2026-10-11T15:02:00Z",
    evidence: `Loyalty card form, box ticked, store 14 ${MARKUP}`,
  },
  before: {
    messageId: "0197c2aa-0000-4000-8000-000000000001",
    acceptedAt: "2026-11-19T01:10:02Z",
    sendPurpose: "loyalty-points",
    status: "DELIVERED",
  },
  after: null,
});

export const waitingMessage = (): Message => ({
  ...deliveredMessage(),
  ...NORTHWIND,
  messageId: "0197c2c1-71d4-4e0b-8a01-0000000040fe",
  clientName: "klaviyo",
  status: "PENDING_TO_SEND",
  sendPurpose: "winter-sale",
  text: "Northwind: Winter sale, 30% off all shells until Friday. nwo.example/l/p0Zt STOP to end",
  acceptedAt: minutesAgo(24.2),
  updatedAt: minutesAgo(24.2),
  carrierMessageId: null,
  attempts: 5,
  waits: { until: new Date(NOW + 48_000).toISOString(), because: "403 Authorization failed for sendsms" },
  retryAt: new Date(NOW + 48_000).toISOString(),
  endsAt: new Date(NOW + 215.8 * 60_000).toISOString(),
  submissions: [24, 19, 13, 7, 0.2].map((minutes, index) => ({
    at: minutesAgo(minutes),
    attempt: index + 1,
    outcome: "unauthorized",
    reason: "403 Authorization failed for sendsms",
  })),
  clicks: { people: 0, robots: 0, firstAt: null },
  events: [],
  callbacks: [],
});
