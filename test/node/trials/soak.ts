// An hour of traffic through the production bundle, at the end of which it must hold no more than half an hour before.
// After each minute the clock moves on by eight hours, so that what is kept for seven days goes within the hour.

import { printTable, short, whole } from "../harness/table.ts";
import { call } from "./soak/call.ts";
import { HeapMeter } from "./soak/heap.ts";
import { HEAP, judge, type Level, type Reading, read } from "./soak/levels.ts";
import { makePlace, NUMBERS, type Place, SPECIAL_NUMBERS } from "./soak/place.ts";
import { MESSAGES_A_MINUTE, runMinute } from "./soak/traffic.ts";

const MINUTES = 60;
const HOURS_A_MINUTE = 8;
/** Readings that are compared: what comes seldom comes once in as many minutes. */
const WINDOW = 10;
const DEADLINE_MILLISECONDS = 240_000;
/** The two websites are made, each with subscribers and a client. */
const FIRST_CHANGES = 6;
/** A number that has passed through, and one that comes again. */
const ERASURES_A_MINUTE = 2;

const place = await makePlace();
try {
  const levels = await soak(place);
  print(levels);
  for (const line of place.errors.slice(0, 10)) console.log(`logged: ${line.slice(0, 300)}`);
  if (place.errors.length > 0 || levels.some(({ isLevel }) => !isLevel)) process.exitCode = 1;
} finally {
  await place.close();
}

async function soak(place: Place): Promise<Level[]> {
  const heap = await HeapMeter.open(place.workers.inspectorUrl, place.name);
  const readings: Reading[] = [];
  // The ledger keeps one row of the person who is erased each minute: the latest.
  let ledgerRows = 2 * (NUMBERS + SPECIAL_NUMBERS.length + 1) + 1;
  for (let minute = 0; minute < MINUTES; minute++) {
    if (performance.now() > DEADLINE_MILLISECONDS) throw new Error(`only ${minute} of ${MINUTES} minutes in time`);
    ledgerRows += await runMinute(place, minute);
    await call({ url: `${place.url}/soak/sweep?ahead=${HOURS_A_MINUTE * 3_600_000}`, method: "POST", expect: 200 });
    readings.push(await read(place, heap));
  }
  heap.close();
  const days = Math.ceil((MINUTES * HOURS_A_MINUTE) / 24);
  const changes = FIRST_CHANGES + MINUTES * ERASURES_A_MINUTE;
  return judge(readings, WINDOW, { ledgerRows, erased: MINUTES + 1, changes, days });
}

function print(levels: Level[]): void {
  const seconds = (performance.now() / 1000).toFixed(0);
  const figure = (name: string, value: number) => (name === HEAP ? short(value / 1024 ** 2) : whole(Math.round(value)));
  printTable(
    `${whole(MINUTES * MESSAGES_A_MINUTE)} messages and ${MINUTES} sweeps in ${seconds} s; means of ${WINDOW} readings, heap in MiB`,
    [
      ["", "¼", "½", "¾", "end", "bound", "level"],
      ...levels.map(({ name, seen, bound, isLevel }) => [
        name === HEAP ? "heap" : name,
        ...seen.map((value) => figure(name, value)),
        figure(name, bound),
        isLevel ? "yes" : "NO",
      ]),
    ],
    1,
  );
}
