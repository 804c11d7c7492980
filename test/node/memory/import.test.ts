/** An isolate has 128 MB for all that it does at a time. What an import holds is measured in V8, with buffers and without garbage. */
import { expect, test } from "vitest";
import { SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";
import { bytesInUse, MEBIBYTE } from "./bytes-in-use.ts";

const FILE_BYTES = 32 * MEBIBYTE;
const PIECE_BYTES = 65_536;
const LOOK_EVERY_PIECES = 64;
const LOOK_EVERY_CHANGES = 200_000;

const numberOf = (row: number) => `+1${200 + ((row * 7919) % 700)}${2_000_000 + ((row * 104_729) % 7_900_000)}`;

const FILES = [
  { of: "numbers alone", header: "phone_numbers\n", lineOf: (row: number) => `${numberOf(row)}\n`, rows: 2_500_000 },
  {
    of: "numbers and addresses",
    header: "phone_numbers,email\n",
    lineOf: (row: number) => `${numberOf(row)},person${row}@example${row % 50}.com\n`,
    rows: 800_000,
  },
];

test.each(FILES)("an import of 32 MiB of $of holds 40 MiB at most", ({ header, lineOf, rows }) => {
  const before = bytesInUse();
  let most = 0;
  const look = () => {
    most = Math.max(most, bytesInUse() - before);
  };
  const file = new SubscriberFile();
  const encoder = new TextEncoder();
  let [piece, bytes, pieces] = [header, 0, 0];
  for (let row = 0; bytes < FILE_BYTES; row++) {
    piece += lineOf(row);
    if (piece.length < PIECE_BYTES) continue;
    file.write(encoder.encode(piece));
    bytes += piece.length;
    piece = "";
    if (++pieces % LOOK_EVERY_PIECES === 0) look();
  }
  const { subscribers } = file.end();
  look();
  let changes = 0;
  for (const _ of subscribers.changes()) if (++changes % LOOK_EVERY_CHANGES === 0) look();
  expect(changes).toBeGreaterThan(rows);
  expect(most / MEBIBYTE).toBeGreaterThan(15);
  expect(most / MEBIBYTE).toBeLessThan(40);
});
