import type * as z from "zod";
import { failField, parseFields, RequestFailure } from "../domain/failure.ts";
import { joinBytes } from "../domain/join-bytes.ts";
import { explainEncoding } from "../domain/json-fault.ts";
import { explainNotJson } from "../domain/json-reader.ts";
import { IgnoredFields } from "../domain/messages/ignored-fields.ts";
import { findMisnamed } from "../domain/misnamed-fields.ts";
import { findRepeatedField, STANDS_TWICE } from "../domain/repeated-field.ts";
import type { ApiRequest, Handler } from "./api-request.ts";
import type { Call } from "./call.ts";

/** The largest body of each kind of request, in bytes. */
export const BODY_LIMITS = {
  /** Room for every field at its longest, with each character written as a \u escape. */
  send: 128 * 1024,
  /** Room for as many ids as a request may have, indented. */
  ids: 512 * 1024,
  bulk: 48 * 1024 * 1024,
  lists: 8 * 1024 * 1024,
  subscribers: 32 * 1024 * 1024,
  settings: 64 * 1024,
  carrier: 256 * 1024,
};

/**
 * How many arrays and objects a body may have. Each takes some hundred times the memory of its two characters, and a
 * Worker has 128 MB. Valid bodies have far fewer.
 */
export const MOST_NESTED = 100_000;

/**
 * The body as JSON.
 * @throws RequestFailure media-type-wrong, encoding-wrong, body-too-large, body-incomplete, body-not-json, fields-wrong
 */
export async function readJson(request: ApiRequest, limitBytes: number): Promise<{ value: unknown; text: string }> {
  requireMediaType(request, "application/json");
  const bytes = await readBytes(request, limitBytes);
  const text = decode(bytes);
  if (hasMore(text, "[", MOST_NESTED) || hasMore(text, "{", MOST_NESTED)) {
    failField("body", `must not have more than ${MOST_NESTED} arrays or objects`);
  }
  const value = parse(text, bytes);
  const repeated = findRepeatedField(text);
  if (repeated !== undefined) failField(repeated, STANDS_TWICE);
  return { value, text };
}

function parse(text: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(explainNotJson(bytes));
  }
}

/**
 * The fields of a JSON body. The names of unknown fields are noted for the answer.
 * @throws RequestFailure as readJson
 */
export async function readFields<T extends z.ZodType>(
  request: ApiRequest,
  schema: T,
  limitBytes: number,
): Promise<z.output<T>> {
  const { value } = await readJson(request, limitBytes);
  noteIgnored(request, schema, value);
  return parseFields(schema, value);
}

/**
 * The fields of a body that may be left out altogether: it then has none.
 * @throws RequestFailure as readJson
 */
export async function readOptionalFields<T extends z.ZodType>(
  request: ApiRequest,
  schema: T,
  limitBytes: number,
): Promise<z.output<T>> {
  if (request.body === null || request.headers.get("Content-Length") === "0") return parseFields(schema, {});
  return readFields(request, schema, limitBytes);
}

/** @param body a JSON value, which may break the rules of the schema */
export function noteIgnored(request: ApiRequest, schema: z.ZodType, body: unknown): void {
  request.ignored ??= new IgnoredFields();
  request.ignored.addOf(schema, body);
}

/**
 * Notes for the answer which names in the query are no parameters of the call. What is open to anyone names none. A change by an operator
 * is refused if a name is in other case: without `dryrun`, it would be done.
 */
export function noteUnknownQuery(
  { access, method, parameters = [] }: Pick<Call, "access" | "method" | "parameters">,
  run: Handler,
): Handler {
  if (access === "open" || access === "carrier") return run;
  const known = new Set(parameters.flatMap((parameter) => (parameter.in === "query" ? [parameter.name] : [])));
  return (request, deps) => {
    const details = access === "operator" && method !== "GET" ? findMisnamed(known, request.query) : [];
    if (details.length > 0) throw new RequestFailure({ kind: "fields-wrong", details });
    for (const name of Object.keys(request.query)) {
      if (known.has(name)) continue;
      request.ignored ??= new IgnoredFields();
      request.ignored.add(name);
    }
    return run(request, deps);
  };
}

function notJson(problem: string): RequestFailure {
  return new RequestFailure({ kind: "body-not-json", problem });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw notJson(explainEncoding(bytes, 0) ?? "is not UTF-8.");
  }
}

function hasMore(text: string, character: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
    if (++count > most) return true;
  }
  return false;
}

/** @param expected the usual one first. @throws RequestFailure media-type-wrong, encoding-wrong */
export function requireMediaType(request: ApiRequest, ...expected: [string, ...string[]]): void {
  const given = request.headers.get("Content-Type");
  // Webhook blocks send a header of their own beside the one that they were told to send: both come as one, with a comma.
  const types = (given ?? "").split(",").map((type) => type.split(";")[0]?.trim().toLowerCase());
  if (types.some((type) => !expected.includes(type ?? "")))
    throw new RequestFailure({ kind: "media-type-wrong", expected: expected[0], given });
  // What is compressed comes in as it is: its size would not say how much there is to parse.
  const encoding = request.headers.get("Content-Encoding") ?? "";
  if (!/^(identity)?$/i.test(encoding.trim())) throw new RequestFailure({ kind: "encoding-wrong" });
}

/**
 * The body, counted as it comes: its declared length may be missing or wrong.
 * @throws RequestFailure body-too-large, body-incomplete
 */
export async function readBytes(request: ApiRequest, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(request, limitBytes)) chunks.push(chunk.slice());
  const [only] = chunks;
  return only && chunks.length === 1 ? only : joinBytes(...chunks);
}

/** How much is read at a time. If a body came byte by byte, each byte read alone would take 4 KB, and a turn of its own. */
export const PIECE_BYTES = 64 * 1024;

/**
 * The smallest buffer. A body that declares its length gets a buffer of that size, because clearing 64 KB costs as much as checking a
 * send.
 */
const LEAST_BYTES = 4096;

/** How long a piece may be under way: 6.4 KB a second are not too slow. */
export const PIECE_MILLISECONDS = 10_000;

/** How long a body may be waited for altogether: half a minute, and the time that it needs at 256 KB a second. */
export function longestWait(limitBytes: number): number {
  return 30_000 + limitBytes / 256;
}

/**
 * The body in pieces of 64 KB; see readBytes. A piece is valid until the next is asked for: all come in the same buffer, because
 * an engine frees buffers late, and a large body would fill its memory with them. A body that is late is given up. The reader's
 * own time between two pieces does not count.
 * @throws RequestFailure body-too-large, body-incomplete
 */
export async function* readChunks(request: ApiRequest, limitBytes: number): AsyncGenerator<Uint8Array, void> {
  const tooLarge = () => new RequestFailure({ kind: "body-too-large", limitBytes });
  const declared = Number(request.headers.get("Content-Length"));
  if (declared > limitBytes) throw tooLarge();
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader({ mode: "byob" });
  let buffer = new ArrayBuffer(Math.min(PIECE_BYTES, Math.max(LEAST_BYTES, declared || PIECE_BYTES)));
  let length = 0;
  let patience = longestWait(limitBytes);
  try {
    while (reader) {
      const asked = Date.now();
      const reading = reader.readAtLeast(buffer.byteLength, new Uint8Array(buffer));
      // After the last declared byte, only the end of the body follows. It is already here, so no timer is started.
      const isWhole = length > 0 && length === declared;
      const { done, value } = await (isWhole ? reading : inTime(reading, Math.min(PIECE_MILLISECONDS, patience)));
      if (done) return;
      patience -= Date.now() - asked;
      length += value.byteLength;
      if (length > limitBytes) throw tooLarge();
      yield value;
      buffer = value.buffer;
    }
  } finally {
    // Ends a body that was not read whole. For any other body, this has no effect.
    void reader?.cancel().catch(() => {});
  }
}

/** @throws RequestFailure body-incomplete when it takes too long, or the connection breaks */
async function inTime<T>(reading: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("too slow")), milliseconds);
  try {
    return await Promise.race([reading, late.promise]);
  } catch (error) {
    throw new RequestFailure({ kind: "body-incomplete" }, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
