// Pure. The request and the response of POST /text/message/send.
import * as z from "zod/mini";
import { isEmail } from "./email.ts";
import { type FieldError, type Tried, tryFields } from "./failure.ts";
import { jsonObject, orAbsent, ruleOfFields, rulesInOrder } from "./fields.ts";
import { IgnoredFields } from "./ignored-fields.ts";
import { isBlank, strip } from "./invisible.ts";
import { placeLink } from "./link.ts";
import { isE164, toDigits } from "./phone.ts";
import { explainPhone } from "./phone-fault.ts";
import { ILL_FORMED, isWellFormed } from "./well-formed.ts";

export const MAX_TEXT_CHARACTERS = 1600;
const MAX_URL_CHARACTERS = 2048;
const MAX_CALLBACK_DATA_BYTES = 8192;
const MAX_SEND_PURPOSE_CHARACTERS = 100;

function requiredString(example: string) {
  return z.string({
    error: (issue) =>
      issue.input === undefined || issue.input === null ? "is required" : `must be a string${example}`,
  });
}

const e164 = z.string({ error: "must be a string" }).check(
  z.overwrite((value) => strip(value)),
  z.refine((value) => value === "" || isE164(value), { error: ({ input }) => explainPhone(String(input)) }),
);

const webUrl = z
  .string({ error: "must be a string" })
  .check(
    z.trim(),
    rulesInOrder(
      [(value) => value.length <= MAX_URL_CHARACTERS, `must have at most ${MAX_URL_CHARACTERS} characters`],
      [
        (value) => value === "" || (/^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(value) && URL.canParse(value)),
        "must be an absolute http or https URL, such as https://example.com/sale",
      ],
    ),
  );

const text = requiredString("").check(
  rulesInOrder(
    [(value) => value.trim() !== "", "must not be empty or only white space"],
    [(value) => surplusOf(value) <= 0, `must have at most ${MAX_TEXT_CHARACTERS} characters`],
    [isWellFormed, ILL_FORMED],
  ),
);

/** Characters over the limit. A surrogate pair is one. */
function surplusOf(value: string): number {
  return value.length <= MAX_TEXT_CHARACTERS ? 0 : [...value].length - MAX_TEXT_CHARACTERS;
}

const callbackData = requiredString(' that holds JSON, such as "{\\"profileId\\":\\"42\\"}", or ""').check(
  rulesInOrder(
    [
      (value) => new TextEncoder().encode(value).byteLength <= MAX_CALLBACK_DATA_BYTES,
      `must have at most ${MAX_CALLBACK_DATA_BYTES} bytes in UTF-8`,
    ],
    [(value) => value === "" || isJson(value), 'must be a string that parses as JSON, or ""'],
    [isWellFormed, ILL_FORMED],
  ),
);

const SEND_PURPOSE = /^\s*[A-Za-z0-9_-]+(?: +[A-Za-z0-9_-]+)*\s*$/;

export const sendPurpose = requiredString("").check(
  rulesInOrder(
    [(value) => SEND_PURPOSE.test(value), 'must be words of A-Z, a-z, 0-9, "-" and "_" with spaces between them only'],
    [
      (value) => value.trim().length <= MAX_SEND_PURPOSE_CHARACTERS,
      `must have at most ${MAX_SEND_PURPOSE_CHARACTERS} characters`,
    ],
  ),
  z.trim(),
);

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

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

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && isBlank(value));
}

const fields = jsonObject({
  phone: orAbsent(e164),
  email: z.optional(z.unknown()),
  text,
  mediaUrl: orAbsent(webUrl),
  clickUrl: orAbsent(webUrl),
  callbackData,
  sendPurpose,
}).check(requireRecipient);

export const sendRequestSchema = z.pipe(
  fields,
  z.transform(({ phone, email, ...rest }) => ({
    ...rest,
    phone: phone === null ? null : toDigits(phone),
    email: phone === null ? String(email).trim().toLowerCase() : null,
  })),
);

/**
 * The request, or every rule that its body breaks.
 * @param link as long as the one that takes the place of its clickUrl
 */
export function trySendRequest(body: unknown, link: string): Tried<SendRequest> {
  const { data, details } = tryFields(sendRequestSchema, body);
  const fault = findLinkedFault(body, details ?? [], link);
  return data && !fault
    ? { data: { ...data, ...ignoredOf(body) } }
    : { details: [...(details ?? []), ...(fault ? [fault] : [])] };
}

/** Left out where there are none: hardly any message has some, and all of them would carry it. */
function ignoredOf(body: unknown): Pick<SendRequest, "ignoredFields"> {
  const ignored = new IgnoredFields();
  ignored.addOf(sendRequestSchema, body);
  return ignored.names.length > 0 ? { ignoredFields: ignored.names } : {};
}

/** The link may be longer than the URL that it replaces. Without a text or a URL, there is nothing to measure. */
function findLinkedFault(body: unknown, details: FieldError[], link: string): FieldError | undefined {
  const { text, clickUrl } = Object(body) as Record<string, unknown>;
  if (details.some(({ field }) => ["body", "text", "clickUrl"].includes(field)) || isAbsent(clickUrl)) return undefined;
  const surplus = surplusOf(placeLink(String(text), String(clickUrl).trim(), link));
  if (surplus <= 0) return undefined;
  const message = `must have at most ${MAX_TEXT_CHARACTERS} characters with its link: shorten it by ${surplus}`;
  return { field: "text", message };
}

/** With descriptions. A function, so that the bundle of the Worker leaves them out: only the OpenAPI document needs them. */
export function describedSendRequest() {
  e164.register(z.globalRegistry, {
    description:
      "E.164, such as `+12125550100`: a plus sign, the country code, and the number as it is dialed from abroad, in digits only. Its length must exist in the country. Required where `email` is absent.",
    examples: ["+12125550100"],
    pattern: "^\\s*(\\+[1-9]\\d{1,14})?\\s*$",
  });
  fields.shape.email.register(z.globalRegistry, {
    type: ["string", "null"],
    description:
      "An e-mail address, in any case: its subscribed number, or of several the one subscribed last. Required where `phone` is absent, ignored where it is given.",
    examples: ["ada@example.com"],
  });
  text.register(z.globalRegistry, {
    description: `1 to ${MAX_TEXT_CHARACTERS} characters with its link, not only white space.`,
    minLength: 1,
    maxLength: MAX_TEXT_CHARACTERS,
  });
  webUrl.register(z.globalRegistry, {
    description: `An absolute http or https URL, at most ${MAX_URL_CHARACTERS} characters.`,
    pattern: "^\\s*([Hh][Tt][Tt][Pp][Ss]?://\\S+)?\\s*$",
  });
  callbackData.register(z.globalRegistry, {
    description: `A string that holds JSON, at most ${MAX_CALLBACK_DATA_BYTES} bytes in UTF-8. Callbacks return it byte for byte. \`""\`: no callback.`,
    contentMediaType: "application/json",
    maxLength: MAX_CALLBACK_DATA_BYTES,
  });
  describeSendPurpose();
  // The rule of requireRecipient, in the form that checkers of examples and generators of types read as it is meant.
  return sendRequestSchema.register(z.globalRegistry, {
    allOf: [
      {
        anyOf: [
          { required: ["phone"], properties: { phone: { type: "string", pattern: "\\S" } } },
          { required: ["email"], properties: { email: { type: "string", format: "email" } } },
        ],
      },
    ],
  });
}

export function describeSendPurpose(): void {
  sendPurpose.register(z.globalRegistry, {
    description: `The purpose, such as the name of a campaign: words of A–Z a–z 0–9 \`-\` \`_\` with spaces between, at most ${MAX_SEND_PURPOSE_CHARACTERS} characters.`,
    pattern: SEND_PURPOSE.source,
    maxLength: MAX_SEND_PURPOSE_CHARACTERS,
  });
}

/** A valid send request: `phone` as digits, absent optional fields null, exactly one of phone and email. */
export type SendRequest = z.output<typeof sendRequestSchema> & {
  /** Names of fields that no send request has. */
  ignoredFields?: string[];
};

/** A function, so that the bundle of the Worker leaves it out: only the OpenAPI document needs it. */
export function sendAnswerSchema() {
  return z.object({ messageId: z.uuid() });
}
