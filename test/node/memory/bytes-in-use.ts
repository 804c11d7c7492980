// What V8 holds, with buffers and without garbage.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export const MEBIBYTE = 1024 ** 2;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** V8 may free buffers in the background after a collection; the next collection begins when that has ended. */
export function bytesInUse(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
