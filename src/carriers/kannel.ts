import { connect } from "cloudflare:sockets";
import type { Receipt } from "../domain/messages/receipt.ts";
import { describeError } from "../platform/describe-error.ts";
import { equalHashes, hmacHex, sha256Hex } from "../platform/secrets.ts";
import {
  type Carrier,
  type CarrierRequest,
  FORGED,
  type InboundText,
  type OutboundMessage,
  type Submission,
  type Verified,
} from "./carrier.ts";
import { decodeText, rawParameter } from "./charset.ts";
import type { Meaning } from "./codes.ts";
import { classifyResponse, isOutOfSubrequests, post } from "./http.ts";

/**
 * The receipt's type (`%d`) is a bit mask: 1 delivered, 2 failed, 4 buffered, 8 accepted by the SMSC, 16 refused by it;
 * an expired message is 32 with the 2. The final bits are looked for first.
 */
const STATUSES: [bit: number, status: Receipt["status"], word: string][] = [
  [1, "DELIVERED", "delivered"],
  [2, "FAILED_TO_DELIVERY", "undelivered"],
  [16, "FAILED_TO_DELIVERY", "refused by the SMSC"],
  [8, "SENDING", "accepted by the SMSC"],
  [4, "SENDING", "buffered"],
];

/** In the text of a receipt, as SMPP 3.4 has it in appendix B: the network's own error code. */
const ERROR_CODE = /\berr:(\w{1,8})\b/i;
/** The state in it. Kannel takes each word that it does not know, and UNKNOWN, for a failure. */
const STATE = /\bstat:\s*([a-z]+)/i;
const STATES = new Map<string, Receipt["status"]>([
  ["DELIVRD", "DELIVERED"],
  ["ACCEPTD", "SENDING"],
  ["ENROUTE", "SENDING"],
  ["UNKNOWN", "SENDING"], // a later receipt or the deadline decides
]);

/** The answer of a receipt of type 16: the SMSC's own code, as SMPP 3.4 has it in 5.1.3. */
const REFUSAL_CODE = /^NACK\/0x0*([0-9a-f]{1,8})\b/i;
/** The same, of a text of several parts: Kannel says no code, and the other parts may have arrived. */
const PART_REFUSED = /^NACK\/$/;

/** At the end of it: the beginning of the message, which is no word of the network. */
const QUOTED_TEXT = /\btext:.*$/is;

/**
 * What smsbox answers, beyond what every status means: https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html, "SMS push reply
 * codes". 503 is "Temporal failure, try again later.", because bearerbox does not take it. Any other 403 is about user and password.
 */
const ANSWERS: [status: number, body: RegExp, meaning: Meaning][] = [
  [503, /^/, { about: "account", outcome: "later" }],
  [403, /^Not routable/, { about: "number", outcome: "final" }],
];

/** The answer of a receipt of type 16 if no SMSC has seen the message: it has waited at the gateway for longer than its validity. */
const EXPIRED_AT_GATEWAY = /^NACK\/validity expired/;

const ALL_RECEIPTS = "31";

/** X-Kannel-Coding for text outside GSM 03.38. With any other, Kannel replaces unsupported characters with question marks. */
const UCS2 = "2";

export interface KannelSettings {
  /** The URL of smsbox, such as http://127.0.0.1:13013/cgi-bin/sendsms */
  sendsmsUrl: string;
  /** Whether a TCP connection is tried before each submission. */
  probesConnection: boolean;
  username: string;
  password: string;
  /** Protects the URLs that Kannel calls, since Kannel signs nothing. */
  webhookKey: string;
  /** The key before it: URLs that Kannel was given with it are still valid. */
  previousWebhookKey?: string | undefined;
  /** Where Kannel calls this account's webhooks, without a slash at the end. */
  webhookUrl: string;
}

export function kannel(settings: KannelSettings): Carrier {
  return {
    validateSender: (sender) =>
      sender !== null && /^(\+?\d{3,15}|[A-Za-z0-9 ]{1,11})$/.test(sender)
        ? undefined
        : "must be a number, a short code, or up to 11 letters and digits that your SMSC knows",
    submit: (message) => submit(settings, message),
    readReceipts: (request) => readReceipts(settings, request),
    readInbound: (request) => readInbound(settings, request),
  };
}

async function submit(settings: KannelSettings, message: OutboundMessage): Promise<Submission> {
  if (message.mediaUrl !== null) {
    return { kind: "refused", code: "MEDIA_NOT_SUPPORTED", reason: "kannel: an SMS gateway cannot carry media" };
  }
  const failure = settings.probesConnection ? await probe(settings.sendsmsUrl) : undefined;
  if (failure) return failure;
  const response = await post(settings.sendsmsUrl, {
    headers: {
      "content-type": "text/plain; charset=UTF-8",
      "x-kannel-username": settings.username,
      "x-kannel-password": settings.password,
      "x-kannel-from": message.from ?? "",
      "x-kannel-to": message.to,
      ...(message.encoding === "UCS-2" ? { "x-kannel-coding": UCS2 } : {}),
      ...validity(message),
      "x-kannel-dlr-mask": ALL_RECEIPTS,
      "x-kannel-dlr-url": await receiptUrl(settings, message.messageId),
    },
    body: new TextEncoder().encode(message.text),
  });
  if (response.status === 202) return { kind: "accepted", carrierMessageId: null };
  const reason =
    response.status === null ? "" : `kannel: HTTP ${response.status}: ${response.body.slice(0, 200).trim()}`;
  const found = ANSWERS.find(([status, body]) => response.status === status && body.test(response.body));
  return classifyResponse(response, reason, found?.[2]);
}

/** For how many minutes the SMSC tries to deliver it. Kannel counts in minutes, and treats 0 as not set. */
const validity = ({ validSeconds }: OutboundMessage): Record<string, string> =>
  validSeconds === undefined ? {} : { "x-kannel-validity": String(Math.max(1, Math.floor(validSeconds / 60))) };

const CONNECT_TIMEOUT_MILLISECONDS = 5000;

/**
 * A gateway behind https is taken to be behind a tunnel or proxy. Cloudflare refuses TCP connections to its own addresses, and
 * its answer to fetch then says whether the request was passed on.
 * @param setting overrides that
 */
export function probesConnection(sendSmsUrl: string, setting: "on" | "off" | "" | undefined): boolean {
  return setting ? setting === "on" : !sendSmsUrl.startsWith("https:");
}

/**
 * fetch reports the same error for a refused connection and for one that broke after the message was sent. Only the first is
 * safe to retry, so it is detected beforehand; a later failure counts as unknown.
 * @returns how the submission ends when no connection opens
 */
async function probe(url: string): Promise<Submission | undefined> {
  const { hostname, port, protocol } = new URL(url);
  try {
    const address = { hostname, port: Number(port) || (protocol === "https:" ? 443 : 80) };
    // Otherwise workerd also waits for the other side to close, which is never read here, and keeps the socket forever.
    const socket = connect(address, { allowHalfOpen: true });
    const opened = socket.opened.then(() => true);
    const isOpen = await Promise.race([opened, scheduler.wait(CONNECT_TIMEOUT_MILLISECONDS).then(() => false)]);
    // Not awaited: a socket that does not open is closed only when the system gives up, minutes later.
    void socket.close().catch(() => {});
    if (isOpen) return undefined;
    const reason = `kannel: no connection within ${CONNECT_TIMEOUT_MILLISECONDS / 1000} s`;
    return { kind: "later", reason, failing: "carrier", lingers: opened.catch(() => {}) };
  } catch (error) {
    if (isOutOfSubrequests(error)) return { kind: "later", reason: describeError(error), exhausted: true };
    return { kind: "later", reason: "kannel: connection refused", failing: "carrier" };
  }
}

/** Kannel replaces `%d` and `%A`. It would corrupt percent-escapes in our own part, so there are none. */
async function receiptUrl({ webhookUrl, webhookKey }: KannelSettings, messageId: string): Promise<string> {
  const key = await receiptKey(webhookKey, messageId);
  return `${webhookUrl}/receipts?m=${messageId}&k=${key}&type=%d&answer=%A`;
}

/** Proves that we issued the receipt URL for this message. */
function receiptKey(webhookKey: string, messageId: string): Promise<string> {
  return hmacHex(webhookKey, `receipt ${messageId}`);
}

/** A mask has some of Kannel's seven bits. -1 is no mask: Kannel sends it for a type that it does not know itself. */
const MASK = /^\d{1,3}$/;
const MOST = 127;

async function readReceipts(settings: KannelSettings, { method, url }: CarrierRequest): Promise<Verified<Receipt>> {
  const query = url.searchParams;
  const messageId = query.get("m") ?? "";
  const keys = await Promise.all(webhookKeys(settings).map((key) => receiptKey(key, messageId)));
  const isOurs = await isAmong(query.get("k") ?? "", keys);
  if (method !== "GET" || !isOurs) return FORGED;
  const type = query.get("type") ?? "";
  const mask = MASK.test(type) && Number(type) <= MOST ? Number(type) : 0;
  const found = STATUSES.find(([bit]) => (mask & bit) !== 0);
  if (!found) return { kind: "verified", reports: [], unknown: { messageId, status: type } };
  const answer = (query.get("answer") ?? "").replace(QUOTED_TEXT, "").slice(0, 200).trim();
  const [, said, word] = found;
  const stated = said === "FAILED_TO_DELIVERY" ? STATES.get(STATE.exec(answer)?.[1]?.toUpperCase() ?? "") : undefined;
  const status = stated ?? said;
  const words = PART_REFUSED.test(answer) ? `a part was ${word}` : word;
  const reason = status === "FAILED_TO_DELIVERY" ? `kannel: ${words}${answer ? `: ${answer}` : ""}` : null;
  const code = reason === null ? undefined : codeIn(answer);
  const receipt: Receipt = {
    ...{ messageId, status, reason, carrierMessageId: null, optedOut: false },
    ...(EXPIRED_AT_GATEWAY.test(answer) ? { code: "SENDER_LIMIT" } : {}),
    ...(code ? { carrierCode: code } : {}),
  };
  return { kind: "verified", reports: [receipt] };
}

function codeIn(answer: string): string | undefined {
  const [, refused] = REFUSAL_CODE.exec(answer) ?? [];
  return refused ? `0x${refused.toLowerCase()}` : ERROR_CODE.exec(answer)?.[1];
}

async function readInbound(settings: KannelSettings, { method, url, now }: CarrierRequest) {
  const query = url.searchParams;
  if (method !== "GET" || !(await isAmong(query.get("key") ?? "", webhookKeys(settings)))) return FORGED;
  const [from, to] = [query.get("from"), query.get("to")];
  if (!from) return { kind: "verified" as const, reports: [] };
  const [seconds] = UNIX_SECONDS.exec(query.get("ts") ?? "") ?? [];
  const { text, unknownCharset } = decodeText(rawParameter(url.search, "text"), query.get("charset"));
  const id = readFilled(query, "id");
  const inbound: InboundText = {
    ...(id ? { carrierMessageId: id } : await makeId(query, text, now)),
    from,
    to: to ? [to] : [],
    text,
    ...(seconds ? { sentAt: Number(seconds) * 1000 } : {}),
    keyword: null,
    answeredByCarrier: false,
    ...(unknownCharset ? { unknownCharset } : {}),
  };
  return { kind: "verified" as const, reports: [inbound] };
}

/** What Kannel makes of `%T`. */
const UNIX_SECONDS = /^\d{10}$/;

/** What another smsbox leaves of `%I`. */
const UNFILLED = /^%\w$/;

const readFilled = (query: URLSearchParams, name: string): string => query.get(name)?.replace(UNFILLED, "") ?? "";

/**
 * An id for a text that came without one. The same text from the same sender gets the same id in the same second that the gateway
 * names, or in the same minute where the gateway names no time: so a text that the gateway repeats is stored once.
 */
async function makeId(query: URLSearchParams, text: string, now: number) {
  const time = readFilled(query, "time") || readFilled(query, "ts");
  const when = time || `received ${Math.floor(now / 60_000)}`;
  const hash = await sha256Hex(JSON.stringify([query.get("from"), query.get("to"), text, when]));
  return { carrierMessageId: `made-${hash.slice(0, 32)}`, madeId: time ? "with-time" : "without-time" } as const;
}

const webhookKeys = ({ webhookKey, previousWebhookKey }: KannelSettings) =>
  previousWebhookKey === undefined ? [webhookKey] : [webhookKey, previousWebhookKey];

async function isAmong(given: string, keys: string[]): Promise<boolean> {
  const [hash = "", ...hashes] = await Promise.all([given, ...keys].map(sha256Hex));
  return hashes.map((known) => equalHashes(hash, known)).includes(true);
}
