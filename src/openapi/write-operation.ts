import { toSize } from "../domain/to-size.ts";
import type { Access, Answer, Call, RequestBody } from "../http/call.ts";
import { SANDBOX_ERRORS } from "../http/sandbox-error.ts";
import { type ErrorResponses, errorsOf } from "./errors.ts";
import { type HeaderName, referTo } from "./headers.ts";
import type { JsonObject, SchemaNames } from "./schemas.ts";
import { fillDescription } from "./tables.ts";

/** No parameter: importers of the document would send each header that a call may have, and ask for an error without knowing it. */
const SANDBOX_ERROR = `For a website of the sandbox, the header \`Sandbox-Error\` asks for an error: ${SANDBOX_ERRORS.join(", ")}.`;

/** A path of the router as OpenAPI writes it: `/operator/websites/{websiteId}`. */
export const toTemplate = (path: string) => path.replaceAll(/:(\w+)/g, "{$1}");

/** An Operation Object. */
export function writeOperation(call: Call, names: SchemaNames, errors: ErrorResponses): JsonObject {
  const { id, tag, summary, access, parameters, body, answers } = call;
  const isLimited = typeof access === "object";
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: describe(call),
    security: writeSecurity(access),
    ...(parameters && parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: writeBody(body, names) } : {}),
    responses: {
      ...Object.fromEntries(answers.map((answer) => [answer.status, writeAnswer(answer, call, names)])),
      ...errors.byStatus(errorsOf(call), isLimited),
    },
  };
}

function describe({ description, access }: Call): string {
  return typeof access === "object"
    ? `${description}\n\nThe client needs the operation \`${access.client}\`.\n\n${SANDBOX_ERROR}`
    : fillDescription(description);
}

/** OpenAPI has no scheme for the proof of a carrier, so the description has it. */
function writeSecurity(access: Access): JsonObject[] {
  if (typeof access === "object") return [{ ClientId: [], ClientSecret: [] }];
  return access === "operator" ? [{ Operator: [] }] : [];
}

function writeBody(body: RequestBody, names: SchemaNames): JsonObject {
  const { mediaTypes, schema, examples } = body;
  const description = `${body.description ?? ""} At most ${toSize(body.limitBytes)}.`.trim();
  const values = Object.entries(examples).map(([name, value]) => [name, { value }]);
  const content = {
    schema: names.refer(schema),
    ...(values.length > 0 ? { examples: Object.fromEntries(values) } : {}),
  };
  return {
    required: !body.isOptional,
    description,
    content: Object.fromEntries(mediaTypes.map((type) => [type, content])),
  };
}

function writeAnswer({ headers = [], ...answer }: Answer, { access, body }: Call, names: SchemaNames) {
  // Those of carriers read no fields of ours, and what is open to anyone names no parameters.
  const isOpen = access === "carrier" || access === "open";
  const hasFields = !isOpen || (access === "open" && body?.mediaTypes.includes("application/json"));
  const all: HeaderName[] = [
    "X-Request-Id",
    ...(typeof access === "object" ? (["RateLimit-Policy", "RateLimit"] as const) : []),
    ...(hasFields ? (["Ignored-Fields"] as const) : []),
    ...headers,
  ];
  const content = [answer, answer.other ?? {}].flatMap((form) => writeForm(form, names));
  return {
    description: answer.description,
    headers: referTo(all),
    ...(content.length > 0 ? { content: Object.fromEntries(content) } : {}),
  };
}

/** One media type of an answer, and its content. */
function writeForm({ mediaType, schema, example }: Partial<Answer>, names: SchemaNames): [string, JsonObject][] {
  if (mediaType === undefined) return [];
  return [
    [mediaType, { ...(schema ? { schema: names.refer(schema) } : {}), ...(example === undefined ? {} : { example }) }],
  ];
}
