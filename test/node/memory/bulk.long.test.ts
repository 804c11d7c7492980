/** A bulk request is stored while its body comes in, so that memory does not depend on its size. Measured as an import is. */
import { expect, test } from "vitest";
import { BulkReader } from "../../../src/domain/messages/bulk-request.ts";
import { bytesInUse, MEBIBYTE } from "./bytes-in-use.ts";

const BODY_BYTES = 6 * MEBIBYTE;
const PIECE_BYTES = 65_536;
const LOOK_EVERY_PIECES = 32;

const BODIES = [
  { of: "messages", itemOf: (index: number) => ({ phone: "+12125550100", text: `no ${index} `.repeat(30) }) },
  { of: "objects with names of their own", itemOf: (index: number) => ({ [`a${index}`]: { [`b${index}`]: [] } }) },
];

test.each(BODIES)("a bulk body of 6 MiB of $of holds 4 MiB at most", ({ itemOf }) => {
  const encoder = new TextEncoder();
  const reader = new BulkReader();
  const before = bytesInUse();
  let [piece, bytes, pieces, count, most] = ['{"messages":[0', 0, 0, 0, 0];
  for (let index = 0; bytes < BODY_BYTES; index++) {
    piece += `,${JSON.stringify(itemOf(index))}`;
    if (piece.length < PIECE_BYTES) continue;
    reader.write(encoder.encode(piece));
    for (let chunk = reader.take(); chunk; chunk = reader.take()) count += chunk.items.length;
    bytes += piece.length;
    piece = "";
    if (++pieces % LOOK_EVERY_PIECES === 0) most = Math.max(most, bytesInUse() - before);
  }
  expect(count).toBeGreaterThan(15_000);
  expect(most / MEBIBYTE).toBeLessThan(4);
});
