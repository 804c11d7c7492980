/** An isolate has 128 MB for all that it does at a time. What an import holds is measured in V8, with buffers and without garbage. */
import { expect, test } from "vitest";
import { FigureCounter, sumOf } from "../../../src/domain/people/import-figures.ts";
import { MOST_ROWS, SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";
import type { SubscriberPart } from "../../../src/domain/people/subscribers.ts";
import { bytesInUse, MEBIBYTE } from "./bytes-in-use.ts";

const PIECE_BYTES = 65_536;
const LOOK_EVERY_PARTS = 10;

const NONE = { newSubscribed: [], newOptedOut: [], becameSubscribed: [], becameOptedOut: [], newAddress: [] };

const numberOf = (row: number) => `+1${200 + ((row * 7919) % 700)}${2_000_000 + ((row * 104_729) % 7_900_000)}`;

/** Each has a number and a long address. */
const lineOf = (row: number) => `${numberOf(row)},person${row}@${"x".repeat(40)}.example${row % 50}.com\n`;

test("an import of the most rows, each with a long address, holds 40 MiB at most", () => {
  const before = bytesInUse();
  let [held, parts, count] = [0, 0, 0];
  const file = new SubscriberFile(Date.now(), true);
  const counter = new FigureCounter();
  const store = ({ changes }: SubscriberPart) => {
    const refused = changes.slice(0, 100).map(({ phone }) => ({ phone, byPerson: false }));
    counter.add(counter.withOptOuts(changes), { ...NONE, newSubscribed: changes.map(({ phone }) => phone), refused });
    if (++parts % LOOK_EVERY_PARTS === 0) held = Math.max(held, bytesInUse() - before);
    count += changes.length;
  };
  const encoder = new TextEncoder();
  let piece = "phone_numbers,email\n";
  for (let row = 0; row < MOST_ROWS; row++) {
    piece += lineOf(row);
    if (piece.length < PIECE_BYTES) continue;
    for (const part of file.write(encoder.encode(piece))) store(part);
    piece = "";
  }
  for (const part of [...file.write(encoder.encode(piece)), ...file.end()]) store(part);
  expect(parts).toBe(MOST_ROWS / 5000 + 1);
  expect(sumOf(counter.figures()) + counter.figures().refused.count).toBeGreaterThan(count * 0.9);
  expect(held / MEBIBYTE).toBeGreaterThan(1);
  expect(held / MEBIBYTE).toBeLessThan(40);
});
