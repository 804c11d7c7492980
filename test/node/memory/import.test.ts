/** An isolate has 128 MB for all that it does at a time. What an import holds is measured in V8, with buffers and without garbage. */
import { expect, test } from "vitest";
import { FigureCounter } from "../../../src/domain/people/import-figures.ts";
import { MOST_ROWS, SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";
import type { SubscriberPart } from "../../../src/domain/people/subscribers.ts";
import { bytesInUse, MEBIBYTE } from "./bytes-in-use.ts";

const PIECE_BYTES = 65_536;
const LOOK_EVERY_PARTS = 5;

const numberOf = (row: number) => `+1${200 + ((row * 7919) % 700)}${2_000_000 + ((row * 104_729) % 7_900_000)}`;

const FILES = [
  { of: "numbers alone", header: "phone_numbers\n", lineOf: (row: number) => `${numberOf(row)}\n`, most: 30 },
  {
    of: "numbers and long addresses",
    header: "phone_numbers,email\n",
    lineOf: (row: number) => `${numberOf(row)},person${row}@${"x".repeat(40)}.example${row % 50}.com\n`,
    most: 40,
  },
];

test.each(FILES)("an import of the most rows, $of, holds $most MiB at most", ({ header, lineOf, most }) => {
  const before = bytesInUse();
  let [held, parts, count] = [0, 0, 0];
  const file = new SubscriberFile(Date.now());
  const counter = new FigureCounter();
  const store = ({ changes }: SubscriberPart) => {
    const refused = changes.slice(0, 100).map(({ phone }) => ({ phone, byPerson: false }));
    counter.add(counter.withOptOuts(changes), { added: changes.map(({ phone }) => phone), changed: [], refused });
    if (++parts % LOOK_EVERY_PARTS === 0) held = Math.max(held, bytesInUse() - before);
    count += changes.length;
  };
  const encoder = new TextEncoder();
  let piece = header;
  for (let row = 0; row < MOST_ROWS; row++) {
    piece += lineOf(row);
    if (piece.length < PIECE_BYTES) continue;
    for (const part of file.write(encoder.encode(piece))) store(part);
    piece = "";
  }
  for (const part of [...file.write(encoder.encode(piece)), ...file.end()]) store(part);
  expect(parts).toBe(MOST_ROWS / 5000 + 1);
  expect(counter.figures().count + counter.figures().refused.count).toBeGreaterThan(count * 0.9);
  expect(held / MEBIBYTE).toBeGreaterThan(1);
  expect(held / MEBIBYTE).toBeLessThan(most);
});
