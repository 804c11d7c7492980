import * as z from "zod";
import type { Receipt } from "../domain/messages/receipt.ts";
import type { Keyword } from "../domain/people/keyword.ts";
import { isE164 } from "../domain/people/phone.ts";
import {
  type Carrier,
  type CarrierRequest,
  FORGED,
  type InboundText,
  type OutboundMessage,
  type Submission,
  type Verified,
} from "./carrier.ts";
import { codeSchema, reasonOf } from "./codes.ts";
import { type CarrierResponse, classifyResponse, parseJson, post, REFUSED } from "./http.ts";
import { CODES } from "./twilio-codes.ts";

/** https://www.twilio.com/docs/messaging/api/message-resource#message-status-values */
const STATUSES = new Map<string, Receipt["status"]>([
  ["accepted", "SENDING"],
  ["scheduled", "SENDING"],
  ["queued", "SENDING"],
  ["sending", "SENDING"],
  ["sent", "SENDING"],
  ["delivered", "DELIVERED"],
  ["read", "DELIVERED"],
  // Something of it is at the handset, and Twilio sends nothing after it. As a failure, it would be sent again.
  ["partially_delivered", "DELIVERED"],
  ["undelivered", "FAILED_TO_DELIVERY"],
  ["failed", "FAILED_TO_DELIVERY"],
  ["canceled", "FAILED_TO_DELIVERY"],
]);

/** https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out: the keyword that Twilio recognized and answered. */
const OPT_OUT_TYPES = new Map<string, Keyword>([
  ["STOP", "stop"],
  ["START", "start"],
  ["HELP", "help"],
]);

/** Codes about any call. One of them that is in no table is not about the message. */
const GENERAL_CODE = /^20\d{3}$/;

/**
 * https://www.twilio.com/docs/messaging/api/message-resource: how long a message may wait in Twilio's queue. Without it, as long as the
 * most. Twilio recommends more than 5 seconds.
 */
const VALIDITY_SECONDS = { least: 10, most: 36_000 };

const MESSAGING_SERVICE = /^MG[0-9a-f]{32}$/i;

export interface TwilioSettings {
  accountSid: string;
  authToken: string;
  /** Verifies signatures only: Twilio signs with it during a rotation. */
  previousAuthToken?: string | undefined;
  /** The shared key of a Webhooks Rule of the account: Twilio then signs with it, in place of a token. */
  webhookSigningKey?: string | undefined;
  /** Without a slash at the end. */
  apiUrl: string;
  /** Where Twilio calls this account's webhooks, without a slash at the end. */
  webhookUrl: string;
}

export function twilio(settings: TwilioSettings): Carrier {
  return {
    validateSender: (sender) =>
      sender !== null && (isE164(sender) || MESSAGING_SERVICE.test(sender) || /^\d{3,8}$/.test(sender))
        ? undefined
        : "must be an E.164 number, a short code or a messaging service (MG…) of your Twilio account",
    submit: async (message) => toSubmission(await create(settings, message)),
    readReceipts: async (request) => {
      const form = await readSigned(settings, request);
      return form ? toReceipts(request, form) : FORGED;
    },
    readInbound: async (request) => {
      const form = await readSigned(settings, request);
      return form ? { kind: "verified", reports: toInbound(form) } : FORGED;
    },
  };
}

function create({ accountSid, authToken, apiUrl, webhookUrl }: TwilioSettings, message: OutboundMessage) {
  const sender = message.from ?? "";
  const form = new URLSearchParams({
    To: message.to,
    [MESSAGING_SERVICE.test(sender) ? "MessagingServiceSid" : "From"]: sender,
    Body: message.text,
    StatusCallback: `${webhookUrl}/receipts?m=${message.messageId}`,
  });
  if (message.mediaUrl !== null) form.set("MediaUrl", message.mediaUrl);
  const { validSeconds = VALIDITY_SECONDS.most } = message;
  if (validSeconds < VALIDITY_SECONDS.most) {
    form.set("ValidityPeriod", String(Math.max(VALIDITY_SECONDS.least, validSeconds)));
  }
  return post(`${apiUrl}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
    headers: {
      authorization: `Basic ${new TextEncoder().encode(`${accountSid}:${authToken}`).toBase64()}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: form.toString(),
  });
}

const createdSchema = z.object({ sid: z.string().min(1).max(255) });
const errorSchema = z.object({ code: codeSchema, message: z.string().nullish() });

function toSubmission(response: CarrierResponse): Submission {
  if (response.status === null) return classifyResponse(response, "");
  const json = parseJson(response.body);
  const created = createdSchema.safeParse(json);
  if (response.status >= 200 && response.status < 300) {
    if (created.success) return { kind: "accepted", carrierMessageId: created.data.sid };
    return { kind: "unknown", reason: `twilio: HTTP ${response.status} without a sid`, failing: "carrier" };
  }
  const { code, message } = errorSchema.safeParse(json).data ?? {};
  const reason = `twilio: HTTP ${response.status}${code ? `, ${code}` : ""}${message ? `: ${message}` : ""}`;
  return classifyResponse(response, reason, meaningOf(code));
}

const meaningOf = (code: string | null | undefined) =>
  CODES.get(code ?? "") ?? (!code || GENERAL_CODE.test(code) ? undefined : REFUSED);

/** The form of a request that carries Twilio's signature of this very URL and form; undefined otherwise. */
async function readSigned(settings: TwilioSettings, request: CarrierRequest): Promise<URLSearchParams | undefined> {
  const form = new URLSearchParams(request.body);
  const signature = decodeSignature(request.headers.get("x-twilio-signature"));
  if (request.method !== "POST" || !signature) return undefined;
  const names = distinct([...form.keys()]);
  const fields = names.flatMap((name) => distinct(form.getAll(name)).map((value) => name + value)).join("");
  const { keys, hash } = readSigner(settings, request.headers);
  if (hash === undefined) return undefined;
  const urls = writtenForms(request);
  const verdicts = await Promise.all(
    urls.flatMap((url) => keys.map((key) => isSignedWith(key, hash, signature, url + fields))),
  );
  return verdicts.includes(true) ? form : undefined;
}

const HASHES = new Map([
  ["HMAC_SHA1", "SHA-1"],
  ["HMAC_SHA256", "SHA-256"],
]);

/** https://www.twilio.com/docs/usage/webhooks/webhook-shared-keys: a header says that a shared key signed, and by which algorithm. */
function readSigner({ authToken, previousAuthToken, webhookSigningKey }: TwilioSettings, headers: Headers) {
  const header = headers.get("x-twilio-webhooks-signature-settings");
  const [, algorithm = "HMAC_SHA1"] = /(?:^|,)\s*algorithm\s*=\s*([^\s,]+)/.exec(header ?? "") ?? [];
  const keys = header ? [webhookSigningKey] : [authToken, previousAuthToken];
  return { keys: keys.filter((key) => key !== undefined), hash: HASHES.get(algorithm.toUpperCase()) };
}

/**
 * Twilio signs the URL as the operator has written it. A URL object encodes four characters of a query that an operator may
 * write as they are, and what a request passes on its way here may do the same: each form is the same URL. Twilio's own library also
 * takes it with the usual port and without an unusual one, because the signing side may add or omit it.
 */
function writtenForms({ url, rawUrl = url.href }: CarrierRequest): string[] {
  const { href, origin, protocol, port } = url;
  const forms = [rawUrl, href, href.replace(/%(?:22|27|3C|3E)/gi, decodeURIComponent)];
  const usual = protocol === "https:" ? ":443" : ":80";
  const otherOrigin = port === "" ? origin + usual : origin.slice(0, -`:${port}`.length);
  return distinct([...forms, ...forms.map((form) => form.replace(origin, otherOrigin))]);
}

async function isSignedWith(secret: string, hash: string, signature: Uint8Array, signed: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash }, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, signature, encoder.encode(signed));
}

/** Sorted, as Twilio signs the names of a form, and the values of a name. */
function distinct(texts: string[]): string[] {
  return [...new Set(texts)].sort();
}

function decodeSignature(header: string | null): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(header ?? "");
  } catch {
    return undefined;
  }
}

function toReceipts({ url }: CarrierRequest, form: URLSearchParams): Verified<Receipt> {
  const messageId = url.searchParams.get("m");
  const word = form.get("MessageStatus") ?? "";
  const said = STATUSES.get(word);
  if (said === undefined) return { kind: "verified", reports: [], unknown: { messageId, status: word } };
  if (messageId === null) return { kind: "verified", reports: [] };
  const code = form.get("ErrorCode");
  const meaning = CODES.get(code ?? "");
  // If nobody knows the outcome, the deadline decides.
  const status = said === "FAILED_TO_DELIVERY" && meaning?.outcome === "unknown" ? "SENDING" : said;
  const receipt: Receipt = {
    messageId,
    status,
    reason: status === "FAILED_TO_DELIVERY" ? `twilio: ${word}${code ? `, ${code}` : ""}` : null,
    optedOut: false,
    ...reasonOf(meaning ?? {}),
    ...(code && status === "FAILED_TO_DELIVERY" ? { carrierCode: code } : {}),
    carrierMessageId: form.get("MessageSid"),
  };
  return { kind: "verified", reports: [receipt] };
}

/** Before a number, Twilio says the channel, unless it is SMS or MMS: `rcs:+12125550100`. */
const CHANNEL = /^(?:rcs|whatsapp):(?=\+)/i;
const WHATSAPP = /^whatsapp:/i;

function toInbound(form: URLSearchParams): InboundText[] {
  const [sid, from, to] = [form.get("MessageSid"), form.get("From"), form.get("To")?.replace(CHANNEL, "")];
  if (!sid || !from || !to) return [];
  const service = form.get("MessagingServiceSid");
  const payload = form.get("ButtonPayload");
  return [
    {
      carrierMessageId: sid,
      from: from.replace(CHANNEL, ""),
      to: service ? [to, service] : [to],
      text: form.get("Body") || form.get("ButtonText") || "",
      besides: payload ? [payload] : [],
      ...(WHATSAPP.test(from) ? { isByWhatsApp: true } : {}),
      mediaUrls: [...form].flatMap(([name, value]) => (/^MediaUrl\d+$/.test(name) ? [value] : [])),
      keyword: OPT_OUT_TYPES.get(form.get("OptOutType") ?? "") ?? null,
      answeredByCarrier: form.has("OptOutType"),
    },
  ];
}
