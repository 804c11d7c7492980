import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BulkReader } from "../../src/domain/bulk-request.ts";

function readPieces(pieces: Uint8Array[]): unknown[] {
  const reader = new BulkReader();
  const items: unknown[] = [];
  for (const piece of pieces) {
    reader.write(piece);
    for (let chunk = reader.take(); chunk; chunk = reader.take()) items.push(...chunk.items);
  }
  reader.end();
  for (let chunk = reader.take(); chunk; chunk = reader.take()) items.push(...chunk.items);
  return items;
}

describe("the messages of a bulk request", () => {
  const unit = fc.constantFrom(...'a1 {}[]:,"\\/\n\u0000é€مرحبا中👍🏽\uFEFF\u200F\uFFFD\uD800');
  const text = fc.oneof(
    fc.string({ unit, maxLength: 20 }),
    fc.string({ unit, minLength: 1, maxLength: 6 }).map((part) => part.repeat(1500)),
  );
  const message = fc.record({ phone: fc.constant("+12125550100"), text, callbackData: text, more: fc.jsonValue() });
  const escaped = (json: string) =>
    json.replace(/[^ -~]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`);

  it("are what JSON.parse makes of the whole, wherever it is cut, and with or without escapes", () => {
    const pieces = fc.array(fc.nat(100_000), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), fc.boolean(), pieces, (messages, escapes, places) => {
        const json = JSON.stringify({ messages });
        const bytes = new TextEncoder().encode(escapes ? escaped(json) : json);
        const bounds = [0, ...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length];
        const items = readPieces(bounds.slice(1).map((end, index) => bytes.slice(bounds[index], end)));
        expect(items).toEqual((JSON.parse(json) as { messages: unknown[] }).messages);
      }),
      { numRuns: 150 },
    );
  });
});
