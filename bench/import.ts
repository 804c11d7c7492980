// An import of subscribers, from the first byte of the file to the answer, against the rows alone in as few statements as possible.
import { post } from "./load.ts";
import { createWebsite, digitsAt, seedSubscriptions } from "./seed.ts";
import type { Workers } from "./service.ts";

/** The most that one request may have. */
export const ROWS = 250_000;
/** Imported first: a Worker's engine makes its fastest code of a loop after some time. */
const WARM_UP_ROWS = 50_000;

export interface ImportFigures {
  rows: number;
  rowsPerSecond: number;
  /** The time over that of the rows alone. */
  timesFloor: number;
}

export async function measureImport(workers: Workers<"service">): Promise<ImportFigures> {
  await importFile(workers, "import-warm-up", WARM_UP_ROWS);
  const milliseconds = await importFile(workers, "import", ROWS);
  await createWebsite(workers, "import-floor");
  const started = performance.now();
  await seedSubscriptions(workers.db, "import-floor", ROWS);
  const floor = performance.now() - started;
  return { rows: ROWS, rowsPerSecond: (ROWS * 1000) / milliseconds, timesFloor: milliseconds / floor };
}

/** @returns milliseconds */
async function importFile(workers: Workers<"service">, websiteId: string, rows: number): Promise<number> {
  const { website, authorization } = await createWebsite(workers, websiteId);
  const file = ["phone_numbers", ...Array.from({ length: rows }, (_, index) => `+${digitsAt(index)}`)].join("\n");
  const headers = { ...authorization, "content-type": "text/csv" };
  const { body, milliseconds } = await post(`${website}/subscribers?everyone=subscribed`, headers, file);
  const { imported } = JSON.parse(body) as { imported: number };
  if (imported !== rows) throw new Error(`${imported} of ${rows} subscribers were imported`);
  return milliseconds;
}
