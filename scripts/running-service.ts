// `npm start` leaves its URL beside its data, so that the operator's command finds it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DEFAULT_PERSIST_TO } from "./start-options.ts";

interface Running {
  url: string;
  pid: number;
}

/** The operator's command looks nowhere else. */
export const isDefaultFolder = (persistTo: string) => resolve(persistTo) === resolve(DEFAULT_PERSIST_TO);

const fileIn = (persistTo: string) => join(persistTo, "running.json");

export function tellRunning(persistTo: string, url: string): void {
  mkdirSync(persistTo, { recursive: true });
  writeFileSync(fileIn(persistTo), JSON.stringify({ url, pid: process.pid } satisfies Running));
}

/** @returns undefined: no service runs on the data of this folder */
export function runningUrl(persistTo = DEFAULT_PERSIST_TO): string | undefined {
  try {
    const { url, pid } = JSON.parse(readFileSync(fileIn(persistTo), "utf8")) as Running;
    process.kill(pid, 0);
    return url;
  } catch {
    return undefined;
  }
}
