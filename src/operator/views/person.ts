import type { Deps } from "../../deps.ts";
import { toDigits } from "../../domain/people/phone.ts";
import { CLIENT_ID, MESSAGE_ID, PHONE, TIME } from "../../http/examples.ts";
import { toTime } from "../../http/time.ts";
import type { FoundMessage } from "../../store/messages/find-messages.ts";
import type { Erased } from "../../store/people/erasure.ts";
import type { InboundText } from "../../store/people/inbound.ts";
import type { Person, SubscriptionEntry } from "../../store/people/person.ts";
import { readRecords, type StoredNotice } from "../../store/people/person-records.ts";
import type { PeopleAnswers } from "../answers/people.ts";
import { INBOUND_TEXT, textView } from "../inbound.ts";
import { MESSAGE, messageView } from "./message.ts";

export const PERSON = {
  phone: PHONE,
  subscribed: false,
  email: "ada@example.com",
  optedOutByPerson: true,
  optOutConfirmedAt: TIME,
  faults: null,
  changes: [
    {
      changeId: 7,
      from: true,
      to: false,
      addressChanged: false,
      at: TIME,
      source: "keyword",
      proof: INBOUND_TEXT.text,
    },
  ],
  texts: [INBOUND_TEXT],
} satisfies Omit<PeopleAnswers["Person"], "messageCount">;

export const EVERYWHERE = {
  phone: PHONE,
  websites: [{ websiteId: "brand", websiteName: "The Brand", ...PERSON, messageCount: 1 }],
  messages: [
    {
      ...{ messageId: MESSAGE_ID, websiteId: "brand", acceptedAt: TIME, status: "DELIVERED", reason: null },
      ...{ reasonDetail: null, sendPurpose: "spring-sale_01", text: "Brand: hello", clickedAt: null },
    },
  ],
} satisfies PeopleAnswers["PersonEverywhere"];

export const EXPORT = {
  phone: PHONE,
  exportedAt: TIME,
  websites: [
    {
      ...{ websiteId: "brand", ...PERSON, messages: [MESSAGE], isCut: false },
      duplicateKeys: [{ messageId: MESSAGE_ID, expiresAt: TIME }],
      notices: [
        {
          ...{ noticeId: "a-notice", clientId: CLIENT_ID, type: "message.received", occurredAt: TIME, callback: null },
          body: { from: PHONE, to: INBOUND_TEXT.to, text: INBOUND_TEXT.text },
        },
      ],
    },
  ],
} satisfies PeopleAnswers["PersonExport"];

export function changeView({
  wasSubscribed,
  subscribed,
  changedAt,
  consentedAt,
  emailBefore: _,
  ...entry
}: SubscriptionEntry) {
  const change = { from: wasSubscribed, to: subscribed, at: toTime(changedAt), ...entry };
  return consentedAt ? { ...change, consentedAt: toTime(consentedAt) } : change;
}

/** @param person undefined for a number that was never subscribed or opted out */
export function personView(phone: string, person: Person | undefined, texts: InboundText[]) {
  return {
    phone,
    subscribed: person?.subscribed ?? false,
    email: person?.email ?? null,
    optedOutByPerson: person?.optedOutByPerson ?? false,
    optOutConfirmedAt: toTime(person?.optOutConfirmedAt ?? null),
    faults: person?.faults ? { ...person.faults, unreachableSince: toTime(person.faults.unreachableSince) } : null,
    changes: (person?.changes ?? []).map(changeView),
    texts: texts.map(textView),
  };
}

export function erasedView(erased: Erased[]) {
  if (erased.length === 0) return {};
  const views = erased.map(({ websiteId, lastStopAt }) => ({ websiteId, lastStopAt: toTime(lastStopAt) }));
  return { erased: views };
}

export function sentView(message: FoundMessage): PeopleAnswers["PersonEverywhere"]["messages"][number] {
  const { messageId, websiteId, acceptedAt, status, reason, reasonDetail, sendPurpose, text, clickedAt } = message;
  const times = { acceptedAt: toTime(acceptedAt), clickedAt: toTime(clickedAt) };
  return { messageId, websiteId, ...times, status, reason, reasonDetail, sendPurpose, text };
}

export async function readWebsite(deps: Deps, websiteId: string, phone: string) {
  const records = await readRecords(deps.db, websiteId, toDigits(phone), phone);
  const { person, messages, texts, notices, duplicateKeys, isCut } = records;
  return {
    websiteId: websiteId || null,
    ...personView(phone, person, texts),
    changes: (person?.changes ?? []).map(({ emailBefore, ...change }) => ({
      ...changeView(change),
      ...(emailBefore === undefined ? {} : { emailBefore }),
    })),
    messages: messages.map((message) => messageView(message, deps.now())),
    notices: notices.map(noticeView),
    duplicateKeys: duplicateKeys.map(({ messageId, expiresAt }) => ({ messageId, expiresAt: toTime(expiresAt) })),
    isCut,
  };
}

function noticeView({ occurredAt, callback, ...notice }: StoredNotice) {
  const attempt = callback && { ...callback, attemptedAt: toTime(callback.attemptedAt) };
  return { ...notice, occurredAt: toTime(occurredAt), callback: attempt };
}
