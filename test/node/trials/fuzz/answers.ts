// Holds every answer to the document that the service itself gives, and counts.
import type { IncomingHttpHeaders } from "node:http";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

type JsonObject = Record<string, unknown>;

interface Documented {
  content?: Record<string, { schema: JsonObject }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, Documented | { $ref: string }> }>>;
  components: { responses: Record<string, Documented> };
}

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const VISIBLE = /^[\x20-\x7e]*$/;
const MOST_FAULTS = 20;

export class Answers {
  /** How many answers of each status each operation gave. */
  readonly counts = new Map<string, Map<number, number>>();
  readonly faults: string[] = [];
  faultCount = 0;
  readonly #document: OpenApi;
  readonly #paths: { path: string; form: RegExp }[];
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: true });
  readonly #validators = new Map<JsonObject, ValidateFunction>();

  constructor(document: OpenApi) {
    this.#document = closeObjects(document) as OpenApi;
    formats.default(this.#ajv);
    this.#ajv.addSchema({ $id: "api", components: this.#document.components });
    this.#paths = Object.keys(document.paths)
      .sort((a, b) => a.split("{").length - b.split("{").length)
      .map((path) => ({ path, form: new RegExp(`^/*${path.replaceAll(/\{\w+\}/g, "[^/]+")}/*$`) }));
  }

  /** @param url as the service sees it */
  take(method: string, url: URL, answer: Answer): void {
    const path = this.#paths.find(({ form }) => form.test(url.pathname))?.path;
    const isDocumented = path !== undefined && method.toLowerCase() in (this.#document.paths[path] ?? {});
    this.#count(isDocumented ? `${method} ${path}` : path ? "another method" : "no such path", answer.status);
    const fault = this.#faultOf(method, path, answer);
    if (fault) this.fail(`${method} ${url.pathname.slice(0, 100)}: ${fault}: ${answer.body.slice(0, 200)}`);
  }

  /** Operations of the document none of whose answers was a success, or a redirect: only their refusals have been tried. */
  neverGranted(): string[] {
    const operations = Object.entries(this.#document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    return operations.filter((name) => ![...(this.counts.get(name)?.keys() ?? [])].some((status) => status < 400));
  }

  fail(fault: string): void {
    this.faultCount += 1;
    if (this.faults.length < MOST_FAULTS) this.faults.push(fault);
  }

  #count(name: string, status: number): void {
    const counts = this.counts.get(name) ?? new Map<number, number>();
    this.counts.set(name, counts.set(status, (counts.get(status) ?? 0) + 1));
  }

  #faultOf(method: string, path: string | undefined, { status, headers, body }: Answer): string | undefined {
    if (status >= 500) return `HTTP ${status}`;
    if (!REQUEST_ID.test(String(headers["x-request-id"]))) return "no X-Request-Id";
    const raw = Object.entries(headers).find(([, value]) => !VISIBLE.test(String(value)));
    if (raw) return `the header ${raw[0]} is not visible ASCII`;
    const item = path === undefined ? undefined : this.#document.paths[path];
    const operation = item?.[method.toLowerCase()];
    // The document has no other method of a path.
    if (item && !operation && status === 405) return isWrongMethod(method, body) ? undefined : "no error 40500";
    const { responses } = this.#document.components;
    const response = operation ? operation.responses[status] : responses.Error40400;
    if (!response) return `HTTP ${status} is not documented`;
    return this.#contentFault(method, resolve(response, responses), String(headers["content-type"] ?? ""), body);
  }

  #contentFault(method: string, { content = {} }: Documented, type: string, body: string): string | undefined {
    if (method === "HEAD") return undefined;
    if (body === "") return Object.keys(content).length > 0 ? "the documented body is missing" : undefined;
    const documented = content[type.split(";")[0] ?? ""];
    if (!documented) return `the content type ${type} is not documented`;
    if (!type.startsWith("application/json")) return undefined;
    const validate =
      this.#validators.get(documented.schema) ?? this.#ajv.compile(withBase(documented.schema) as JsonObject);
    this.#validators.set(documented.schema, validate);
    return validate(parse(body)) ? undefined : `not as documented: ${this.#ajv.errorsText(validate.errors)}`;
  }
}

const isWrongMethod = (method: string, body: string) =>
  method === "HEAD" ? body === "" : (parse(body) as { code?: unknown }).code === 40_500;

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return "no JSON";
  }
}

function resolve(response: Documented | { $ref: string }, all: Record<string, Documented>): Documented {
  return "$ref" in response ? (all[response.$ref.split("/").at(-1) ?? ""] ?? {}) : response;
}

/** Everything in an answer must be documented: in the document itself, a client is left free to be given more. */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closeObjects(inner)]));
  const isOpen = copy.type === "object" && copy.properties && !("additionalProperties" in copy);
  return withBase(isOpen ? { ...copy, additionalProperties: false } : copy);
}

/** References lead into the document. */
function withBase(schema: unknown): unknown {
  const { $ref } = schema as { $ref?: string };
  return $ref?.startsWith("#/components/schemas/") ? { ...(schema as object), $ref: `api${$ref}` } : schema;
}
