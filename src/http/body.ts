import { RequestFailure } from "../domain/failure.ts";
import type { ApiRequest } from "./api-request.ts";

/** The most that a body with lists of phone numbers may have. */
export const LIST_BODY_BYTES = 8 * 1024 * 1024;

/**
 * The body as JSON.
 * @throws RequestFailure media-type-wrong, body-too-large, body-not-json
 */
export async function readJson(request: ApiRequest, limitBytes: number): Promise<{ value: unknown; text: string }> {
  requireMediaType(request, "application/json");
  const bytes = await readBytes(request, limitBytes);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return { value: JSON.parse(text), text };
  } catch {
    throw new RequestFailure({ kind: "body-not-json" });
  }
}

/** @throws RequestFailure media-type-wrong */
export function requireMediaType(request: ApiRequest, expected: string): void {
  const [type = ""] = (request.headers.get("Content-Type") ?? "").split(";");
  if (type.trim().toLowerCase() !== expected) throw new RequestFailure({ kind: "media-type-wrong", expected });
}

/**
 * The body, counted as it comes: its declared length may be missing or wrong.
 * @throws RequestFailure body-too-large
 */
export async function readBytes(request: ApiRequest, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(request, limitBytes)) chunks.push(chunk);
  const [only] = chunks;
  return only && chunks.length === 1 ? only : joinBytes(chunks);
}

/**
 * The body in pieces; see readBytes.
 * @throws RequestFailure body-too-large
 */
export async function* readChunks(request: ApiRequest, limitBytes: number): AsyncGenerator<Uint8Array, void> {
  const tooLarge = () => new RequestFailure({ kind: "body-too-large", limitBytes });
  if (Number(request.headers.get("Content-Length") ?? 0) > limitBytes) throw tooLarge();
  const body = request.body as ReadableStream<Uint8Array> | null;
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > limitBytes) throw tooLarge();
    yield chunk;
  }
}

function joinBytes(chunks: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
