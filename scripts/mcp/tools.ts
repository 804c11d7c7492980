// Makes a tool of each call of the operator: its words and its schema are those of the OpenAPI document.
import { loadSource } from "../load-source.ts";

/** What is used here of src/http/call.ts. */
interface Call {
  id: string;
  access: unknown;
  reveals?: true;
}

type Schema = Record<string, unknown>;

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters?: { name: string; in: "path" | "query"; required: boolean; description: string; schema: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface Tool {
  /** The operationId. */
  name: string;
  title: string;
  /** At most MOST_CHARACTERS. */
  description: string;
  /** The whole description, where that is longer. */
  more?: string;
  inputSchema: Schema;
  /** It changes something: a viewer is refused. */
  isWrite: boolean;
  toRequest(args: Record<string, unknown>): { method: string; path: string; body?: object };
}

/** Some models refuse a list of tools in which a description is longer: https://platform.openai.com/docs/guides/function-calling */
export const MOST_CHARACTERS = 1024;

/** Where the whole description of a tool is. */
export const uriOf = (name: string) => `textgate://tools/${name}`;

/** Fields of a body or an answer that let their reader in somewhere. */
const SECRETS = ["clientSecret", "callbackSecret", "token", "authToken"];

/**
 * @returns the calls that an agent may make: none that shows people in full, issues or takes a secret, or takes or answers something else than JSON
 */
export async function listTools(): Promise<Tool[]> {
  const [{ CALLS }, { isForOperators }, { makeDocument }] = (await Promise.all([
    loadSource("calls.ts"),
    loadSource("http/call.ts"),
    loadSource("openapi/document.ts"),
  ])) as [{ CALLS: Call[] }, { isForOperators(call: Call): boolean }, { makeDocument(): Document }];
  const document = makeDocument();
  const calls = new Map(CALLS.filter(({ access }) => access === "operator").map((call) => [call.id, call]));
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const call = calls.get(operation.operationId);
      if (!call || call.reveals || !isJson(operation) || hasSecrets(document, operation)) return [];
      return [
        {
          ...toTool(document, method.toUpperCase(), path, operation, FINAL.has(call.id)),
          isWrite: isForOperators(call),
        },
      ];
    }),
  );
}

/** A report that may also be had as CSV is JSON as well. */
function isJson({ requestBody, responses }: Operation): boolean {
  const contents = [requestBody?.content, ...successesOf(responses)].filter((content) => content !== undefined);
  return contents.every((content) => "application/json" in content);
}

const successesOf = (responses: Operation["responses"]) =>
  Object.entries(responses).flatMap(([status, { content }]) => (status.startsWith("2") && content ? [content] : []));

function hasSecrets(document: Document, { requestBody, responses }: Operation): boolean {
  const contents = [requestBody?.content, ...successesOf(responses)];
  const schemas = contents.map((content) => content?.["application/json"]?.schema);
  const text = JSON.stringify(inline(document, schemas));
  return SECRETS.some((name) => text.includes(`"${name}":{`));
}

/** What nobody can take back. */
const FINAL = new Set(["erasePerson", "erasePersonEverywhere", "cancelWaitingMessages"]);

/** The count on which a person would have to agree before something that cannot be undone. An agent always says it. */
const EXPECTED = "expected";

type Body = Schema & { properties?: Record<string, Schema>; required?: string[] };

function withExpected(body: Body, isFinal: boolean): Body {
  const { properties = {}, required = [] } = body;
  return isFinal && EXPECTED in properties ? { ...body, required: [...required, EXPECTED] } : body;
}

function toTool(
  document: Document,
  method: string,
  path: string,
  { operationId, summary, description, parameters = [], requestBody }: Operation,
  isFinal: boolean,
): Omit<Tool, "isWrite"> {
  // Only JSON: CSV is a file for a person.
  const taken = parameters.filter(({ name }) => name !== "format");
  const given = requestBody?.content["application/json"]?.schema;
  const body = given && withExpected(inline(document, given) as Body, isFinal);
  const inputSchema = {
    type: "object",
    properties: {
      ...Object.fromEntries(taken.map(({ name, description, schema }) => [name, { ...schema, description }])),
      ...(body ? { body } : {}),
    },
    required: [
      ...taken.filter(({ name, required }) => required || (isFinal && name === EXPECTED)).map(({ name }) => name),
      ...(requestBody?.required || body?.required?.includes(EXPECTED) ? ["body"] : []),
    ],
    additionalProperties: false,
  };
  return {
    ...{ name: operationId, title: summary, inputSchema: withoutTypeLists(inputSchema) as Schema },
    ...describe(operationId, `${summary}. ${description}`),
    toRequest(args) {
      const query = new URLSearchParams();
      for (const parameter of taken) {
        const value = args[parameter.name];
        if (parameter.in === "query" && value !== undefined) query.set(parameter.name, String(value));
      }
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => toSegment(name, String(args[name])));
      const search = query.size > 0 ? `?${query}` : "";
      return { method, path: filled + search, ...(body && args.body ? { body: args.body as object } : {}) };
    },
  };
}

/** Shortens a long description to its first paragraphs, without tables. */
function describe(name: string, whole: string): Pick<Tool, "description" | "more"> {
  if (whole.length <= MOST_CHARACTERS) return { description: whole };
  const end = `The resource ${uriOf(name)} says more.`;
  const paragraphs = whole.split(/\n{2,}/).filter((paragraph) => !paragraph.startsWith("|"));
  let description = "";
  for (const paragraph of paragraphs) {
    const longer = `${description}${paragraph}\n\n`;
    if (longer.length + end.length > MOST_CHARACTERS) break;
    description = longer;
  }
  return { description: description + end, more: whole };
}

/** Some models refuse a list of types: each type becomes a choice of its own. */
function withoutTypeLists(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutTypeLists);
  if (typeof schema !== "object" || schema === null) return schema;
  const { type, description, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, inner]) => [name, withoutTypeLists(inner)]),
  );
  if (!Array.isArray(type))
    return { ...(type === undefined ? {} : { type }), ...(description === undefined ? {} : { description }), ...rest };
  const choices = type.map((one) => (one === "null" ? { type: one } : { type: one, ...rest }));
  return { ...(description === undefined ? {} : { description }), anyOf: choices };
}

/** @throws Error a URL would lead elsewhere */
function toSegment(name: string, value: string): string {
  if (value === "" || value === "." || value === "..") throw new Error(`${name} must not be "${value}"`);
  return encodeURIComponent(value);
}

/** The value with each reference replaced by what it refers to. */
function inline(document: Document, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(document, item));
  if (typeof value !== "object" || value === null) return value;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === "string") {
    const name = $ref.replace("#/components/schemas/", "");
    return inline(document, document.components.schemas[name]);
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inline(document, inner)]));
}
