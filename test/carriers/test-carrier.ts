import type { MessageStatus } from "../../src/domain/messages/message.ts";

/** A message as it reached a carrier. */
export interface Submitted {
  /** Our reference, as the carrier would give it back. */
  messageId: string;
  to: string;
  from: string;
  text: string;
  mediaUrls: string[];
  /** Where the carrier was told to post receipts to. */
  receiptUrl: string;
  /** What differs from what the carrier publishes of its API; empty where nothing does. */
  faults: string[];
}

/** What a carrier calls us with. */
export interface Hook {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface InboundGiven {
  id: string;
  from: string;
  to: string;
  text: string;
  /** Further fields of the carrier's own. */
  more?: Record<string, string>;
}

export interface ReceiptGiven {
  status: string;
  /** The carrier's error code. */
  error?: string;
}

/** The text of a body that may be a form: the runtime warns of a form that is read by `text()`. */
export async function readBody(request: Request): Promise<string> {
  return new TextDecoder().decode(await request.arrayBuffer());
}

/** An answer to a submission; a function because a body can be read once. */
export type Answering = () => Response | Promise<Response>;

/** A carrier as the suite sees it from outside: how it answers, and how it calls us. */
export interface TestCarrier {
  name: "twilio" | "telnyx" | "kannel";
  settings: Record<string, string>;
  senders: string[];
  badSenders: (string | null)[];
  isSubmission(request: Request): boolean;
  read(request: Request, body: string): Submitted;
  accepts: Answering;
  /** What `accepts` calls the message; null where the carrier gives no id. */
  carrierMessageId: string | null;
  refusals: [what: string, answer: Answering, reason: RegExp][];
  /** It does not know us, or has no such path: whatever the message, it has taken none. */
  unauthorized: [what: string, answer: Answering][];
  /** The seconds it asks to wait; undefined where it names none. */
  laters: [what: string, answer: Answering, seconds: number | undefined][];
  /** Beside those that every carrier shares. */
  unknowns: [what: string, answer: Answering][];
  statuses: Record<string, MessageStatus>;
  sent: string;
  delivered: string;
  failed: string;
  /** What the operator reads of a message that could not be delivered. */
  failedReason: RegExp;
  /** The error of a receipt that says that the handset takes no media. */
  withoutMedia?: string;
  receipt(submitted: Submitted, given: ReceiptGiven, now: number): Promise<Hook>;
  inbound(given: InboundGiven, now: number): Promise<Hook>;
  /** Receipts that it has not sent, made from what it knows of two messages. */
  forgeries(of: Submitted, other: Submitted, now: number): Promise<[what: string, hook: Hook][]>;
  optOut?: { refusal: Answering; receipt: ReceiptGiven };
  carriesMedia: boolean;
}

/** A carrier's request as it reads it, with what is wrong with the request that every carrier's must have. */
export function readSubmission(
  carrier: TestCarrier,
  request: Request,
  body: string,
  init: RequestInit | undefined,
): Submitted {
  const submitted = carrier.read(request, body);
  if (init?.redirect !== "manual") submitted.faults.push("follows redirects");
  if (request.headers.get("user-agent") !== "Textgate/1") submitted.faults.push("does not say who it is");
  if (!(init?.signal instanceof AbortSignal)) submitted.faults.push("waits for ever");
  return submitted;
}

export const PUBLIC_ORIGIN = "https://sms.example.com";

export const text = (body: string, status: number, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers });
export const json = (value: unknown, status: number, headers: Record<string, string> = {}) =>
  Response.json(value, { status, headers });

/** A body whose connection is lost after its first bytes. */
export function breaksOff(): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  void writer
    .write(new TextEncoder().encode('{"sid":"SM1'))
    .then(() => writer.abort(new Error("Network connection lost.")))
    .catch(() => {});
  return readable;
}
