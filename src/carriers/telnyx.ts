import * as z from "zod";
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
import { codeSchema, type Meaning, reasonOf } from "./codes.ts";
import { type CarrierResponse, classifyResponse, parseJson, post, REFUSED } from "./http.ts";
import { CODES } from "./telnyx-codes.ts";
import { readInbound } from "./telnyx-inbound.ts";

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

/** Codes of messages and senders. One of them that is in no table is about the message. */
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
  /** Where Telnyx calls this account's webhooks, without a slash at the end. */
  webhookUrl: string;
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
      return event === undefined ? FORGED : readInbound(event);
    },
  };
}

function create({ apiKey, apiUrl, webhookUrl }: TelnyxSettings, message: OutboundMessage) {
  const sender = message.from ?? "";
  const body = {
    to: message.to,
    [MESSAGING_PROFILE.test(sender) ? "messaging_profile_id" : "from"]: sender,
    text: message.text,
    webhook_url: `${webhookUrl}/receipts?m=${message.messageId}`,
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
  errors: z.array(z.object({ code: codeSchema, title: z.string().nullish() })).min(1),
});

function toSubmission(response: CarrierResponse): Submission {
  if (response.status === null) return classifyResponse(response, "");
  const json = parseJson(response.body);
  const created = createdSchema.safeParse(json);
  if (response.status >= 200 && response.status < 300) {
    if (created.success) return { kind: "accepted", carrierMessageId: created.data.data.id };
    return { kind: "unknown", reason: `telnyx: HTTP ${response.status} without an id`, failing: "carrier" };
  }
  const errors = errorsSchema.safeParse(json).data?.errors ?? [];
  const [first] = errors;
  const reason = `telnyx: HTTP ${response.status}${first?.code ? `, ${first.code}` : ""}${first?.title ? `: ${first.title}` : ""}`;
  const meaning =
    meaningOf(errors) ?? (errors.some(({ code }) => MESSAGING_CODE.test(code ?? "")) ? REFUSED : undefined);
  return classifyResponse(response, reason, meaning);
}

/** The first error that is an opt-out counts, and otherwise the first with a reason of its own. */
function meaningOf(errors: readonly { code?: string | null | undefined }[]): Meaning | undefined {
  const known = errors.flatMap(({ code }) => CODES.get(code ?? "") ?? []);
  return known.find(({ reason }) => reason === "OPTED_OUT") ?? known.find(({ reason }) => reason) ?? known[0];
}

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
      errors: z.array(z.object({ code: codeSchema, title: z.string().nullish() })).nullish(),
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
  const receipt: Receipt = {
    messageId,
    status,
    reason: status === "FAILED_TO_DELIVERY" || (error && status === "SENDING") ? failure : null,
    optedOut: false,
    ...reasonOf(meaningOf(payload.errors ?? []) ?? {}),
    ...(error?.code ? { carrierCode: error.code } : {}),
    carrierMessageId: payload.id,
  };
  return { kind: "verified", reports: [receipt], ...unknown };
}
