import * as z from "zod";
import type { Carrier, CarrierRequest, UnknownReceipt, Verified } from "../carriers/carrier.ts";
import type { Deps } from "../deps.ts";
import { RequestFailure } from "../domain/failure.ts";
import { findAccountOf } from "../flows/clients/carrier-accounts.ts";
import { inTurn } from "../flows/in-turn.ts";
import { queueReceipts } from "../flows/messages/queue-jobs.ts";
import { receiveInbound } from "../flows/people/receive-inbound.ts";
import { reportUnreadable } from "../flows/people/report-unreadable.ts";
import type { ApiRequest, Handler } from "./api-request.ts";
import { BODY_LIMITS, readBytes } from "./body.ts";
import { call, inPath, type Resource } from "./call.ts";

/** They are queued before the answer. Without that, it is 503, and the carrier sends them again. */
const receiveReceipts: Handler = async (request, deps) => {
  const { carrierName, reports, unknown } = await verify(request, deps, (carrier, given) =>
    carrier.readReceipts(given),
  );
  if (unknown) logUnknown(request, deps, carrierName, unknown);
  await queueReceipts(deps, carrierName, reports);
  request.logged = { receipts: reports.length };
  return received();
};

/** A status is a word or a number of few digits. Anything else is not logged: it may be a phone number. */
const STATUS = /^[A-Za-z_%-]{0,40}$|^-?\d{1,3}$/;
const MESSAGE_ID = /^[0-9a-f-]{36}$/;

function logUnknown(
  { requestId }: ApiRequest,
  deps: Deps,
  carrier: string,
  { messageId, status }: UnknownReceipt,
): void {
  deps.log("warn", "receipt.status-unknown", {
    requestId,
    carrier,
    status: STATUS.test(status) ? status : "(no word)",
    ...(messageId !== null && MESSAGE_ID.test(messageId) ? { messageId } : {}),
  });
}

const receiveTexts: Handler = async (request, deps) => {
  const { carrierName, reports, isOurs } = await verify(request, deps, (carrier, given) => carrier.readInbound(given));
  await inTurn(reports, (inbound) => receiveInbound(deps, carrierName, inbound));
  if (!isOurs) await reportUnreadable(deps, request.requestId, carrierName, reports);
  return received();
};

/** 200 and nothing in it: Kannel counts only 200 and 202 as received, and a body could be taken for an answer to send. */
function received(): Response {
  return new Response(null, { status: 200 });
}

/** The scheme and the host of a URL. */
const ORIGIN = /^[^:/?#]*:\/\/[^/?#]*/;

/**
 * What a carrier reports, proven by the key of the account in the URL; without one, by the environment's. `carrierName` is the account's: its
 * reports count for its own messages and senders, and for no other's.
 * @throws RequestFailure path-unknown without such a carrier, signature-wrong for what it has not sent
 */
async function verify<T>(
  request: ApiRequest,
  deps: Deps,
  read: (carrier: Carrier, given: CarrierRequest) => Promise<Verified<T>>,
): Promise<Omit<Extract<Verified<T>, { kind: "verified" }>, "kind"> & { carrierName: string }> {
  const { carrier: name = "", account } = request.params;
  const { PUBLIC_ORIGIN = "" } = deps.config.carriers;
  const rawUrl = PUBLIC_ORIGIN + request.url.replace(ORIGIN, "");
  const find = (isFresh: boolean) =>
    account === undefined ? ofEnvironment(deps, name) : findAccountOf(deps, name, account, isFresh);
  let carrier = await find(false);
  if (!carrier || PUBLIC_ORIGIN === "") throw new RequestFailure({ kind: "path-unknown" });
  const body = new TextDecoder().decode(await readBytes(request, BODY_LIMITS.carrier));
  const { method, headers } = request;
  const given = { method, url: new URL(rawUrl), rawUrl, headers, body, now: deps.now() };
  let verified = await read(carrier, given);
  if (verified.kind === "forged" && account !== undefined) {
    // Its keys may have changed since this isolate has read them.
    carrier = await find(true);
    if (carrier) verified = await read(carrier, given);
  }
  if (verified.kind === "forged") throw new RequestFailure({ kind: "signature-wrong" });
  return { carrierName: account ?? name, ...verified };
}

const ofEnvironment = ({ carriers: { ready } }: Deps, name: string) =>
  Object.hasOwn(ready, name) ? ready[name] : undefined;

const COMMON = {
  tag: "Carriers",
  access: "carrier",
  parameters: [inPath("carrier", "A carrier that is set up.", "twilio")],
  answers: [{ status: 200, description: "Received. The body is empty." }],
} as const satisfies object;

const BODY = {
  mediaTypes: ["application/json", "application/x-www-form-urlencoded"],
  schema: z.looseObject({}),
  description: "In the carrier's own format.",
  limitBytes: BODY_LIMITS.carrier,
  examples: {},
};

/** @param about what it is that comes */
const describe = (about: string) =>
  `${about} In the carrier's own format, with its own proof of origin: a signature, or a key in the URL.`;

const ACCOUNT = inPath("account", "A named account at the carrier.", "brand-a");

/** A carrier calls with the one method or the other, for the account of the environment or for a named one. */
const callsOf = (method: "GET" | "POST", isNamed: boolean) => {
  const [prefix, path, of] = isNamed
    ? ["Account", "/carriers/:carrier/:account", " of a named account"]
    : ["", "/carriers/:carrier", ""];
  const shared = {
    ...COMMON,
    parameters: [...COMMON.parameters, ...(isNamed ? [ACCOUNT] : [])],
    method,
    ...(method === "POST" ? { body: BODY } : {}),
  };
  const id = method.toLowerCase();
  return [
    call({
      ...shared,
      id: `${id}${prefix}Receipts`,
      path: `${path}/receipts`,
      summary: `Receive receipts${of} (${method})`,
      description: describe("Statuses of messages that the carrier accepted."),
      run: receiveReceipts,
    }),
    call({
      ...shared,
      id: `${id}${prefix}Inbound`,
      path: `${path}/inbound`,
      summary: `Receive inbound texts${of} (${method})`,
      description: describe("Texts that people sent."),
      run: receiveTexts,
    }),
  ];
};

export const carrierWebhooks: Resource = {
  calls: [false, true].flatMap((isNamed) => [...callsOf("GET", isNamed), ...callsOf("POST", isNamed)]),
  schemas: {},
};
