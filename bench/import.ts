// Imports of subscribers, each into a website of its own: the time, the CPU time and the isolate's heap meanwhile.
import { timeCpu } from "./cpu.ts";
import { HeapMeter } from "./heap.ts";
import { post } from "./load.ts";
import { createWebsite, digitsAt } from "./seed.ts";
import type { Workers } from "./service.ts";

const MEBIBYTE = 1024 ** 2;
const FILES_MEBIBYTES = [1, 3];
/** Imported first: a Worker's engine makes its fastest code of a loop after some time. */
const WARM_UP_MEBIBYTES = 1;

const HEADER = "phone_numbers\n";
/** Of a number with its line break, at least. */
const ROW_BYTES = 12;
/** That all files have at most. */
export const MOST_IMPORTED = (Math.max(...FILES_MEBIBYTES) * 2 * MEBIBYTE) / ROW_BYTES;

export interface ImportRow {
  fileBytes: number;
  /** Of numbers alone: as many as such a file can have. */
  rows: number;
  seconds: number;
  /** Of workerd, stores included; undefined where the system does not tell. */
  cpuSeconds: number | undefined;
  /** The most that the isolate's heap was seen to hold, buffers included, without garbage at first. */
  peakHeapBytes: number;
}

export async function measureImports(workers: Workers<"service">): Promise<ImportRow[]> {
  const heap = await HeapMeter.open(workers.inspectorUrl, "service");
  await importFile(workers, heap, "warm-up", WARM_UP_MEBIBYTES);
  const rows = [];
  for (const size of FILES_MEBIBYTES) rows.push(await importFile(workers, heap, `import-${size}`, size));
  heap.close();
  return rows;
}

async function importFile(
  workers: Workers<"service">,
  heap: HeapMeter,
  websiteId: string,
  mebibytes: number,
): Promise<ImportRow> {
  const { url, pid } = workers;
  const { website, authorization } = await createWebsite(workers, websiteId);
  const { file, rows } = makeFile(mebibytes * MEBIBYTE);
  const headers = { ...authorization, "content-type": "text/csv" };
  const peak = await heap.watch(() => fetch(`${url.service}/health`));
  const [{ body, milliseconds }, cpu] = await timeCpu(pid, () => post(`${website}/subscribers`, headers, file));
  const peakHeapBytes = await peak.stop();
  const { imported } = JSON.parse(body) as { imported: number };
  if (imported !== rows) throw new Error(`${imported} of ${rows} subscribers were imported`);
  return { fileBytes: file.length, rows, seconds: milliseconds / 1000, cpuSeconds: cpu && cpu / 1000, peakHeapBytes };
}

/** As many numbers as fit. */
function makeFile(mostBytes: number): { file: string; rows: number } {
  const lines = [HEADER];
  let bytes = HEADER.length;
  for (let index = 0; ; index++) {
    const line = `+${digitsAt(index)}\n`;
    bytes += line.length;
    if (bytes > mostBytes) return { file: lines.join(""), rows: index };
    lines.push(line);
  }
}
