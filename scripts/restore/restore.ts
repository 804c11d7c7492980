import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "./progress.ts";

const [KEEP, CHANGE] = [readSql("keep.sql"), readSql("change.sql")] as const;

/** Without its comments: wrangler would take what begins with "--" for an option. */
function readSql(name: string): string {
  return readFileSync(join(import.meta.dirname, name), "utf8").replaceAll(/^--.*\n/gm, "");
}

const LOOK_MILLISECONDS = 10_000;
/** A run that was cut off leaves its claims: no run takes longer. */
const LONGEST_WAIT_MILLISECONDS = 16 * 60_000;

export interface Outside {
  /** Milliseconds since 1970. */
  restoreTo: number;
  /** Bindings, the first database first. */
  databases: string[];
  /** Those whose jobs submit, post or apply something. */
  queues: string[];
  progress: Progress;
  /** @returns its stdout. @throws Error it failed */
  wrangler(...command: string[]): Promise<string>;
  /** How much runs are at work on; undefined: nobody knows. */
  readClaims(): Promise<number | undefined>;
  wait(milliseconds: number): Promise<void>;
  now(): number;
  print(line: string): void;
}

export class Restore {
  readonly #outside: Outside;
  readonly #time: string;

  constructor(outside: Outside) {
    this.#outside = outside;
    this.#time = new Date(outside.restoreTo).toISOString();
  }

  /** Says what run() would do, and changes nothing. @throws Error wrangler failed */
  async show(): Promise<void> {
    const { databases, queues, print, readClaims } = this.#outside;
    const claims = await readClaims();
    print(`Dry run: nothing is changed. A restore to ${this.#time} would`);
    print(
      `1. pause ${queues.join(", ")}, and wait until no run is at work (now: ${claims ?? "unknown"}), at most 16 minutes;`,
    );
    for (const [index, database] of databases.entries()) {
      const statements = await this.#readKept(database);
      const info = await this.#wrangler("d1", "time-travel", "info", database, "--timestamp", this.#time, "--json");
      print(
        `${index + 2}. keep ${describe(statements)} of ${database}, and restore it to the bookmark ${info.bookmark};`,
      );
    }
    print(
      `${databases.length + 2}. migrate, bring back what was kept, mark as sent what waited then, and resume the queues.`,
    );
  }

  /** Goes on where an earlier run has stopped. @throws Error wrangler failed: the queues stay paused */
  async run(): Promise<void> {
    const { databases, queues, progress, print, now, wrangler } = this.#outside;
    if (progress.finishedAt !== undefined) {
      throw new Error(`this restore was finished at ${progress.finishedAt}. To do it again, delete ${progress.folder}`);
    }
    try {
      for (const queue of queues) await wrangler("queues", "pause-delivery", queue);
      await this.#untilIdle();
      // All are kept before one is restored: what fails until here has changed nothing.
      for (const database of databases) await this.#keep(database);
      for (const database of databases) {
        await this.#noteBookmark(database);
        // People have opted out since.
        await this.#keep(database);
        await this.#restore(database);
      }
      for (const database of databases) await this.#change(database);
      for (const queue of queues) await wrangler("queues", "resume-delivery", queue);
    } catch (error) {
      print(
        "The restore is not finished, and the queues stay paused. Run the same command again: it goes on from here.",
      );
      throw error;
    }
    progress.finish(new Date(now()).toISOString());
    print(`Restored to ${this.#time}. To undo it at once:`);
    for (const database of databases) {
      print(`  npx wrangler d1 time-travel restore ${database} --bookmark=${progress.of(database).undoBookmark}`);
    }
    print("Later, that would send again what was sent since this restore, and forget who has opted out since.");
    print("Now repeat what operators have done since then: docs/procedures.md, Restoring the database.");
  }

  async #untilIdle(): Promise<void> {
    const { databases, progress, now, wait, readClaims, print } = this.#outside;
    // What was restored already has claims of its own, which nobody works on.
    if (databases.some((database) => progress.of(database).restoredAt !== undefined)) return;
    const until = now() + LONGEST_WAIT_MILLISECONDS;
    print("The queues are paused. Waiting until no run is at work, at most 16 minutes.");
    while ((await readClaims()) !== 0 && now() < until) await wait(LOOK_MILLISECONDS);
  }

  /** An attempt to restore may have had its effect without an answer: then what was kept before it stays, and what is new is added. */
  async #keep(database: string): Promise<void> {
    const { progress, print, now } = this.#outside;
    const { restoredAt, isRestored } = progress.of(database);
    if (isRestored) return;
    if (restoredAt === undefined) progress.note(database, { keptAt: now() });
    const before = restoredAt === undefined ? [] : progress.keptOf(database);
    const statements = [...new Set([...before, ...(await this.#readKept(database))])];
    progress.keep(database, statements);
    print(`Kept ${describe(statements)} of ${database} in ${progress.pathOf(database)}.`);
  }

  /** @returns statements that bring back the opt-outs and the cancellations since, and all tombstones */
  async #readKept(database: string): Promise<string[]> {
    const sql = KEEP.replaceAll(":restore_to", String(this.#outside.restoreTo));
    const answers = await this.#wrangler("d1", "execute", database, "--remote", "--json", "--command", sql);
    return answers.flatMap(({ results }: { results: { statements: string }[] }) => results.map((it) => it.statements));
  }

  /** An attempt to restore whose answer is lost may have had its effect: the next one has a later bookmark before it. */
  async #noteBookmark(database: string): Promise<void> {
    const { progress } = this.#outside;
    if (progress.of(database).restoredAt !== undefined) return;
    const info = await this.#wrangler("d1", "time-travel", "info", database, "--json");
    progress.note(database, { undoBookmark: info.bookmark });
  }

  async #restore(database: string): Promise<void> {
    const { progress, now, print } = this.#outside;
    const { restoredAt, isRestored } = progress.of(database);
    if (isRestored) return;
    // Before the restore: after an interruption, what was accepted since this time is new.
    if (restoredAt === undefined) progress.note(database, { restoredAt: now() });
    const restored = await this.#wrangler(
      "d1",
      "time-travel",
      "restore",
      database,
      "--timestamp",
      this.#time,
      "--json",
    );
    const isFirst = restoredAt === undefined;
    progress.note(database, { isRestored: true, ...(isFirst && { undoBookmark: restored.previous_bookmark }) });
    print(`Restored ${database}. The bookmark before: ${progress.of(database).undoBookmark}`);
    const { keptAt = now() } = progress.of(database);
    const [since, until] = [keptAt, now()].map((at) => new Date(at).toISOString());
    print(`An opt-out that arrived between ${since} and ${until} may be missing: look for such texts at the carrier.`);
  }

  async #change(database: string): Promise<void> {
    const { progress, wrangler, print } = this.#outside;
    const { restoredAt, isMigrated, isChanged, isBroughtBack } = progress.of(database);
    if (!isMigrated) await wrangler("d1", "migrations", "apply", database, "--remote");
    progress.note(database, { isMigrated: true });
    const sql = CHANGE.replaceAll(":restored_at", String(restoredAt));
    if (!isChanged) await wrangler("d1", "execute", database, "--remote", "--yes", "--command", sql);
    progress.note(database, { isChanged: true });
    const file = progress.pathOf(database);
    const isEmpty = !isBroughtBack && readFileSync(file, "utf8") === "";
    if (!isBroughtBack && !isEmpty) await wrangler("d1", "execute", database, "--remote", "--yes", "--file", file);
    progress.note(database, { isBroughtBack: true });
    print(`${database} has its opt-outs again, and sends nothing again.`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: what wrangler writes
  async #wrangler(...command: string[]): Promise<any> {
    return JSON.parse(await this.#outside.wrangler(...command));
  }
}

/** An opt-out is a number and its ledger, in one line; a cancellation is one line, too. */
function describe(statements: string[]): string {
  const count = (start: RegExp) => statements.filter((it) => start.test(it)).length;
  const optOuts = plural(count(/^INSERT INTO subscription_changes /), "opt-out");
  const cancelled = count(/UPDATE messages SET status = 'FAILED_TO_SEND'/);
  const cancellations = cancelled > 0 ? `, ${plural(cancelled, "cancellation")}` : "";
  return `${optOuts}${cancellations} and ${plural(count(/^INSERT OR REPLACE INTO erased_people /), "tombstone")}`;
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
