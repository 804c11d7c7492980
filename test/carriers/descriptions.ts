/** What Twilio and Telnyx publish of their APIs, as checks: each gives what is wrong, an empty list for nothing. */
import { Ajv, type AnySchema, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import telnyxApi from "./fixtures/telnyx-api.json" with { type: "json" };
import twilioApi from "./fixtures/twilio-api.json" with { type: "json" };

type Check = (value: unknown) => string[];

/** Their own formats, which no standard has. An address is a number or a short code. */
const FORMATS = {
  "phone-number": /^\+?[1-9]\d{2,14}$/,
  "date-time-rfc-2822": (text: string) => !Number.isNaN(Date.parse(text)),
  currency: /^[A-Za-z]{3}$/,
  float: { type: "number", validate: () => true },
  "uri-map": true,
} as const;

const options = { allErrors: true, allowUnionTypes: true, strict: true, strictTypes: false, formats: FORMATS } as const;

/** OpenAPI 3.0, the dialect of Twilio's description, is nearest to draft 7; 3.1, Telnyx's, is draft 2020-12. */
const twilioAjv = new Ajv(options);
const telnyxAjv = new Ajv2020(options);
for (const ajv of [twilioAjv, telnyxAjv]) {
  addFormats.default(ajv);
  // No standard has it, and what ajv-formats takes for one needs a path and a long top-level domain.
  ajv.addFormat("url", (text) => /^https?:/.test(text) && URL.canParse(text));
  ajv.addVocabulary(["components"]);
}
twilioAjv.addSchema({ $id: "twilio", components: twilioApi.components } as AnySchema, "twilio");
telnyxAjv.addSchema({ $id: "telnyx", components: telnyxApi.components } as AnySchema, "telnyx");

/** A request with a field that is not in the description is refused: a misspelt one would be ignored over there. */
const twilioRequest = compile(twilioAjv, {
  $id: "twilio-request",
  components: twilioApi.components,
  ...twilioApi.components.schemas.CreateMessageRequest,
  additionalProperties: false,
});
const telnyxRequest = compile(telnyxAjv, {
  $id: "telnyx-request",
  components: telnyxApi.components,
  ...telnyxApi.components.schemas.CreateMessageRequest,
  additionalProperties: false,
});

export const twilioAnswerFaults = compile(twilioAjv, { $ref: "twilio#/components/schemas/Message" });
export const telnyxAnswerFaults = compile(telnyxAjv, { $ref: "telnyx#/components/schemas/MessageResponse" });
export const telnyxRefusalFaults = compile(telnyxAjv, { $ref: "telnyx#/components/schemas/messaging_Errors" });
export const telnyxReceiptFaults = compile(telnyxAjv, { $ref: "telnyx#/components/schemas/OutboundMessageEvent" });
export const telnyxInboundFaults = compile(telnyxAjv, { $ref: "telnyx#/components/schemas/InboundMessageEvent" });

/** The faults of the whole request: where it goes, how it is written, and what is in it. */
export function twilioRequestFaults(request: Request, body: string): string[] {
  const [before = "", after = ""] = twilioApi.path.split("{AccountSid}");
  const { pathname } = new URL(request.url);
  const accountSid = pathname.slice(before.length, -after.length);
  const form = new URLSearchParams(body);
  const names = new Set(form.keys());
  const fieldOf = (name: string) => {
    if (name === "MediaUrl") return form.getAll(name);
    const value = only(form.getAll(name));
    // A form has no numbers.
    return name === "ValidityPeriod" ? Number(value) : value;
  };
  const fields = [...names].map((name) => [name, fieldOf(name)]);
  return [
    ...differs("method", request.method, twilioApi.method),
    ...differs("path", pathname, before + accountSid + after),
    ...(new RegExp(twilioApi.accountSidPattern).test(accountSid) ? [] : [`account: ${accountSid}`]),
    ...differs("content type", request.headers.get("content-type"), twilioApi.contentType),
    ...twilioRequest(Object.fromEntries(fields)),
    ...twilioApi.oneOfEach
      .filter((group) => !group.some((name) => names.has(toFormName(name))))
      .map((group) => `lacks one of ${group.join(", ")}`),
  ];
}

export function telnyxRequestFaults(request: Request, body: string): string[] {
  return [
    ...differs("method", request.method, telnyxApi.method),
    ...differs("path", new URL(request.url).pathname, `/v2${telnyxApi.path}`),
    ...differs("content type", request.headers.get("content-type"), telnyxApi.contentType),
    ...telnyxRequest(JSON.parse(body)),
  ];
}

/** The statuses that a message sent by us can have, as published. */
export const TWILIO_STATUSES: string[] = twilioApi.components.schemas.message_enum_status.enum;
export const TELNYX_STATUSES: string[] =
  telnyxApi.components.schemas.OutboundMessagePayload.properties.to.items.properties.status.enum;

export const TWILIO_ANSWER = twilioApi.responseExample;

function compile(ajv: Ajv | Ajv2020, schema: AnySchema): Check {
  const validate: ValidateFunction = ajv.compile(schema);
  return (value) => (validate(value) ? [] : [ajv.errorsText(validate.errors)]);
}

function differs(what: string, value: string | null, expected: string): string[] {
  return value === expected ? [] : [`${what}: ${value} in place of ${expected}`];
}

function only(values: string[]): string | string[] {
  return values.length === 1 ? (values[0] ?? "") : values;
}

/** messaging_service_sid as MessagingServiceSid */
function toFormName(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
