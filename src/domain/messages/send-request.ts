// Pure. The request and the response of POST /text/message/send.
import * as z from "zod";
import { type FieldError, type Tried, tryFields } from "../failure.ts";
import { firstFault, isAbsent, jsonObject, orEmpty, ruleOfFields } from "../fields.ts";
import { isEmail } from "../people/email.ts";
import { isBlank, strip, toCodePoint } from "../people/invisible.ts";
import { isE164, toDigits } from "../people/phone.ts";
import { explainPhone } from "../people/phone-fault.ts";
import { regionCode, timeZoneName } from "../people/place-fields.ts";
import { ILL_FORMED, isWellFormed, surplusOf } from "../well-formed.ts";
import { IgnoredFields, ignoredFieldsShape } from "./ignored-fields.ts";
import { KINDS, type MessageKind } from "./kind.ts";
import { placeLink } from "./link.ts";
import { expireAt, findTimeFaults, isFaulty, scheduledForShape, sendAt } from "./send-times.ts";

export const MAX_TEXT_CHARACTERS = 1600;
const MAX_URL_CHARACTERS = 2048;
const MAX_CALLBACK_DATA_BYTES = 8192;
const MAX_SEND_PURPOSE_CHARACTERS = 100;

/** @param form follows the words "must be a string" */
function requiredString(form = "") {
  return z.string({
    error: ({ input }) => (input === undefined || input === null ? "is required" : `must be a string${form}`),
  });
}

const phone = z
  .string("must be a string")
  .overwrite((value) => strip(value))
  .refine((value) => value === "" || isE164(value), { error: ({ input }) => explainPhone(String(input)) })
  .meta({
    description:
      "E.164, such as `+12125550100`: a plus sign, the country code, and the number as it is dialed from abroad, in digits only. Required without `email`.",
    examples: ["+12125550100"],
    pattern: "^\\s*(\\+[1-9]\\d{1,14})?\\s*$",
  });

const email = z
  .unknown()
  .optional()
  .meta({
    type: ["string", "null"],
    description:
      "The e-mail address of a subscribed number, in upper or lower case. If it has several numbers, Textgate sends to the one that was subscribed last. Required without `phone`, ignored with it.",
    examples: ["ada@example.com"],
  });

const webUrl = z
  .string("must be a string")
  .trim()
  .superRefine(firstFault(findUrlFault))
  .meta({
    description: `An absolute http or https URL, at most ${MAX_URL_CHARACTERS} characters.`,
    pattern: "^\\s*([Hh][Tt][Tt][Pp][Ss]?://\\S+)?\\s*$",
  });

function findUrlFault(url: string): string | undefined {
  if (surplusOf(url, MAX_URL_CHARACTERS) > 0) return `must have at most ${MAX_URL_CHARACTERS} characters`;
  const isUrl = /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(url) && URL.canParse(url);
  // Without its white space it is a URL: the rest of the rule is kept.
  if (/\s/.test(url) && findUrlFault(url.replaceAll(/\s/g, "")) === undefined)
    return "must have no white space: write a space as %20";
  return url === "" || isUrl ? undefined : "must be an absolute http or https URL, such as https://example.com/sale";
}

const text = requiredString()
  .superRefine(firstFault(findTextFault))
  .meta({
    description: `1 to ${MAX_TEXT_CHARACTERS} characters with its link, not only white space and invisible characters.`,
    minLength: 1,
    maxLength: MAX_TEXT_CHARACTERS,
  });

function findTextFault(value: string): string | undefined {
  if (isBlank(value)) return "must not be empty, or only white space and invisible characters";
  if (surplusOf(value, MAX_TEXT_CHARACTERS) > 0) return `must have at most ${MAX_TEXT_CHARACTERS} characters`;
  return isWellFormed(value) ? undefined : ILL_FORMED;
}

const callbackData = requiredString(' that holds JSON, such as "{\\"profileId\\":\\"42\\"}", or ""')
  .superRefine(firstFault(findDataFault))
  .meta({
    description: `A string that holds JSON, at most ${MAX_CALLBACK_DATA_BYTES} bytes in UTF-8. Callbacks return it byte for byte. With \`""\`, no callback is posted.`,
    maxLength: MAX_CALLBACK_DATA_BYTES,
  });

function findDataFault(data: string): string | undefined {
  const bytes = new TextEncoder().encode(data).byteLength;
  if (bytes > MAX_CALLBACK_DATA_BYTES) return `must have at most ${MAX_CALLBACK_DATA_BYTES} bytes in UTF-8`;
  if (data !== "" && !isJson(data)) return 'must be a string that parses as JSON, or ""';
  return isWellFormed(data) ? undefined : ILL_FORMED;
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

const SEND_PURPOSE = /^\s*[A-Za-z0-9_-]+(?: +[A-Za-z0-9_-]+)*\s*$/;

export const sendPurpose = requiredString()
  .superRefine(firstFault(findPurposeFault))
  .trim()
  .meta({
    description: `Such as the name of a campaign: words of A–Z a–z 0–9 \`-\` \`_\` with spaces between, at most ${MAX_SEND_PURPOSE_CHARACTERS} characters.`,
    pattern: SEND_PURPOSE.source,
    maxLength: MAX_SEND_PURPOSE_CHARACTERS,
  });

function findPurposeFault(purpose: string): string | undefined {
  if (!SEND_PURPOSE.test(purpose)) {
    const [other] = /[^A-Za-z0-9_ -]/u.exec(purpose.trim()) ?? [];
    return `must be words of A-Z, a-z, 0-9, "-" and "_" with spaces between them only${other ? `: it has ${quote(other)}` : ""}`;
  }
  return purpose.trim().length <= MAX_SEND_PURPOSE_CHARACTERS
    ? undefined
    : `must have at most ${MAX_SEND_PURPOSE_CHARACTERS} characters`;
}

/** What cannot be seen, or is easily taken for another character, is named by its number, too. */
function quote(character: string): string {
  if (/[!-~]/.test(character)) return `"${character}"`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character)
    ? `"${character}" (${toCodePoint(character)})`
    : toCodePoint(character);
}

const kind = z
  .enum(KINDS, "must be marketing or transactional")
  .describe(
    "`marketing` or `transactional` (a code, a receipt). Without it, the operator's list of transactional purposes decides. Frequency caps and sending hours apply to marketing only.",
  );

const timeZone = timeZoneName.meta({
  description:
    "The IANA name of the person's time zone, for sending hours, stored as you send it. Without it, the number decides.",
  examples: ["America/Chicago"],
});

const region = regionCode.meta({
  description:
    "The ISO 3166-2 code of the state or region where the person is, such as `US-NY`, for sending hours. Without it, the number decides.",
  examples: ["US-FL"],
});

/**
 * The rule for the recipient, reported together with the rules of the fields. A body with `phone` may have any `email`: it is
 * ignored.
 */
const requireRecipient = ruleOfFields<{ phone?: unknown; email?: unknown }>(({ phone, email }, add) => {
  if (!isAbsent(phone)) return;
  if (isAbsent(email)) add("phone", "either phone or email must be given");
  else if (typeof email !== "string" || !isEmail(email.trim())) {
    add("email", "must be an e-mail address, such as ada@example.com");
  }
});

/** The rule of requireRecipient, in the form that checkers of examples and generators of types read as it is meant. */
const RECIPIENT = {
  allOf: [
    {
      anyOf: [
        { required: ["phone"], properties: { phone: { type: "string", pattern: "\\S" } } },
        { required: ["email"], properties: { email: { type: "string", format: "email" } } },
      ],
    },
  ],
};

export const sendRequestSchema = jsonObject({
  phone: orEmpty(phone),
  email,
  text,
  mediaUrl: orEmpty(webUrl),
  clickUrl: orEmpty(webUrl),
  callbackData,
  sendPurpose,
  sendAt: orEmpty(sendAt),
  expireAt: orEmpty(expireAt),
  kind: orEmpty(kind),
  timeZone: orEmpty(timeZone),
  region: orEmpty(region),
})
  .check(requireRecipient)
  .transform((body) => ({
    text: body.text,
    mediaUrl: body.mediaUrl || null,
    clickUrl: body.clickUrl || null,
    callbackData: body.callbackData,
    sendPurpose: body.sendPurpose,
    phone: body.phone ? toDigits(body.phone) : null,
    email: body.phone ? null : String(body.email).trim().toLowerCase(),
    // Left out where they are absent: hardly any message has them, and all of them would carry them.
    ...(body.sendAt ? { sendAt: Date.parse(body.sendAt) } : {}),
    ...(body.expireAt ? { expireAt: Date.parse(body.expireAt) } : {}),
    ...(body.kind ? { kind: body.kind as MessageKind } : {}),
    ...(body.timeZone ? { timeZone: body.timeZone } : {}),
    ...(body.region ? { region: body.region } : {}),
  }))
  .meta(RECIPIENT);

/**
 * The request, or every rule that its body breaks.
 * @param link as long as the one that takes the place of its clickUrl
 * @param now milliseconds since 1970
 */
export function trySendRequest(body: unknown, link: string, now: number): Tried<SendRequest> {
  const { data, details = [] } = tryFields(sendRequestSchema, body);
  const faults = [...findLinkedFaults(body, details, link), ...findTimeFaults(body, details, now)];
  return data && faults.length === 0 ? { data: { ...data, ...ignoredOf(body) } } : { details: [...details, ...faults] };
}

/** Left out where there are none: hardly any message has some, and all of them would carry it. */
function ignoredOf(body: unknown): Pick<SendRequest, "ignoredFields"> {
  const ignored = new IgnoredFields();
  ignored.addOf(sendRequestSchema, body);
  return ignored.names.length > 0 ? { ignoredFields: ignored.names } : {};
}

/** The link may be longer than the URL that it replaces. Without a text or a URL, there is nothing to measure. */
function findLinkedFaults(body: unknown, details: FieldError[], link: string): FieldError[] {
  const { text, clickUrl } = Object(body) as Record<string, unknown>;
  if (isFaulty(details, "text", "clickUrl") || isAbsent(clickUrl)) return [];
  const surplus = surplusOf(placeLink(String(text), String(clickUrl).trim(), link), MAX_TEXT_CHARACTERS);
  if (surplus === 0) return [];
  const message = `must have at most ${MAX_TEXT_CHARACTERS} characters with its link: shorten it by ${surplus}`;
  return [{ field: "text", message }];
}

/** A valid send request: `phone` as digits, absent optional fields null, exactly one of phone and email. */
export type SendRequest = z.output<typeof sendRequestSchema> & {
  /** Names of fields that no send request has. */
  ignoredFields?: string[];
};

export const sendAnswerSchema = z.object({ messageId: z.uuid(), ...scheduledForShape, ...ignoredFieldsShape });
