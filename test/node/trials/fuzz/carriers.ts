// What carriers call, signed as each of them signs, and forged; and the place of all three, on loopback.
import { createHmac, generateKeyPairSync, type KeyPairKeyObjectResult, sign as signWith } from "node:crypto";
import { createServer } from "node:http";
import { close, listen } from "../../harness/loopback.ts";
import type { FuzzRequest } from "./client.ts";
import type { Dice } from "./dice.ts";

const ORIGIN = "https://sms.example.com";

/** An account at a carrier, with the keys that prove its calls. The account of the environment's settings has the carrier's own name. */
export interface Account {
  carrier: keyof typeof SIGNERS;
  name: string;
  sender: string;
  /** Twilio signs with it, and Kannel sends it. */
  secret: string;
  /** Telnyx signs with it. */
  pair: KeyPairKeyObjectResult;
}

const toAccount = (carrier: Account["carrier"], name: string, sender: string): Account => ({
  ...{ carrier, name, sender },
  ...{ secret: `secret-of-${name}`, pair: generateKeyPairSync("ed25519") },
});

const OF_ENVIRONMENT = {
  twilio: toAccount("twilio", "twilio", "+12125550001"),
  telnyx: toAccount("telnyx", "telnyx", "+12125550002"),
  kannel: toAccount("kannel", "kannel", "12345"),
};

export const NAMED_ACCOUNTS = [
  toAccount("twilio", "fuzzed-twilio", "+12125550003"),
  toAccount("telnyx", "fuzzed-telnyx", "+12125550004"),
  toAccount("kannel", "fuzzed-kannel", "12346"),
];

export const ACCOUNTS = [...Object.values(OF_ENVIRONMENT), ...NAMED_ACCOUNTS];

/** The settings of the environment's carriers, which are all at `origin`. */
export function carrierVars(origin: string): Record<string, string> {
  const { twilio, telnyx, kannel } = OF_ENVIRONMENT;
  return {
    PUBLIC_ORIGIN: ORIGIN,
    SECURITY_CONTACT: "mailto:security@example.com",
    TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000000",
    TWILIO_AUTH_TOKEN: twilio.secret,
    TWILIO_API_URL: `${origin}/twilio`,
    TELNYX_API_KEY: "key-of-the-fuzzed-telnyx",
    TELNYX_PUBLIC_KEY: publicKeyOf(telnyx),
    TELNYX_API_URL: `${origin}/telnyx`,
    KANNEL_SENDSMS_URL: `${origin}/kannel`,
    KANNEL_USERNAME: "textgate",
    KANNEL_PASSWORD: "password-of-the-fuzzed-kannel",
    KANNEL_WEBHOOK_KEY: kannel.secret,
  };
}

/** What an operator gives of a named account. Its carrier is always well, so that a text of it can be followed to its receipt. */
export function settingsOf(account: Account, origin: string): object {
  const { carrier, name, secret } = account;
  const url = `${origin}/well-${carrier}`;
  return {
    twilio: { carrier, accountSid: "AC00000000000000000000000000000001", authToken: secret, apiUrl: url },
    telnyx: { carrier, apiKey: `key-of-${name}`, publicKey: publicKeyOf(account), apiUrl: url },
    kannel: { carrier, sendsmsUrl: url, username: name, password: `password-of-${name}`, webhookKey: secret },
  }[carrier];
}

const publicKeyOf = ({ pair }: Account) =>
  pair.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");

const ACCEPTED: Record<string, [number, string]> = {
  twilio: [201, '{"sid":"SM0"}'],
  telnyx: [200, '{"data":{"id":"40385f64-5717-4562-b3fc-2c963f66afa6"}}'],
  kannel: [202, "0: Accepted for delivery"],
  callbacks: [200, "thanks"],
  well: [204, ""],
};

/** Carriers and clients' endpoints, which now and then answer badly, or not; and some that are always well. */
export async function startWorld(dice: Dice) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.on("error", () => {});
    const [, place = ""] = (request.url ?? "").split(/[/?]/);
    const name = place.replace(/^well-/, "");
    const fate = place.startsWith("well") ? 0 : dice.next();
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

/** A receipt or an inbound text for one of the accounts; two in three are signed as they should be. */
export function carrierRequest(dice: Dice, messageIds: readonly string[], phones: readonly string[]): FuzzRequest {
  const given: Given = {
    messageId: messageIds.length > 0 && dice.chance(0.9) ? dice.pick(messageIds) : dice.text(20).toWellFormed(),
    from: dice.chance(0.8) ? dice.pick(phones) : dice.text(15).toWellFormed(),
    text: (dice.chance(0.8) ? dice.pick(WORDS) : dice.text(200)).toWellFormed(),
    status: dice.pick(STATUSES),
    type: String(dice.below(64)),
    errorCode: dice.pick(["", "21610", "30005", "40300", "x"]),
    isInbound: dice.chance(0.5),
    id: dice.below(1000),
    ...(dice.chance(0.1) ? { optOutType: dice.pick(["STOP", "START", "x"]) } : {}),
    isEmpty: dice.chance(0.2),
  };
  const request = sign(dice.pick(ACCOUNTS), given);
  return dice.chance(0.33) ? forge(dice, request) : request;
}

/** What a carrier calls once it has delivered the message. */
export function deliveryReceipt(account: Account, messageId: string): FuzzRequest {
  const about = { messageId, from: "", text: "", isInbound: false, id: 0, isEmpty: false };
  return sign(account, { ...about, status: "delivered", type: "1", errorCode: "" });
}

interface Given {
  messageId: string;
  from: string;
  text: string;
  status: string;
  /** Kannel's number of the status. */
  type: string;
  /** "": none. */
  errorCode: string;
  isInbound: boolean;
  id: number;
  /** Only Twilio has it. */
  optOutType?: string;
  /** Only Telnyx leaves out what it reports. */
  isEmpty: boolean;
}

const SIGNERS = { twilio: toTwilio, telnyx: toTelnyx, kannel: toKannel };

const sign = (account: Account, given: Given) => SIGNERS[account.carrier](account, given);

/** @param webhook such as "receipts" */
const pathOf = ({ carrier, name }: Account, webhook: string) =>
  `/carriers/${name === carrier ? carrier : `${carrier}/${name}`}/${webhook}`;

function toTwilio(account: Account, given: Given): FuzzRequest {
  const { messageId, from, text, status, errorCode, isInbound, id, optOutType } = given;
  const path = isInbound
    ? pathOf(account, "inbound")
    : `${pathOf(account, "receipts")}?m=${encodeURIComponent(messageId)}`;
  const fields: Record<string, string> = isInbound
    ? { MessageSid: `SM${id}`, From: from, To: account.sender, Body: text }
    : { MessageSid: `SM${id}`, MessageStatus: status, ErrorCode: errorCode };
  if (optOutType !== undefined) fields.OptOutType = optOutType;
  const names = Object.keys(fields).sort();
  const signed = names.reduce((before, name) => before + name + fields[name], new URL(path, ORIGIN).href);
  const headers: [string, string][] = [
    ["content-type", "application/x-www-form-urlencoded"],
    ["x-twilio-signature", createHmac("sha1", account.secret).update(signed).digest("base64")],
  ];
  return { method: "POST", path, headers, body: new URLSearchParams(fields).toString() };
}

function toTelnyx(account: Account, given: Given): FuzzRequest {
  const { messageId, from, text, status, errorCode, isInbound, id, isEmpty } = given;
  const url = `${ORIGIN}${pathOf(account, "receipts")}?m=${encodeURIComponent(messageId)}`;
  const payload = isInbound
    ? {
        id: `t${id}`,
        direction: "inbound",
        from: { phone_number: from },
        to: [{ phone_number: account.sender }],
        text,
      }
    : {
        id: "40385f64",
        direction: "outbound",
        webhook_url: url,
        to: [{ phone_number: from, status }],
        errors: errorCode === "" ? [] : [{ code: errorCode }],
      };
  const type = isInbound ? "message.received" : "message.finalized";
  const body = JSON.stringify({ data: { event_type: type, payload: isEmpty ? null : payload } });
  const at = String(Math.floor(Date.now() / 1000));
  const signature = signWith(null, Buffer.from(`${at}|${body}`), account.pair.privateKey).toString("base64");
  const headers: [string, string][] = [
    ["content-type", "application/json"],
    ["telnyx-timestamp", at],
    ["telnyx-signature-ed25519", signature],
  ];
  const path = isInbound ? pathOf(account, "inbound") : url.slice(ORIGIN.length);
  return { method: "POST", path, headers, body };
}

function toKannel(account: Account, { messageId, from, text, type, isInbound, id }: Given): FuzzRequest {
  const key = createHmac("sha256", account.secret).update(`receipt ${messageId}`).digest("hex");
  const query: Record<string, string> = isInbound
    ? { key: account.secret, id: `k${id}`, from, to: account.sender, text }
    : { m: messageId, k: key, type, answer: text };
  const path = pathOf(account, isInbound ? "inbound" : "receipts");
  return { method: "GET", path: `${path}?${new URLSearchParams(query)}`, headers: [] };
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
