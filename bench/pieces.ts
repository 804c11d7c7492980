// What each piece of src/domain/number-list/ saves in a look-up, against the plain way to write it.
import { readPlainColumn } from "../src/domain/people/number-list/csv-column.ts";
import { MOST_DIGITS, writeDecimal } from "../src/domain/people/number-list/decimal.ts";
import { type Cells, distinctPhones, type PhoneList } from "../src/domain/people/number-list/distinct-phones.ts";
import { sortOrder } from "../src/domain/people/number-list/sort-order.ts";
import { toSortedJson } from "../src/domain/people/number-list/sorted-json.ts";
import { writeStatuses } from "../src/domain/people/number-list/status-json.ts";
import { e164Digits } from "../src/domain/people/phone.ts";
import { readRows } from "../src/domain/people/phone-file.ts";
import { type Spread, spreadOf } from "../test/node/harness/statistics.ts";
import { digitsAt } from "./seed.ts";
import { MOST_NUMBERS } from "./status.ts";

const ROUNDS = 30;
/** Before them: the engine makes its fastest code of a loop after some dozen runs. */
const WARM_UP_ROUNDS = 20;
/** As in the look-ups of the bench: neighbors in the file are far apart. */
const STRIDE = 7919;

export interface PieceRow {
  piece: string;
  /** Milliseconds for 50,000 numbers. */
  own: Spread;
  plain: Spread;
  /** Of the CPU time that the whole look-up would take with the plain way in this one place, from 0 to 1. */
  saved: number;
}

interface Piece {
  piece: string;
  own(): unknown;
  plain(): unknown;
}

/** The work of a look-up between the decoded file and the answer's bytes, without its query. */
export function measurePieces(): PieceRow[] {
  const phones = Array.from({ length: MOST_NUMBERS }, (_, index) => `+${digitsAt(index * STRIDE)}`);
  const csv = ["name,phone_numbers", ...phones.map((phone, index) => `person ${index},${phone}`)].join("\n");
  const list = distinctPhones([], readCells(csv));
  const cells = readPlainCells(csv);
  const subscribed = Uint8Array.from(list.valid, (_, index) => (index % 5 === 0 ? 1 : 0));
  const whole = () => {
    const read = distinctPhones([], readCells(csv));
    return [toSortedJson(read), writeStatuses(read, subscribed)];
  };
  const pieces: Piece[] = [
    {
      piece: "csv-column",
      own: () => distinctPhones([], readCells(csv)),
      plain: () => distinctPhones([], readPlainCells(csv)),
    },
    { piece: "distinct-phones", own: () => distinctPhones([], cells), plain: () => distinctPlainly(cells) },
    { piece: "sort-order", own: () => sortOrder(list.valid), plain: () => sortPlainly(list.valid) },
    { piece: "decimal", own: () => writeDecimals(list.valid), plain: () => writeDecimalsPlainly(list.valid) },
    { piece: "sorted-json", own: () => toSortedJson(list), plain: () => sortedJsonPlainly(list) },
    {
      piece: "status-json",
      own: () => writeStatuses(list, subscribed),
      plain: () => writeStatusesPlainly(list, subscribed),
    },
  ];
  const wholeTimes: number[] = [];
  const times = pieces.map(() => ({ own: [] as number[], plain: [] as number[] }));
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const wholeTime = timeOf(whole);
    const inRound = pieces.map(({ own, plain }) => ({ own: timeOf(own), plain: timeOf(plain) }));
    if (round < 0) continue;
    wholeTimes.push(wholeTime);
    for (const [index, { own, plain }] of inRound.entries()) {
      times[index]?.own.push(own);
      times[index]?.plain.push(plain);
    }
  }
  const { median: wholeTime } = spreadOf(wholeTimes);
  return pieces.map(({ piece }, index) => {
    const own = spreadOf(times[index]?.own ?? []);
    const plain = spreadOf(times[index]?.plain ?? []);
    const gain = plain.median - own.median;
    return { piece, own, plain, saved: gain / (wholeTime + gain) };
  });
}

function timeOf(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function readCells(csv: string): Cells {
  const { text, bounds } = readPlainColumn(csv, "phone_numbers", MOST_NUMBERS);
  return { text, bounds };
}

function readPlainCells(csv: string): string[] {
  return readRows(csv, {}, ([phone = ""]) => phone);
}

/** The same list, its repeats found by a Set. */
function distinctPlainly(cells: string[]): PhoneList {
  const valid = new Set<number>();
  const invalid = new Set<string>();
  for (const cell of cells) {
    const phone = cell.trim();
    const digits = e164Digits(phone);
    if (Number.isNaN(digits)) invalid.add(phone);
    else valid.add(digits);
  }
  const numbers = Float64Array.from(valid);
  return { valid: numbers, order: sortOrder(numbers), invalid: [...invalid] };
}

function sortPlainly(values: Float64Array): Uint32Array {
  return Uint32Array.from(values, (_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
}

function writeDecimals(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(values.length * MOST_DIGITS);
  let at = 0;
  for (const value of values) at = writeDecimal(bytes, at, value);
  return bytes.subarray(0, at);
}

function writeDecimalsPlainly(values: Float64Array): Uint8Array {
  const encoder = new TextEncoder();
  const bytes = new Uint8Array(values.length * MOST_DIGITS);
  let at = 0;
  for (const value of values) at += encoder.encodeInto(String(value), bytes.subarray(at)).written;
  return bytes.subarray(0, at);
}

function sortedJsonPlainly({ valid, order }: PhoneList): string {
  return JSON.stringify(Array.from(order, (index) => valid[index]));
}

function writeStatusesPlainly({ valid, invalid }: PhoneList, subscribed: Uint8Array): Uint8Array {
  const phoneNumberStatuses = Array.from(valid, (digits, index) => ({
    phoneNumber: `+${digits}`,
    subscriptionStatus: subscribed[index] === 1,
  }));
  return new TextEncoder().encode(JSON.stringify({ phoneNumberStatuses, invalidPhoneNumbers: invalid }));
}
