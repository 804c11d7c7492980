import * as z from "zod";
import type { Reason } from "../domain/messages/reason.ts";
import type { Receipt } from "../domain/messages/receipt.ts";
import { isE164 } from "../domain/people/phone.ts";
import {
  type Carrier,
  type CarrierRequest,
  FORGED,
  type OutboundMessage,
  type Submission,
  type Verified,
} from "./carrier.ts";
import { type CarrierResponse, classifyResponse, parseJson, post } from "./http.ts";
import { toInbound } from "./telnyx-inbound.ts";

/**
 * https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks: the status of the one recipient. Those of the records of
 * messages, which also come, are in https://developers.telnyx.com/docs/messaging/messages/message-detail-records.
 */
const STATUSES = new Map<string, Receipt["status"]>([
  ["scheduled", "SENDING"],
  ["queued", "SENDING"],
  ["sending", "SENDING"],
  ["sent", "SENDING"],
  ["delivered", "DELIVERED"],
  ["read", "DELIVERED"],
  ["cancelled", "FAILED_TO_DELIVERY"],
  ["failed", "FAILED_TO_DELIVERY"],
  ["gw_reject", "FAILED_TO_DELIVERY"],
  ["sending_failed", "FAILED_TO_DELIVERY"],
  ["delivery_failed", "FAILED_TO_DELIVERY"],
  ["expired", "FAILED_TO_DELIVERY"],
  // No confirmation came: the outcome is unknown, so the deadline decides.
  ["delivery_unconfirmed", "SENDING"],
  ["dlr_unconfirmed", "SENDING"],
  ["dlr_timeout", "SENDING"],
  ["gw_timeout", "SENDING"],
]);

/** The recipient has opted out of this sender (with HTTP 409, or in a receipt). */
const OPTED_OUT = "40300";

/**
 * https://developers.telnyx.com/docs/messaging/messages/error-codes and
 * https://support.telnyx.com/en/articles/6505121-telnyx-messaging-error-codes: the sender, its registration or the text is blocked, and
 * the number is fine. They come with a refusal or in a receipt.
 */
const FILTERED = new Set([
  "40002", // blocked as spam, for a while
  "40003", // blocked as spam, for good
  "40010", // the sender is in no 10DLC campaign
  "40011", // beyond the network's rate, and taken for spam
  "40013", // the network rejects the sender
  "40015", // Telnyx's own filter
  "40016", // beyond T-Mobile's daily limit of the 10DLC brand
  "40017", // taken for spam by AT&T
  "40018", // beyond AT&T's rate of the 10DLC campaign
  "40100", // the sender is not enabled for messages
  "40150", // the toll-free number is not registered
  "40151", // the sender is being enabled elsewhere
  "40314", // messages are disabled for the account
  "40315", // the sender has failed its health check
  "40322", // blocked because of its content
  "40329", // the toll-free number is not verified
]);

/** https://developers.telnyx.com/docs/messaging/messages/error-codes: codes of messages and senders; other codes are about any call. */
const MESSAGING_CODE = /^40\d{3}$/;

const MESSAGING_PROFILE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Allowed clock difference of a signature. */
const TOLERANCE_SECONDS = 300;

export interface TelnyxSettings {
  apiKey: string;
  /** Ed25519, 32 bytes in Base64. */
  publicKey: string;
  /** Without a slash at the end. */
  apiUrl: string;
  publicOrigin: string;
}

export function telnyx(settings: TelnyxSettings): Carrier {
  return {
    validateSender: (sender) =>
      sender !== null && (isE164(sender) || MESSAGING_PROFILE.test(sender) || /^\d{3,8}$/.test(sender))
        ? undefined
        : "must be an E.164 number, a short code or a messaging profile (UUID) of your Telnyx account",
    submit: async (message) => toSubmission(await create(settings, message)),
    readReceipts: async (request) => {
      const event = await readSigned(settings, request);
      return event === undefined ? FORGED : toReceipts(event);
    },
    readInbound: async (request) => {
      const event = await readSigned(settings, request);
      return event === undefined ? FORGED : { kind: "verified", reports: toInbound(event) };
    },
  };
}

function create({ apiKey, apiUrl, publicOrigin }: TelnyxSettings, message: OutboundMessage) {
  const sender = message.from ?? "";
  const body = {
    to: message.to,
    [MESSAGING_PROFILE.test(sender) ? "messaging_profile_id" : "from"]: sender,
    text: message.text,
    webhook_url: `${publicOrigin}/carriers/telnyx/receipts?m=${message.messageId}`,
    use_profile_webhooks: false,
    ...(message.mediaUrl === null ? {} : { type: "MMS", media_urls: [message.mediaUrl] }),
  };
  return post(`${apiUrl}/messages`, {
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

const createdSchema = z.object({ data: z.object({ id: z.string().min(1).max(255) }) });
const errorsSchema = z.object({
  errors: z
    .array(z.object({ code: z.string().nullish(), title: z.string().nullish(), detail: z.string().nullish() }))
    .min(1),
});

function toSubmission(response: CarrierResponse): Submission {
  if (response.status === null) return classifyResponse(response, "");
  const json = parseJson(response.body);
  const created = createdSchema.safeParse(json);
  if (response.status >= 200 && response.status < 300) {
    if (created.success) return { kind: "accepted", carrierMessageId: created.data.data.id };
    return { kind: "unknown", reason: `telnyx: HTTP ${response.status} without an id`, failing: true };
  }
  const errors = errorsSchema.safeParse(json).data?.errors ?? [];
  const [first] = errors;
  const reason = `telnyx: HTTP ${response.status}${first?.code ? `, ${first.code}` : ""}${first?.title ? `: ${first.title}` : ""}`;
  const submission = classifyResponse(
    response,
    reason,
    errors.some(({ code }) => MESSAGING_CODE.test(code ?? "")),
  );
  if (submission.kind !== "refused") return submission;
  if (errors.some(({ code }) => code === OPTED_OUT)) return { ...submission, optedOut: true };
  return errors.some(isFiltered) ? { ...submission, code: "CARRIER_FILTERED" } : submission;
}

const isFiltered = ({ code }: { code?: string | null | undefined }) => FILTERED.has(code ?? "");

/** The event of a request whose raw body Telnyx has signed within the last five minutes; undefined otherwise. */
async function readSigned({ publicKey }: TelnyxSettings, request: CarrierRequest): Promise<unknown> {
  const timestamp = request.headers.get("telnyx-timestamp") ?? "";
  if (request.method !== "POST" || !/^\d{1,12}$/.test(timestamp)) return undefined;
  if (Math.abs(request.now / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return undefined;
  try {
    const signature = Uint8Array.fromBase64(request.headers.get("telnyx-signature-ed25519") ?? "");
    const key = await crypto.subtle.importKey("raw", Uint8Array.fromBase64(publicKey), "Ed25519", false, ["verify"]);
    const signed = new TextEncoder().encode(`${timestamp}|${request.body}`);
    return (await crypto.subtle.verify("Ed25519", key, signature, signed))
      ? (parseJson(request.body) ?? null)
      : undefined;
  } catch {
    return undefined;
  }
}

const receiptSchema = z.object({
  data: z.object({
    payload: z.object({
      id: z.string(),
      direction: z.literal("outbound"),
      to: z.array(z.object({ status: z.string() })).min(1),
      errors: z
        .array(z.object({ code: z.unknown().transform(String).nullish(), title: z.string().nullish() }))
        .nullish(),
      /** The signature covers the body and not the URL, so this is where our reference is read from. */
      webhook_url: z.string(),
    }),
  }),
});

function toReceipts(event: unknown): Verified<Receipt> {
  const payload = receiptSchema.safeParse(event).data?.data.payload;
  if (!payload) return { kind: "verified", reports: [] };
  const messageId = URL.parse(payload.webhook_url)?.searchParams.get("m") ?? null;
  const word = payload.to[0]?.status ?? "";
  const known = STATUSES.get(word);
  const unknown = known === undefined ? { unknown: { messageId, status: word } } : {};
  const [error] = payload.errors ?? [];
  if (messageId === null || (known === undefined && !error)) return { kind: "verified", reports: [], ...unknown };
  // What a status that is in no table says of its errors counts all the same.
  const status = known ?? "SENDING";
  const failure = `telnyx: ${word}${error?.code ? `, ${error.code}` : ""}${error?.title ? `: ${error.title}` : ""}`;
  const optedOut = payload.errors?.some(({ code }) => code === OPTED_OUT) ?? false;
  const receipt: Receipt = {
    messageId,
    status,
    reason: status === "FAILED_TO_DELIVERY" || (error && status === "SENDING") ? failure : null,
    ...(!optedOut && payload.errors?.some(isFiltered) ? { code: "CARRIER_FILTERED" satisfies Reason } : {}),
    ...(error?.code ? { carrierCode: error.code } : {}),
    carrierMessageId: payload.id,
    optedOut,
  };
  return { kind: "verified", reports: [receipt], ...unknown };
}
