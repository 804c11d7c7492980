// Pure. Reads what Kannel says of a message in a receipt.
import type { Receipt } from "../domain/messages/receipt.ts";

/** What Kannel fills into the URL of a receipt. */
export interface KannelReport {
  /** `%d`: a bit mask. */
  type: string;
  /** `%A`: the words of the SMSC, or what Kannel says in their place. */
  answer: string;
  /** `%D`: what the SMSC has given apart from its words. */
  meta: string;
}

type Outcome = readonly [status: Receipt["status"], word: string];

/**
 * 1 delivered, 2 failed, 4 buffered, 8 accepted by the SMSC, 16 refused by it; an expired message is 32 with the 2. The final bits are
 * looked for first.
 */
const OUTCOMES: readonly [bit: number, outcome: Outcome][] = [
  [1, ["DELIVERED", "delivered"]],
  [2, ["FAILED_TO_DELIVERY", "undelivered"]],
  [16, ["FAILED_TO_DELIVERY", "refused by the SMSC"]],
  [8, ["SENDING", "accepted by the SMSC"]],
  [4, ["SENDING", "buffered"]],
];

/** A mask has some of Kannel's seven bits. -1 is no mask: Kannel sends it for a type that it does not know itself. */
const MASK = /^\d{1,3}$/;
const MOST = 127;

/** The text has waited at the gateway until its end: the connection to the SMSC was gone, or its queue was too long. */
const EXPIRED_AT_GATEWAY = /^NACK\/validity expired/i;

/**
 * What an answer says beyond the type. Kannel makes 2 of each state that it does not read: of UNKNOWN, and of a state after a space. Type 16
 * has three meanings: the SMSC's status, nothing but `NACK/` where the SMSC took another part of the text, and the gateway's own end.
 */
const ANSWERS: readonly [bit: number, answer: RegExp, outcome: Outcome][] = [
  [2, /\bstat:\s*DELIV/i, ["DELIVERED", "delivered"]],
  [2, /\bstat:\s*(?!EXPIRED|DELETED|UNDELIV|REJECT|FAIL)[a-z]/i, ["SENDING", "reported without an outcome"]],
  [16, EXPIRED_AT_GATEWAY, ["FAILED_TO_DELIVERY", "expired at the gateway"]],
  [16, /^NACK\/?$/i, ["FAILED_TO_DELIVERY", "a part of the text was refused by the SMSC"]],
];

/** In the text of a receipt, as SMPP 3.4 has it in appendix B: the network's own error code. */
const ERROR_CODE = /\berr:\s*(\w{1,8})\b(?!:)/i;

/** At the end of it: the beginning of the message, which is no word of the network. */
const QUOTED_TEXT = /\btext:.*$/is;

/** The status with which the SMSC refused the message, in eight digits, before its name. */
const STATUS_CODE = /^NACK\/0x0{0,6}([0-9a-f]{2,8})(?=\/|$)/i;

/** The network's error code where a receipt has no text: the kind of network, and the code in two octets. */
const NETWORK_ERROR = /\bdlr_err=(?:%[0-9a-f]{2}|[^%&])((?:%[0-9a-f]{2}|[^%&]){2})/i;

/** @returns undefined: the type says nothing that is known */
export function readReport(messageId: string, { type, answer: given, meta }: KannelReport): Receipt | undefined {
  const answer = given.replace(QUOTED_TEXT, "").slice(0, 200).trim();
  const mask = MASK.test(type) && Number(type) <= MOST ? Number(type) : 0;
  const [bit, usual] = OUTCOMES.find(([one]) => (mask & one) !== 0) ?? [];
  if (usual === undefined) return undefined;
  const [, , said] = ANSWERS.find(([one, form]) => one === bit && form.test(answer)) ?? [];
  const [status, word] = said ?? usual;
  const code = codeOf(answer, meta);
  return {
    ...{ messageId, status, carrierMessageId: null, optedOut: false },
    reason: status === "FAILED_TO_DELIVERY" || (said && status === "SENDING") ? toReason(word, answer) : null,
    ...(EXPIRED_AT_GATEWAY.test(answer) ? { code: "CARRIER_UNAVAILABLE" } : {}),
    ...(code && status !== "DELIVERED" ? { carrierCode: code } : {}),
  };
}

/** The code of a refusal is written without most of its zeros: eight digits would count as a phone number. */
function toReason(word: string, answer: string): string {
  const words = answer.replace(STATUS_CODE, (_, code: string) => `NACK/0x${code}`);
  return `kannel: ${word}${words === "" || /^NACK\/?$/i.test(words) ? "" : `: ${words}`}`;
}

/** For a text, Kannel fills `%D` from the text, and reads a code as decimal that need not be: the text goes first. */
function codeOf(answer: string, meta: string): string | undefined {
  const [, status] = STATUS_CODE.exec(answer) ?? [];
  if (status) return `0x${status.toLowerCase()}`;
  const [, octets] = NETWORK_ERROR.exec(meta) ?? [];
  const network = octets === undefined || ERROR_CODE.test(answer) ? 0 : toNumber(octets);
  return ERROR_CODE.exec(answer)?.[1] ?? (network === 0 ? undefined : String(network).padStart(3, "0"));
}

/** Octets as a URL writes them: as they are, as `%` and two digits, or `+` for a space. */
function toNumber(octets: string): number {
  const values = octets.match(/%[0-9a-f]{2}|./gis) ?? [];
  return values.reduce((sum, octet) => {
    const value = octet.startsWith("%") ? Number.parseInt(octet.slice(1), 16) : octet.replace("+", " ").charCodeAt(0);
    return sum * 256 + value;
  }, 0);
}
