// One minute of traffic: sends, receipts, callbacks, clicks, look-ups, changes of subscriptions, and much that is wrong.
import { randomBytes, randomUUID } from "node:crypto";
import { UNKNOWN } from "../../../../bench/look-up.ts";
import { RECEIPT, receiptUrlOf, type Submission } from "../../harness/fake-kannel.ts";
import { type Call, call } from "./call.ts";
import {
  ADDRESSES,
  addressAt,
  headersOf,
  LATER_NUMBER,
  NUMBERS,
  numberAt,
  type Place,
  SENDER,
  SPECIAL_NUMBERS,
  WEBHOOK_KEY,
} from "./place.ts";
import { settle } from "./settle.ts";

const BULK = 500;
const SINGLES = 60;
const TO_GATEWAY = 40;
/** Single sends with an Idempotency-Key; as many of those to the gateway are suppressed as duplicates. */
const WITH_KEY = 20;
export const MESSAGES_A_MINUTE = BULK + SINGLES + TO_GATEWAY;
/** Numbers whose subscription changes in a minute. */
const ROTATED = 50;
/** Every so many minutes come 50,000 look-ups, and a carrier that says "later". */
const SELDOM = 10;
const AT_ONCE = 8;

/** @returns by how many rows the ledger of subscriptions must have grown */
export async function runMinute(place: Place, minute: number): Promise<number> {
  await inTurns(sends(place, minute));
  await inTurns(lookUps(place, minute));
  await inTurns(wrongRequests(place));
  const changes = await changeSubscriptions(place, minute);
  await settle(place);
  await checkStored(place, minute);
  const texts = place.takenTexts();
  if (texts.length !== TO_GATEWAY) throw new Error(`the gateway has taken ${texts.length} of ${TO_GATEWAY} texts`);
  await inTurns(receipts(place, texts));
  await inTurns(clicks(place, texts));
  const byKeyword = await sendKeywords(place, minute);
  await eraseAndHear(place, minute);
  await inTurns(operatorCalls(place));
  await settle(place);
  await inTurns(receipts(place, place.takenTexts()));
  await settle(place);
  return changes + byKeyword;
}

async function inTurns(calls: Call[]): Promise<void> {
  const left = calls.values();
  const caller = async () => {
    for (const each of left) await call(each);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
}

function sends({ url, sandbox, gateway }: Place, minute: number): Call[] {
  const message = (fields: object, index: number) => ({
    text: `Brand: news ${index} of minute ${minute}, see https://shop.example.com/a?b=${index}`,
    callbackData: index % 2 === 0 ? JSON.stringify({ index, minute }) : "",
    sendPurpose: "soak",
    ...fields,
  });
  const post = (client: typeof sandbox, path: string, body: object, headers: object = {}): Call => ({
    url: `${url}${path}`,
    method: "POST",
    headers: { ...client.headers, ...headers },
    body: JSON.stringify(body),
    expect: 200,
  });
  const recipients = (count: number) =>
    Array.from({ length: count }, (_, index) => message(recipient(index, minute), index));
  const singles = recipients(SINGLES).map((body, index) => {
    const key = index < WITH_KEY ? { "idempotency-key": `${minute}-${index}` } : {};
    return post(sandbox, "/text/message/send", body, key);
  });
  const toGateway = Array.from({ length: TO_GATEWAY }, (_, index) => {
    const phone = numberAt((minute * TO_GATEWAY + index) % NUMBERS);
    const clickUrl = `https://shop.example.com/a?b=${index}`;
    return post(gateway, "/text/message/send", message({ phone, clickUrl, callbackData: "{}" }, index));
  });
  const bulk = { messages: [...recipients(BULK - 1), message({ phone: laterNow(minute) }, 0)] };
  const inBulk = post(sandbox, "/text/bulk/message/send", bulk, { "idempotency-key": `bulk-${minute % BULK_KEYS}` });
  // Repeated, each of them answers what it has answered, and nothing is sent again.
  return [...singles, inBulk, ...toGateway, ...singles.slice(0, WITH_KEY), ...toGateway.slice(0, WITH_KEY)];
}

function laterNow(minute: number): string {
  return minute % SELDOM === 0 ? LATER_NUMBER : numberAt(0);
}

/** Most are subscribers, in turn; some are not known, or found by an address, or not. */
function recipient(index: number, minute: number): { phone?: string; email?: string } {
  if (index % 20 === 1) return { phone: SPECIAL_NUMBERS[index % SPECIAL_NUMBERS.length] ?? "" };
  if (index % 50 === 2) return { phone: numberAt(UNKNOWN + index) };
  if (index % 50 === 3) return { email: addressAt(index % ADDRESSES) };
  if (index % 50 === 4) return { email: `nobody-${minute}@example.com` };
  return { phone: numberAt((minute * BULK + index) % NUMBERS) };
}

function lookUps({ url, sandbox }: Place, minute: number): Call[] {
  const ask = (body: object): Call => ({
    url: `${url}/text/subscription/status`,
    method: "POST",
    headers: sandbox.headers,
    body: JSON.stringify(body),
    expect: 200,
  });
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => numberAt(index * 7 + minute));
  const file = ["phone_numbers", ...numbers(minute % SELDOM === 0 ? 49_999 : 2_000), "no number"].join("\n");
  return [
    ...Array.from({ length: 10 }, (_, index) => ask({ phone_numbers: [numberAt(index)] })),
    ask({ phone_numbers: numbers(100) }),
    ask({ csv_file: Buffer.from(file).toString("base64") }),
  ];
}

function wrongRequests({ url, sandbox }: Place): Call[] {
  const post = (path: string, body: string, expect: number, headers: object = {}): Call => ({
    url: `${url}${path}`,
    method: "POST",
    headers: { ...sandbox.headers, ...headers },
    body,
    expect,
  });
  const hex = (bytes: number) => randomBytes(bytes).toString("hex");
  // Minutes pass in seconds: of one address, the limit of guesses would refuse most of them.
  const address = () => ({ "cf-connecting-ip": `2001:${hex(2)}:${hex(2)}::1` });
  const strangers = Array.from({ length: 20 }, () =>
    post("/text/message/send", "{}", 401, { ...headersOf(hex(16), hex(32)), ...address() }),
  );
  return [
    ...strangers,
    post("/text/message/send", "{}", 401, { "x-client-secret": hex(32), ...address() }),
    post("/text/message/send", "{}", 401, { "x-client-id": "", ...address() }),
    post("/text/message/send", "{", 400),
    post("/text/message/send", '{"phone":"1"}', 400),
    post("/text/message/send", "{}", 415, { "content-type": "text/plain" }),
    post("/text/message/send", JSON.stringify({ text: "x".repeat(200_000) }), 413),
    post("/text/subscription/status", '{"csv_file":"%"}', 400),
    post("/text/bulk/message/send", '{"messages":[', 400),
    { url: `${url}/text/message/status?messageId=${randomUUID()}`, headers: sandbox.headers, expect: 404 },
    { url: `${url}/nowhere/${hex(8)}`, expect: 404 },
    { url: `${url}/text/subscribe`, method: "DELETE", expect: 405 },
    { url: `${url}/l/${hex(5)}`, headers: address(), expect: 404 },
    { url: `${url}/carriers/kannel/receipts?m=${randomUUID()}&k=${hex(32)}&type=1`, expect: 403 },
    {
      url: `${url}/carriers/kannel/inbound?key=${WEBHOOK_KEY}&from=1&to=999&text=hello&id=${randomUUID()}`,
      expect: 200,
    },
    { url: `${url}/operator/websites`, headers: { authorization: `Bearer ${hex(32)}`, ...address() }, expect: 401 },
  ];
}

/** Some numbers leave and those of the last minute come back; a number comes and is erased. */
async function changeSubscriptions({ url, sandbox, operate }: Place, minute: number): Promise<number> {
  const rotated = (of: number) =>
    Array.from({ length: ROTATED }, (_, index) => numberAt((of * ROTATED + index) % NUMBERS));
  const change = (path: string, body: object) =>
    call({ url: `${url}${path}`, method: "POST", headers: sandbox.headers, body: JSON.stringify(body), expect: 200 });
  await change("/text/unsubscribe", { phone_numbers: rotated(minute) });
  if (minute > 0) await change("/text/subscribe", { phone_numbers: rotated(minute - 1), sendPurpose: "soak" });
  const passing = numberAt(UNKNOWN * 2 + minute);
  await change("/text/subscribe", { phone_numbers: [passing], sendPurpose: "soak" });
  await operate("DELETE", `/websites/${sandbox.websiteId}/people/${passing}`);
  return minute > 0 ? ROTATED * 2 : ROTATED;
}

/** Two for each text, the last of them first for some, and all of them again for some. */
function receipts({ url }: Place, texts: Submission[]): Call[] {
  const { sending, delivered, failed } = RECEIPT;
  return texts.flatMap(({ receiptUrl }, index) => {
    const types = index % 5 === 0 ? [delivered, sending, delivered] : [sending, index % 7 === 0 ? failed : delivered];
    const { pathname, search } = new URL(receiptUrl);
    return types.map((type) => ({ url: `${url}${receiptUrlOf(`${pathname}${search}`, type)}`, expect: 200 }));
  });
}

/** By a person and by a robot. */
function clicks({ url }: Place, texts: Submission[]): Call[] {
  return texts.flatMap(({ text }, index) => {
    const [path] = /\/l\/[A-Za-z0-9]{10,14}/.exec(text) ?? [];
    if (path === undefined) throw new Error(`no link in: ${text}`);
    const agent = index % 2 === 0 ? "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)" : "Twitterbot/1.0";
    return { url: `${url}${path}`, headers: { "user-agent": agent }, expect: 302 };
  });
}

const KEYWORDS = ["STOP", "START", "HELP", "what is this?"];
const PEOPLE = 5;
/** Subscribed, erased, opted out by a word of their own, and back by another, each minute. */
const ERASED_ONE = numberAt(UNKNOWN * 3);
/** Bulk keys in turn: each comes again after 32 hours, when nothing is kept of its first use. */
const BULK_KEYS = 4;

/** Each of some people says all of the keywords in turn, each of them twice as carriers do. @returns changes */
async function sendKeywords({ url }: Place, minute: number): Promise<number> {
  for (const [turn, text] of KEYWORDS.entries()) {
    const said = Array.from({ length: PEOPLE }, (_, index) => {
      const from = encodeURIComponent(numberAt((minute * PEOPLE + index) % NUMBERS));
      const id = `${minute}-${turn}-${index}`;
      const query = `key=${WEBHOOK_KEY}&from=${from}&to=${SENDER}&text=${encodeURIComponent(text)}&id=${id}`;
      return { url: `${url}/carriers/kannel/inbound?${query}`, expect: 200 };
    });
    await inTurns(said);
    await inTurns(said);
  }
  return PEOPLE * 2;
}

/** START subscribes an erased person; after erasure, and after STOP, no client does. */
async function eraseAndHear({ url, gateway, operate }: Place, minute: number): Promise<void> {
  const say = (text: string) => {
    const query = new URLSearchParams({
      key: WEBHOOK_KEY,
      from: ERASED_ONE,
      to: SENDER,
      text,
      id: `${text}-${minute}`,
    });
    return call({ url: `${url}/carriers/kannel/inbound?${query}`, expect: 200 });
  };
  const post = (path: string, body: object) =>
    call({ url: `${url}${path}`, method: "POST", headers: gateway.headers, body: JSON.stringify(body), expect: 200 });
  const subscribe = () => post("/text/subscribe", { phone_numbers: [ERASED_ONE], sendPurpose: "soak" });
  const expectSubscribed = async (expected: boolean, when: string) => {
    const answer = JSON.parse(await post("/text/subscription/status", { phone_numbers: [ERASED_ONE] }));
    if (answer.phoneNumberStatuses[0].subscriptionStatus !== expected)
      throw new Error(`minute ${minute}, ${when}: the erased person's subscriptionStatus is not ${expected}`);
  };
  if (minute === 0) await subscribe();
  else await say("START");
  await expectSubscribed(true, "before erasure");
  await operate("DELETE", `/websites/${gateway.websiteId}/people/${ERASED_ONE}`);
  await subscribe();
  await expectSubscribed(false, "after erasure");
  await say("STOP");
  await subscribe();
  await expectSubscribed(false, "after STOP");
}

/** @throws Error when fewer or more messages are kept of this minute than were accepted */
async function checkStored({ query }: Place, minute: number): Promise<void> {
  const [stored] = await query(
    "SELECT count(*) AS messages FROM messages WHERE text LIKE ?1",
    `%of minute ${minute},%`,
  );
  if (stored?.messages !== MESSAGES_A_MINUTE)
    throw new Error(`of minute ${minute}, ${stored?.messages} of ${MESSAGES_A_MINUTE} messages are stored`);
}

function operatorCalls({ url, workers, sandbox, gateway }: Place): Call[] {
  const headers = { authorization: `Bearer ${workers.operatorToken}` };
  const paths = [
    "/websites",
    `/websites/${sandbox.websiteId}`,
    `/websites/${gateway.websiteId}/inbound`,
    `/websites/${gateway.websiteId}/people/${numberAt(0)}`,
  ];
  return paths.map((path) => ({ url: `${url}/operator${path}`, headers, expect: 200 }));
}
