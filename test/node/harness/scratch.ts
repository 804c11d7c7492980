// Where the bundles and the stores' state stand while a bench or a trial runs.
import { rmSync } from "node:fs";
import { mkdtemp, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** Messages of all rounds, their indexes and the write-ahead log. */
const ROOM_BYTES = 4 * 1024 ** 3;

/** What a subscription takes: 39 bytes were seen in the table, and as many for a while in the write-ahead log. */
const BYTES_A_SUBSCRIPTION = 150;

/**
 * A directory that goes when the process ends. It is in memory where there is room: a disk would be measured with each
 * write, and differently each time.
 * @throws Error when there is no room for so many subscriptions
 */
export async function makeScratch(subscriptions: number): Promise<string> {
  const needed = ROOM_BYTES + subscriptions * BYTES_A_SUBSCRIPTION;
  const memory = "/dev/shm";
  const place = freemem() > needed && (await freeBytes(memory)) > needed ? memory : tmpdir();
  const free = await freeBytes(place);
  if (free < needed) {
    const gigabytes = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
    throw new Error(
      `${place} has ${gigabytes(free)}, and ${gigabytes(needed)} are needed: --subscriptions takes smaller tables`,
    );
  }
  const directory = await mkdtemp(join(place, "textgate-bench-"));
  // Where Miniflare keeps the stores' state, and wrangler what it builds from.
  process.env.TMPDIR = directory;
  // On a signal Miniflare ends the process by itself, so the directory goes at the very end, whatever ends it.
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  return directory;
}

/** 0 where there is no such place. */
async function freeBytes(place: string): Promise<number> {
  return statfs(place).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
}
