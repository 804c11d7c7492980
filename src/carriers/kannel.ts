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
import { readReport } from "./kannel-receipt.ts";

/**
 * What smsbox answers, beyond what every status means: https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html, "SMS push reply
 * codes". 503 is "Temporal failure, try again later.", because bearerbox does not take it. Any other 403 is about user and password.
 */
const ANSWERS: [status: number, body: RegExp, meaning: Meaning][] = [
  [503, /^/, { about: "account", outcome: "later" }],
  [403, /^Not routable/, { about: "number", outcome: "final" }],
];

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

/** Kannel replaces `%d`, `%A` and `%D`. It would corrupt percent-escapes in our own part, so there are none. */
async function receiptUrl({ webhookUrl, webhookKey }: KannelSettings, messageId: string): Promise<string> {
  const key = await receiptKey(webhookKey, messageId);
  return `${webhookUrl}/receipts?m=${messageId}&k=${key}&type=%d&answer=%A&meta=%D`;
}

/** Proves that we issued the receipt URL for this message. */
function receiptKey(webhookKey: string, messageId: string): Promise<string> {
  return hmacHex(webhookKey, `receipt ${messageId}`);
}

async function readReceipts(settings: KannelSettings, { method, url }: CarrierRequest): Promise<Verified<Receipt>> {
  const query = url.searchParams;
  const messageId = query.get("m") ?? "";
  const keys = await Promise.all(webhookKeys(settings).map((key) => receiptKey(key, messageId)));
  const isOurs = await isAmong(query.get("k") ?? "", keys);
  if (method !== "GET" || !isOurs) return FORGED;
  const readOr = (name: string) => query.get(name) ?? "";
  const type = readOr("type");
  const receipt = readReport(messageId, { type, answer: readOr("answer"), meta: readOr("meta") });
  return receipt
    ? { kind: "verified", reports: [receipt] }
    : { kind: "verified", reports: [], unknown: { messageId, status: type } };
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
