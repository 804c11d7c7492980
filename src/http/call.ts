// A call, declared once: the router's table, the OpenAPI document, the tables of docs/ and the operator's shell are made from it.
import type * as z from "zod";
import type { Deps } from "../deps.ts";
import type { Operation } from "../domain/clients/client.ts";
import { TIME } from "../domain/day.ts";
import type { ApiRequest, Handler } from "./api-request.ts";
import type { ErrorKind } from "./error-codes.ts";

/** Who may call: a client with the named operation granted, the operator, a carrier, or anyone. */
export type Access = { client: Operation } | "operator" | "carrier" | "open";

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  /** A JSON schema. */
  schema: { type?: string; enum?: readonly string[]; [keyword: string]: unknown };
  /** Filled in where the operation is tried out: what may be left out has none. */
  example?: string;
}

export interface RequestBody {
  /** A carrier's webhook may take several types. */
  mediaTypes: string[];
  schema: z.ZodType;
  description?: string;
  /** The request may have none. */
  isOptional?: true;
  limitBytes: number;
  examples: Record<string, unknown>;
}

/** What is answered when nothing goes wrong. */
export interface Answer<Schema extends z.ZodType = z.ZodType> {
  status: number;
  description: string;
  mediaType?: string;
  schema?: Schema;
  example?: unknown;
  /** The same in another form, where the request asks for it. */
  other?: { mediaType: string; schema: z.ZodType; example: unknown };
  headers?: ("Location" | "Retry-After")[];
}

/**
 * How an operator calls it in the shell. Its arguments are the parameters of the path; its options are those of the query and the
 * fields of the body, in the words of the declaration.
 */
export interface Command<Body = unknown> {
  name: string;
  /** Parameters or fields that are also arguments, after those of the path. */
  arguments?: readonly string[];
  /** By their names in the shell, where those are other than the names of the fields. */
  options?: Record<string, CommandOption>;
  /**
   * For the second of two calls with the same name: the option that chooses it. With `fills` its value is that parameter of the path; else it
   * is a switch in the place of the first argument.
   */
  chosenBy?: { option: string; summary: string; fills?: string };
  /** It cannot be undone: the shell wants `--yes`. */
  isFinal?: true;
  /** What only the shell has to say of it. */
  notes?: string;
  /** The columns of a list of the answer, where all of them are too many, or in another order. */
  columns?: Record<string, readonly string[]>;
  /**
   * What the operator is told below the answer: what it means, what is next.
   * @param given the arguments and options, by their names in the shell
   */
  next?(answer: Body, given: Readonly<Record<string, unknown>>): string | null | undefined;
  /** Whether the answer shows a problem, for the exit code. */
  hasProblem?(answer: Body): boolean;
}

export interface CommandOption {
  /** The parameter or field. */
  field: string;
  /** A switch that gives the field this value. */
  sets?: string | boolean | null;
  /** In the place of the description of the field. */
  summary?: string;
}

export interface Call {
  /** The `operationId` of the document. */
  id: string;
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As the router has it: `/operator/websites/:websiteId`. */
  path: string;
  tag: string;
  summary: string;
  /** Markdown. A table of src/openapi/tables.ts stands where its name is in a comment: `<!-- states -->`. */
  description: string;
  access: Access;
  /** A call of a client that is counted against the limit by what stores it, not before. */
  isCountedWhenStored?: true;
  /**
   * In which database it is answered: that of the client's website; or that of the website, client or message that the path names. Left
   * out: the first, or `run` looks for it.
   */
  database?: "client" | "named";
  parameters?: Parameter[];
  body?: RequestBody;
  answers: Answer[];
  /** In addition to the errors of its access and its body. */
  errors?: ErrorKind[];
  /** Each call of the operator has one. */
  command?: Command;
  /** A POST of the operator that changes nothing, so a viewer may call it. */
  isRead?: true;
  /** A call of the operator that is there to show people in full. A viewer is refused, and for anybody who is signed in it is audited. */
  reveals?: true;
  /** A call of the operator whose answer in another form than JSON names nobody. Anything else in such a form is not for a viewer. */
  namesNobody?: true;
  run: Handler;
}

/** Whether a viewer is refused, whatever form of the answer is asked for. */
export function isForOperators({ method, isRead, reveals }: Pick<Call, "method" | "isRead" | "reveals">): boolean {
  return reveals === true || (method !== "GET" && isRead !== true);
}

/** The parameters that name a person. */
const PEOPLE = new Set(["phone", "email", "person"]);

/** Whether its path or its query may name a person, of whom it reads. What changes or reveals has entries of its own in the audit log. */
export function looksUpPeople(call: Call): boolean {
  const { access, reveals, parameters = [] } = call;
  return access === "operator" && !reveals && !isForOperators(call) && parameters.some(({ name }) => PEOPLE.has(name));
}

/** Whether the call has an answer that is no JSON and may name people. */
export function hasFiles({ answers, namesNobody }: Pick<Call, "answers" | "namesNobody">): boolean {
  const types = answers.flatMap(({ mediaType, other }) => [mediaType, other?.mediaType]);
  return namesNobody !== true && types.some((type) => type !== undefined && type !== "application/json");
}

/** A call as it is written: what `run` returns is the first answer, as JSON, or the response itself. */
export type Declared<Schema extends z.ZodType> = Omit<Call, "answers" | "command" | "run"> & {
  answers: readonly [Answer<Schema>, ...Answer[]];
  command?: Command<z.output<Schema>>;
  run(
    request: ApiRequest,
    deps: Deps,
  ): z.output<NoInfer<Schema>> | Response | Promise<z.output<NoInfer<Schema>> | Response>;
};

export function call<Schema extends z.ZodType>({ run, ...declared }: Declared<Schema>): Call {
  const { status } = declared.answers[0];
  const isTold = typeof declared.access === "object" && declared.body !== undefined;
  return {
    ...declared,
    answers: [...declared.answers],
    run: async (request, deps) => {
      const answer = await run(request, deps);
      if (answer instanceof Response) return answer;
      return Response.json(isTold ? { ...(answer as object), ...ignoredIn(request) } : answer, { status });
    },
  };
}

/** What the answer to a body says of its unknown fields. */
export function ignoredIn({ ignored }: ApiRequest): { ignoredFields?: string[] } {
  const names = ignored?.names ?? [];
  return names.length > 0 ? { ignoredFields: names } : {};
}

/** Calls of one subject, and the schemas that have a name in the document. */
export interface Resource {
  calls: Call[];
  schemas: Record<string, z.ZodType>;
}

/** The answer of a call that worked. The compiler checks the example against the schema. */
export function ok<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: z.output<NoInfer<Schema>>,
  status = 200,
): Answer<Schema> {
  return { status, mediaType: "application/json", schema, description, example };
}

export function jsonBody<Schema extends z.ZodType>(
  schema: Schema,
  limitBytes: number,
  examples: Record<string, z.input<NoInfer<Schema>>>,
): RequestBody {
  return { mediaTypes: ["application/json"], schema, limitBytes, examples };
}

export function inPath(name: string, description: string, example: string, schema: object = {}): Parameter {
  return { name, in: "path", required: true, description, schema: { type: "string", ...schema }, example };
}

/** What may be left out of the query. */
export function inQuery(name: string, description: string, schema: object = {}): Parameter {
  return { name, in: "query", required: false, description, schema: { type: "string", ...schema } };
}

/** A time or a day, as readTime takes it. */
export function timeInQuery(name: string, description: string): Parameter {
  const schema = {
    anyOf: [
      { type: "string", format: "date-time" },
      { type: "string", pattern: TIME.source },
    ],
  };
  return { name, in: "query", required: false, description, schema };
}
