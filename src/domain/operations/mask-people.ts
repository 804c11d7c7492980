// Pure. An answer as somebody sees it who is signed in: without numbers and addresses of people, and for a viewer without texts. Everything
// is masked that is not known to be the service's own, so that a new call cannot forget it.
import { PHONE_FORM } from "../people/phone.ts";
import { PHONE_RULE } from "../people/phone-fault.ts";
import { FEWEST_DIGITS } from "./digits.ts";
import { maskAddress, maskAddresses, maskNumbers } from "./mask.ts";

const DOT = "•";

/** In the place of a text. */
const HIDDEN = DOT.repeat(5);

/** Fields of the service, its websites and clients, and secrets that are shown once: they stay, with all that is in them. */
const OWN = new Set([
  ...["sender", "name", "websiteName", "websiteNames", "clientName", "helpText", "optOutWords"],
  // The names of operators, which may be their addresses.
  ...["operator", "by", "createdBy"],
  ...["token", "clientSecret", "callbackSecret", "next", "personId"],
]);

/** What a change of an operator has replaced, and what it has set. */
const CHANGES = new Set(["before", "after"]);

/** What a person wrote or was sent, whole, and what shows a consent. */
const TEXTS = new Set(["text", "proof", "evidence", "callbackData"]);

/** Fields that hold a number or an address, whatever its form: they are masked whole. */
const NUMBERS = new Set(["phone", "invalidPhoneNumbers", "optedOutNumbers", "unsubscribedNumbers"]);
const ADDRESSES = new Set(["email", "emailBefore", "emails", "invalidEmails"]);

/** Words of others, and of an operator, which may contain a number in any form. */
const FOREIGN = new Set([
  ...["response", "callbackData", "evidence", "cause", "error", "value", "columns", "ignoredColumns", "ignoredFields"],
  ...["reason", "reasonDetail", "because", "clickUrl", "mediaUrl", "file"],
]);

/** A number with a plus sign, in any spelling: `+12065550142`, `+1 206 555-0142`, `%2B12065550142`. */
const NUMBER = /(?:\+|＋|%2B)(?:[^\p{L}\p{N}]{0,3}\p{N}){7,20}/giu;

/** `+1206•••••42`: the first digits and the last two. */
export function maskPhone(phone: string): string {
  const shown = phone.startsWith("+1") ? 5 : 3;
  return phone.slice(0, shown) + DOT.repeat(Math.max(1, phone.length - shown - 2)) + phone.slice(-2);
}

/** Masks each number with a plus sign, and each address: `a•••@example.com`. */
export function maskPeople(text: string): string {
  return maskAddresses(text).replace(NUMBER, (number) => {
    const [, plus = "", spelled = ""] = /^(\+|＋|%2B)(.*)$/isu.exec(number) ?? [];
    const digits = spelled.normalize("NFKC").replaceAll(/\D/g, "");
    return plus + maskPhone(`+${digits}`).slice(1);
  });
}

/** A field that holds a number, perhaps as somebody has written it: a sender that is a word stays. */
function maskNumberField(text: string): string {
  if (PHONE_FORM.test(text)) return maskPhone(text);
  if (/[@＠]|%40/.test(text)) return maskAddress(text);
  const digits = text.match(/\p{N}/gu) ?? [];
  return digits.length < FEWEST_DIGITS ? text : `…${digits.slice(-2).join("")}`;
}

export interface Masking {
  /** For a viewer. */
  hidesTexts: boolean;
  /** The id that replaces each number of phonesIn. */
  personIds: ReadonlyMap<string, string>;
}

type Fields = Record<string, unknown>;

/** The number of the person whom an object is about: of a message, a subscriber, an inbound text. */
function phoneOf({ phone, from }: Fields): string | undefined {
  const number = phone ?? from;
  return typeof number === "string" && PHONE_FORM.test(number) ? number : undefined;
}

/** The numbers of all people whom an answer is about. */
export function phonesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  const phone = Array.isArray(value) ? undefined : phoneOf(value as Fields);
  if (phone !== undefined) found.add(phone);
  for (const inner of Object.values(value)) phonesIn(inner, found);
  return found;
}

/** @param value JSON of an answer */
export function maskAnswer(value: unknown, masking: Masking): unknown {
  return mask("", value, {}, masking);
}

/** What a change has set is the service's own, except the words of an operator. */
function maskChange(facts: unknown, masking: Masking): unknown {
  const { reason } = (facts ?? {}) as Fields;
  return typeof reason === "string" ? { ...(facts as Fields), reason: maskText("reason", reason, {}, masking) } : facts;
}

function mask(key: string, value: unknown, around: Fields, masking: Masking): unknown {
  if (CHANGES.has(key)) return maskChange(value, masking);
  if (key === "callbackUrl") return masking.hidesTexts ? withoutPath(value) : value;
  if (OWN.has(key) || (key === "to" && isInbound(around))) return value;
  if (typeof value === "string") return maskText(key, value, around, masking);
  if (Array.isArray(value)) return value.map((item) => mask(key, item, around, masking));
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Fields;
  // The columns of a file have the names of what they hold.
  const keyOf = (name: string) => (key === "columns" ? key : name);
  const masked = Object.entries(fields).map(([name, inner]) => [
    maskPeople(name),
    mask(keyOf(name), inner, fields, masking),
  ]);
  const phone = phoneOf(fields);
  const personId = phone === undefined ? undefined : masking.personIds.get(phone);
  return Object.fromEntries(personId === undefined ? masked : [...masked, ["personId", personId]]);
}

/** The path and the query of a callback URL may hold a key of the client's. */
function withoutPath(url: unknown): unknown {
  return typeof url === "string" ? `${URL.parse(url)?.origin}/${HIDDEN}` : url;
}

function maskText(key: string, text: string, around: Fields, { hidesTexts }: Masking): string {
  if (hidesTexts && text !== "" && isText(key, around)) return HIDDEN;
  // Whoever may read texts reads them whole: a person may have written a number to call.
  if (key === "text" || (key === "proof" && isText(key, around))) return text;
  if (NUMBERS.has(key) || (key === "from" && isInbound(around))) return maskNumberField(text);
  if (ADDRESSES.has(key)) return text === "" ? "" : maskAddress(text);
  const isForeign = FOREIGN.has(key) && !isRuling(key, around);
  const hide = (part: string) => (isForeign ? maskNumbers(maskPeople(part)) : maskPeople(part));
  // The number in it is an example, and nobody's.
  return text.split(PHONE_RULE).map(hide).join(PHONE_RULE);
}

/** What sending hours have decided: the words are ours, with the times of a window and the number of a law. */
function isRuling(key: string, { reason, outcome }: Fields): boolean {
  if (key === "reasonDetail") return reason === "QUIET_HOURS" || reason === "EXPIRED";
  return key === "reason" && outcome === "skipped";
}

/** The proof of a change is a text only where the person has written it. An endpoint may quote the event that it answers. */
function isText(key: string, { source, outcome }: Fields): boolean {
  if (key === "response") return outcome === "answered";
  if (key !== "proof") return TEXTS.has(key);
  return source === undefined || source === "keyword" || source === "carrier";
}

/** Its sender may be in any form, and its recipient is a sender of ours. */
const isInbound = ({ from, receivedAt }: Fields): boolean => typeof from === "string" && receivedAt !== undefined;
