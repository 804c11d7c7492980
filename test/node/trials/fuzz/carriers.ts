// What carriers call, signed as each of them signs, and forged; and the place of all three, on loopback.
import { createHmac, generateKeyPairSync, sign as signWith } from "node:crypto";
import { createServer } from "node:http";
import { close, listen } from "../../harness/loopback.ts";
import type { FuzzRequest } from "./client.ts";
import type { Dice } from "./dice.ts";

const ORIGIN = "https://sms.example.com";
const TOKEN = "token-of-the-fuzzed-twilio";
const WEBHOOK_KEY = "key-of-the-fuzzed-kannel";
const ed25519 = generateKeyPairSync("ed25519");

export const SENDERS = { twilio: "+12125550001", telnyx: "+12125550002", kannel: "12345" } as const;
export const CARRIERS = Object.keys(SENDERS) as (keyof typeof SENDERS)[];

/** The settings of carriers that are all at `origin`. */
export function carrierVars(origin: string): Record<string, string> {
  return {
    PUBLIC_ORIGIN: ORIGIN,
    SECURITY_CONTACT: "mailto:security@example.com",
    TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000000",
    TWILIO_AUTH_TOKEN: TOKEN,
    TWILIO_API_URL: `${origin}/twilio`,
    TELNYX_API_KEY: "key-of-the-fuzzed-telnyx",
    TELNYX_PUBLIC_KEY: ed25519.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64"),
    TELNYX_API_URL: `${origin}/telnyx`,
    KANNEL_SENDSMS_URL: `${origin}/kannel`,
    KANNEL_USERNAME: "textgate",
    KANNEL_PASSWORD: "password-of-the-fuzzed-kannel",
    KANNEL_WEBHOOK_KEY: WEBHOOK_KEY,
  };
}

const ACCEPTED: Record<string, [number, string]> = {
  twilio: [201, '{"sid":"SM0"}'],
  telnyx: [200, '{"data":{"id":"40385f64-5717-4562-b3fc-2c963f66afa6"}}'],
  kannel: [202, "0: Accepted for delivery"],
  callbacks: [200, "thanks"],
  well: [204, ""],
};

/** Carriers and clients' endpoints, which now and then answer badly, or not; and one that is always well. */
export async function startWorld(dice: Dice) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.on("error", () => {});
    const [, name = ""] = (request.url ?? "").split(/[/?]/);
    const fate = name === "well" ? 0 : dice.next();
    const [status, body] =
      fate < 0.9 ? (ACCEPTED[name] ?? [404, ""]) : [dice.pick([302, 400, 429, 500, 503]), dice.text(50)];
    if (fate > 0.99) response.destroy();
    else response.writeHead(status, { connection: "close", location: "/callbacks/redirected" }).end(body);
  });
  const { origin } = await listen(server);
  return { url: origin, requests: () => requests, close: () => close(server) };
}

const STATUSES = ["sent", "delivered", "failed", "undelivered", "queued", "delivery_failed", "expired", "nonsense", ""];
const WORDS = ["STOP", "start", "HELP", "stop.", "Hello", "", "💬", "\u0000", "unsubscribe", "YES"];

/** A receipt or an inbound text; two in three are signed as they should be. */
export function carrierRequest(dice: Dice, messageIds: readonly string[], phones: readonly string[]): FuzzRequest {
  const given: Given = {
    messageId: messageIds.length > 0 && dice.chance(0.9) ? dice.pick(messageIds) : dice.text(20).toWellFormed(),
    from: dice.chance(0.8) ? dice.pick(phones) : dice.text(15).toWellFormed(),
    text: (dice.chance(0.8) ? dice.pick(WORDS) : dice.text(200)).toWellFormed(),
    status: dice.pick(STATUSES),
    isInbound: dice.chance(0.5),
  };
  const carrier = dice.pick(CARRIERS);
  const request = { twilio: toTwilio, telnyx: toTelnyx, kannel: toKannel }[carrier](dice, given);
  return dice.chance(0.33) ? forge(dice, request) : request;
}

interface Given {
  messageId: string;
  from: string;
  text: string;
  status: string;
  isInbound: boolean;
}

function toTwilio(dice: Dice, { messageId, from, text, status, isInbound }: Given): FuzzRequest {
  const id = `SM${dice.below(1000)}`;
  const path = isInbound ? "/carriers/twilio/inbound" : `/carriers/twilio/receipts?m=${encodeURIComponent(messageId)}`;
  const fields: Record<string, string> = isInbound
    ? { MessageSid: id, From: from, To: SENDERS.twilio, Body: text }
    : { MessageSid: id, MessageStatus: status, ErrorCode: dice.pick(["", "21610", "30005", "x"]) };
  if (dice.chance(0.1)) fields.OptOutType = dice.pick(["STOP", "START", "x"]);
  const names = Object.keys(fields).sort();
  const signed = names.reduce((before, name) => before + name + fields[name], new URL(path, ORIGIN).href);
  const headers: [string, string][] = [
    ["content-type", "application/x-www-form-urlencoded"],
    ["x-twilio-signature", createHmac("sha1", TOKEN).update(signed).digest("base64")],
  ];
  return { method: "POST", path, headers, body: new URLSearchParams(fields).toString() };
}

function toTelnyx(dice: Dice, { messageId, from, text, status, isInbound }: Given): FuzzRequest {
  const url = `${ORIGIN}/carriers/telnyx/receipts?m=${encodeURIComponent(messageId)}`;
  const payload = isInbound
    ? {
        id: `t${dice.below(1000)}`,
        direction: "inbound",
        from: { phone_number: from },
        to: [{ phone_number: SENDERS.telnyx }],
        text,
      }
    : {
        id: "40385f64",
        direction: "outbound",
        webhook_url: url,
        to: [{ phone_number: from, status }],
        errors: [{ code: "40300" }],
      };
  const type = isInbound ? "message.received" : "message.finalized";
  const body = JSON.stringify({ data: { event_type: type, payload: dice.chance(0.2) ? null : payload } });
  const at = String(Math.floor(Date.now() / 1000));
  const signature = signWith(null, Buffer.from(`${at}|${body}`), ed25519.privateKey).toString("base64");
  const headers: [string, string][] = [
    ["content-type", "application/json"],
    ["telnyx-timestamp", at],
    ["telnyx-signature-ed25519", signature],
  ];
  const path = isInbound ? "/carriers/telnyx/inbound" : url.slice(ORIGIN.length);
  return { method: "POST", path, headers, body };
}

function toKannel(dice: Dice, { messageId, from, text, isInbound }: Given): FuzzRequest {
  const key = createHmac("sha256", WEBHOOK_KEY).update(`receipt ${messageId}`).digest("hex");
  const query: Record<string, string> = isInbound
    ? { key: WEBHOOK_KEY, id: `k${dice.below(1000)}`, from, to: SENDERS.kannel, text }
    : { m: messageId, k: key, type: String(dice.below(64)), answer: text };
  return {
    method: "GET",
    path: `/carriers/kannel/${isInbound ? "inbound" : "receipts"}?${new URLSearchParams(query)}`,
    headers: [],
  };
}

/** The same with one thing altered, so that its proof does not fit. */
function forge(dice: Dice, request: FuzzRequest): FuzzRequest {
  const ways: (() => FuzzRequest)[] = [
    () => ({ ...request, path: `${request.path}${request.path.includes("?") ? "&" : "?"}x=${dice.below(9)}` }),
    () => ({ ...request, body: `${request.body ?? ""}${dice.below(9)}` }),
    () => ({ ...request, headers: request.headers.slice(1) }),
    () => ({ ...request, headers: request.headers.map(([name, value]) => [name, value.slice(1)]) }),
    () => ({
      ...request,
      path: request.path.replace(/twilio|telnyx|kannel/, dice.pick(["twilio", "telnyx", "kannel", "sandbox", "x"])),
    }),
  ];
  const forged = dice.pick(ways)();
  return forged.method === "GET" && forged.body !== undefined ? { ...forged, method: "POST" } : forged;
}
