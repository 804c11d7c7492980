import { dereference, type OutputUnit, validate } from "@cfworker/json-schema";
import { ERROR_CODES } from "../../src/http/error-codes.ts";
import { makeDocument } from "../../src/openapi/document.ts";
import { ErrorResponses } from "../../src/openapi/errors.ts";
import { HEADERS } from "../../src/openapi/headers.ts";
import type { JsonObject } from "../../src/openapi/schemas.ts";

interface Response3 {
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: JsonObject }>;
}

interface Operation3 {
  requestBody?: { content: Record<string, { schema: JsonObject }> };
  responses: Record<string, Response3 | { $ref: string }>;
}

export const documentOfApi = makeDocument();

/** Everything in an answer must be documented: in the document itself, a client is left free to be given more. */
const closed = closeObjects(documentOfApi) as typeof documentOfApi;

const paths = Object.keys(documentOfApi.paths)
  .sort((a, b) => a.split("{").length - b.split("{").length)
  .map((path) => ({ path, form: new RegExp(`^/*${path.replaceAll(/\{\w+\}/g, "[^/]+")}/*$`) }));

/**
 * Holds an answer to the document.
 * @throws Error that says what of it is not documented
 */
export async function expectDocumented(request: Request, sentBody: unknown, answer: Response): Promise<void> {
  const { pathname } = new URL(request.url);
  const what = `${request.method} ${pathname} ${answer.status}`;
  const item = closed.paths[paths.find(({ form }) => form.test(pathname))?.path ?? ""];
  const isHead = request.method === "HEAD";
  // HEAD is answered as GET, and without the body.
  const operation = (item?.[request.method.toLowerCase()] ?? (isHead && answer.status !== 405 && item?.get)) as
    | Operation3
    | undefined;
  const body = await answer.clone().text();
  if (isHead && body !== "") throw new Error(`${what}: has a body`);
  if (!operation) return expectFits(what, answer, body, item && answer.status !== 404 ? methodWrong : pathUnknown);
  const response = operation.responses[answer.status];
  if (!response) throw new Error(`${what}: this status is not documented`);
  expectFits(what, answer, body, resolve(response));
  if (answer.ok && !isHead && isAllTaken(body)) expectRequestFits(what, request, sentBody);
}

/** Holds what is posted to a client to the document. @throws Error that says what of it is not documented */
export function expectDocumentedEvent(event: Record<string, unknown>): void {
  const webhooks = closed.webhooks as Record<string, { post: { requestBody: NonNullable<Operation3["requestBody"]> } }>;
  const body = webhooks[String(event.eventType)]?.post.requestBody.content["application/json"];
  if (!body) throw new Error(`${event.eventType}: this event is not documented`);
  expectValid(String(event.eventType), body.schema, event);
}

function expectFits(what: string, answer: Response, body: string, { headers = {}, content = {} }: Response3): void {
  for (const [name, header] of Object.entries<{ schema: JsonObject; required?: boolean }>(HEADERS)) {
    const value = answer.headers.get(name);
    const { required, schema } = header;
    if (value === null && name in headers && required) throw new Error(`${what}: the header ${name} is missing`);
    if (value !== null && !(name in headers)) throw new Error(`${what}: the header ${name} is not documented`);
    if (value !== null) expectTextValid(`${what}, header ${name}`, schema, value, () => value);
  }
  expectContent(what, answer, body, content);
}

function expectContent(what: string, answer: Response, body: string, content: NonNullable<Response3["content"]>): void {
  const [type = ""] = (answer.headers.get("content-type") ?? "").split(";");
  if (body === "") {
    if (Object.keys(content).length > 0 && !what.startsWith("HEAD "))
      throw new Error(`${what}: the documented body is missing`);
    return;
  }
  const documented = content[type];
  if (!documented) throw new Error(`${what}: the content type ${type} is not documented`);
  const read = () => (type === "application/json" ? shorten(JSON.parse(body)) : body);
  expectTextValid(`${what}, body`, documented.schema, body, read);
}

/** @throws Error */
function expectTextValid(what: string, schema: JsonObject, text: string, read: () => unknown): void {
  const form = text.replace(REQUEST_ID, '"requestId":""');
  if (known.get(schema)?.has(form)) return;
  expectValid(what, schema, read());
  if (text.length < SHORT) known.get(schema)?.add(form);
}

/** Where there are many messages, an answer of success tells of those that are wrong. */
function isAllTaken(body: string): boolean {
  return !body.includes('"failedSent":[{');
}

/** What the service takes, the document allows. */
function expectRequestFits(what: string, request: Request, sentBody: unknown): void {
  const { pathname } = new URL(request.url);
  const path = paths.find(({ form }) => form.test(pathname))?.path ?? "";
  const operation = documentOfApi.paths[path]?.[request.method.toLowerCase()] as unknown as Operation3;
  const schema = operation.requestBody?.content["application/json"]?.schema;
  if (!schema || typeof sentBody !== "string" || pathname.startsWith("/carriers/")) return;
  expectValid(`${what}, request`, schema, withoutIgnored(shorten(JSON.parse(sentBody)) as JsonObject));
}

/** Beside a number, the address is ignored, whatever it is. */
function withoutIgnored({ email, ...body }: JsonObject): JsonObject {
  return body.phone || email === undefined ? body : { ...body, email };
}

/**
 * The schemas of a document by their addresses: its components once, and each schema of an answer or request when it is first met.
 * By whether what a schema refers to is closed: the examples of a request's body are held to it both ways.
 */
const lookups = {
  open: dereference({ components: documentOfApi.components }),
  closed: dereference({ components: closed.components }),
};
/** With each schema that was met, the short bodies and headers that were found to fit: many answers are the same. */
const known = new Map<JsonObject, Set<string>>();
const SHORT = 1000;
/** Each error has another one. One of another form is held to the document anew. */
const REQUEST_ID = /"requestId":"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/;

/** @throws Error */
export function expectValid(what: string, schema: JsonObject, value: unknown): void {
  const lookup = what.endsWith("request") ? lookups.open : lookups.closed;
  if (!known.has(schema)) {
    dereference(schema, lookup, undefined, `/met/${known.size}`);
    known.set(schema, new Set());
  }
  const { valid, errors } = validate(value, schema, "2020-12", lookup, false);
  if (!valid) throw new Error(`${what} does not fit the document: ${errors.map(describe).join("; ")}`);
}

function describe({ instanceLocation, error }: OutputUnit): string {
  return `${instanceLocation} ${error}`;
}

/** The document describes nothing that is nested so deeply. */
const DEEPEST = 50;

/** Keeps the first 100 items of each list, because the same code makes the others. */
function shorten(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST) return null;
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => shorten(item, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner, depth + 1)]));
}

/** What no operation answers is described as the errors of operations are. */
const errorsOfPaths = new ErrorResponses();
for (const kind of ["method-wrong", "path-unknown"] as const) errorsOfPaths.byStatus([kind], false);

const responseOf = (kind: "method-wrong" | "path-unknown") =>
  closeObjects(errorsOfPaths.components[`Error${ERROR_CODES[kind]}`]) as Response3;
const pathUnknown = responseOf("path-unknown");
const methodWrong = responseOf("method-wrong");

function resolve(response: Response3 | { $ref: string }): Response3 {
  if (!("$ref" in response)) return response;
  return closed.components.responses[response.$ref.split("/").at(-1) ?? ""] as Response3;
}

function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closeObjects(inner)]));
  const isOpen = copy.type === "object" && copy.properties && !("additionalProperties" in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}
