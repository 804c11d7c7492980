import fc from "fast-check";
import { expect, it } from "vitest";
import { type BulkChunk, BulkReader } from "../../../src/domain/messages/bulk-request.ts";

export const encode = (text: string) => new TextEncoder().encode(text);

export function readChunks(pieces: Iterable<Uint8Array>): BulkChunk[] {
  const reader = new BulkReader();
  const chunks: BulkChunk[] = [];
  const takeAll = () => {
    for (let chunk = reader.take(); chunk; chunk = reader.take()) chunks.push(chunk);
  };
  for (const piece of pieces) {
    reader.write(piece);
    takeAll();
  }
  reader.end();
  takeAll();
  return chunks;
}

export const readPieces = (pieces: Iterable<Uint8Array>) => readChunks(pieces).flatMap(({ items }) => items);

/** Pieces in one buffer, as a request gives them. */
export function* inPieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(size);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
  }
}

export function cutAt(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const bounds = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return bounds.slice(1).map((end, index) => bytes.slice(bounds[index], end));
}

const escaped = (json: string) =>
  json.replace(/[^ -~]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const places = fc.array(fc.nat(100_000), { maxLength: 8 });

/** What is read of a valid body. @param numRuns how many bodies are drawn */
export function testDrawnMessages(numRuns: number): void {
  const unit = fc.constantFrom(...'a1 {}[]:,"\\/\n\u0000é€مرحبا中👍🏽\uFEFF\u200F\uFFFD\uD800');
  const text = fc.oneof(
    fc.string({ unit, maxLength: 20 }),
    fc.string({ unit, minLength: 1, maxLength: 6 }).map((part) => part.repeat(1500)),
  );
  const message = fc.record({ phone: fc.constant("+12125550100"), text, callbackData: text, more: fc.jsonValue() });

  it("are what JSON.parse makes of the whole, wherever it is cut, and with or without escapes", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), fc.boolean(), places, (messages, escapes, cuts) => {
        const json = JSON.stringify({ messages });
        const items = readPieces(cutAt(encode(escapes ? escaped(json) : json), cuts));
        expect(items).toEqual((JSON.parse(json) as { messages: unknown[] }).messages);
      }),
      { numRuns },
    );
  });
}
