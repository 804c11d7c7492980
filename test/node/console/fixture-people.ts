import type {
  ImportAnswer,
  ImportList,
  InboundPage,
  InboundText,
  Person,
  PersonMessage,
  SubscriberPage,
} from "../../../console/answers.ts";
import { MARKUP, minutesAgo } from "./fixture-clock.ts";

const FROM = "+1206•••••42";

const text = (id: string, words: string, receivedAt: string, more: Partial<InboundText> = {}): InboundText => ({
  from: FROM,
  to: "+15035550107",
  text: words,
  keyword: null,
  maybeOptOut: false,
  withoutEffect: null,
  carrier: "kannel",
  carrierMessageId: id,
  receivedAt,
  decided: null,
  ...more,
});

const message = (
  index: number,
  acceptedAt: string,
  words: string,
  more: Partial<PersonMessage> = {},
): PersonMessage => ({
  messageId: `0197c2ab-71d4-4e0b-8a01-${String(index).padStart(12, "0")}`,
  websiteId: "harbor-coffee",
  acceptedAt,
  status: "DELIVERED",
  reason: null,
  reasonDetail: null,
  sendPurpose: "loyalty-points",
  text: words,
  clickedAt: null,
  ...more,
});

const SITE = {
  phone: FROM,
  email: null,
  optOutConfirmedAt: null,
  faults: null,
  messageCount: 0,
  texts: [],
  changes: [],
};

export const person = (): Person => ({
  personId: "p-ada",
  phone: FROM,
  websites: [
    {
      ...SITE,
      websiteId: "harbor-coffee",
      websiteName: "Harbor Coffee",
      subscribed: true,
      email: "a•••@example.com",
      optedOutByPerson: false,
      changes: [
        {
          changeId: 1204,
          from: null,
          to: true,
          at: "2026-10-12T07:20:11Z",
          addressChanged: false,
          source: "import",
          proof: "import",
          consentedAt: "2026-10-11T15:02:00Z",
          evidence: `Loyalty card form, box ticked, store 14 ${MARKUP}`,
        },
      ],
      texts: [text("SM2", `Is the Pier 14 store open on Sunday? ${MARKUP}`, "2026-11-19T02:00:00Z")],
    },
    {
      ...SITE,
      websiteId: "northwind",
      websiteName: "Northwind Outfitters",
      subscribed: false,
      optedOutByPerson: true,
      optOutConfirmedAt: "2026-11-21T17:02:46Z",
      messageCount: 140,
      changes: [
        {
          changeId: 90_217,
          from: true,
          to: false,
          at: "2026-11-21T17:02:44.300Z",
          addressChanged: false,
          source: "keyword",
          proof: "Stop please!",
        },
        {
          changeId: 4,
          from: null,
          to: true,
          at: "2026-03-03T10:48:20Z",
          addressChanged: false,
          source: "api",
          proof: "client klaviyo",
        },
      ],
      texts: [text("SM1", "Stop please!", "2026-11-21T17:02:44Z", { keyword: "stop" })],
    },
  ],
  messages: [
    message(1, minutesAgo(21), "Northwind: Winter sale", {
      websiteId: "northwind",
      status: "NOT_SUBSCRIBED",
      reason: "OPTED_OUT",
      sendPurpose: "winter-sale",
    }),
    message(
      2,
      minutesAgo(51),
      "Harbor Coffee: Ada, you have 240 points. That is a free flat white: hrbr.example/l/7Kq2 Reply STOP to end.",
      { clickedAt: minutesAgo(34) },
    ),
    message(
      3,
      "2026-11-21T17:01:10Z",
      "Northwind: Early access to the winter sale starts now. nwo.example/l/k2 STOP to end",
      { websiteId: "northwind", sendPurpose: "early-access" },
    ),
    message(4, "2026-11-19T01:10:02Z", "Harbor Coffee: Ada, you have 220 points. Reply STOP to end."),
  ],
});

export const unknownPerson = (): Person => ({
  personId: "p-nobody",
  phone: "+1206•••••00",
  websites: [],
  messages: [],
});

export const subscribers = (): SubscriberPage => ({
  total: 46_522,
  next: "older",
  subscribers: [
    {
      personId: "p-ada",
      phone: FROM,
      email: `a•••@example.com ${MARKUP}`,
      subscribed: true,
      since: "2026-10-12T07:20:11Z",
      source: "import",
    },
    {
      personId: "p-kim",
      phone: "+1206•••••33",
      email: null,
      subscribed: false,
      since: "2026-11-20T09:12:00Z",
      source: "keyword",
    },
  ],
});

export const inbound = (): InboundPage => ({
  next: "older",
  toDecide: 3,
  texts: [
    {
      ...text("SM5", `please stop texting me at night ${MARKUP}`, minutesAgo(30), { maybeOptOut: true }),
      websiteId: "northwind",
      websiteName: "Northwind Outfitters",
      personId: "p-lee",
      inReplyTo: { messageId: "0197c2ab-71d4-4e0b-8a01-000000000007", sendPurpose: "winter-sale" },
    },
    {
      ...text("SM6", "Do not stop, I like these", minutesAgo(65), { maybeOptOut: true }),
      websiteId: "harbor-coffee",
      websiteName: "Harbor Coffee",
      personId: "p-pat",
      decided: { optOut: false, operator: "grace", at: minutesAgo(20) },
      inReplyTo: null,
    },
    {
      ...text("SM1", "Stop please!", "2026-11-21T17:02:44Z", { keyword: "stop" }),
      websiteId: "northwind",
      websiteName: "Northwind Outfitters",
      personId: "p-ada",
      inReplyTo: null,
    },
    {
      ...text("SM7", "STOP", "2026-11-20T17:02:44Z", { keyword: "stop", withoutEffect: "no-website" }),
      websiteId: null,
      websiteName: null,
      inReplyTo: null,
    },
    {
      ...text("SM2", "Is the Pier 14 store open on Sunday?", "2026-11-19T02:00:00Z"),
      websiteId: "harbor-coffee",
      websiteName: "Harbor Coffee",
      personId: "p-ada",
      inReplyTo: null,
    },
  ],
});

export const imported = (): ImportAnswer => ({
  importId: "5f0c5a9e-7d0d-4d6c-9c39-0f5f6c1e8a11",
  columns: { phone: "phone_numbers", email: "email", subscribed: null },
  ignoredColumns: ["store_id", "points"],
  imported: 49_316,
  newSubscribed: 47_795,
  newOptedOut: 11,
  becameSubscribed: 1100,
  becameOptedOut: 4,
  newAddress: 100,
  unchanged: 306,
  keptUnsubscribed: 310,
  unreadableOptOuts: 0,
  invalidPhoneNumbers: Array.from({ length: 37 }, (_, index) => `206 555 01${index + 10}`),
  rows: 49_663,
  refused: 37,
  repeated: 0,
  separator: ",",
  invalidCells: [{ line: 4, column: "phone_numbers", value: "1.2065550E+10", message: "has no +" }],
  preview: [
    {
      line: 2,
      phone: "+12065550142",
      email: "ada@example.com",
      consentedAt: null,
      evidence: null,
      becomes: "unchanged",
      reason: null,
    },
    {
      line: 3,
      phone: "+12065550177",
      email: "kim@example.com",
      consentedAt: null,
      evidence: null,
      becomes: "newSubscribed",
      reason: null,
    },
    {
      line: 4,
      phone: "1.2065550E+10",
      email: "lee@example.com",
      consentedAt: null,
      evidence: null,
      becomes: "refused",
      reason: "A spreadsheet has shortened the number",
    },
    {
      line: 5,
      phone: "+12065550158",
      email: MARKUP,
      consentedAt: null,
      evidence: null,
      becomes: "keptUnsubscribed",
      reason: "Texted STOP on 2 Nov",
    },
    {
      line: 6,
      phone: "206 555 0133",
      email: "pat@example.com",
      consentedAt: null,
      evidence: null,
      becomes: "refused",
      reason: "The country code is missing: +1?",
    },
  ],
});

export const imports = (): ImportList => ({
  imports: [
    {
      importId: "i1",
      websiteId: "harbor-coffee",
      websiteName: "Harbor Coffee",
      file: "till-october.csv",
      operator: "grace",
      at: "2026-10-12T07:20:00Z",
      rows: 4654,
      newSubscribed: 4614,
      newOptedOut: 20,
      becameSubscribed: 0,
      becameOptedOut: 3,
      keptUnsubscribed: 31,
      refused: 9,
      undoneAt: null,
    },
    {
      importId: "i2",
      websiteId: "northwind",
      websiteName: "Northwind Outfitters",
      file: `old-list.csv ${MARKUP}`,
      operator: "ada",
      at: "2026-09-02T07:20:00Z",
      rows: 812,
      newSubscribed: 800,
      newOptedOut: 0,
      becameSubscribed: 0,
      becameOptedOut: 0,
      keptUnsubscribed: 2,
      refused: 10,
      undoneAt: "2026-09-02T09:00:00Z",
    },
  ],
  next: null,
});
