import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What is done with a database. A later part is never done before an earlier one. */
export interface Done {
  /** Milliseconds since 1970: all opt-outs from before it are in a file. */
  keptAt?: number;
  /** Milliseconds since 1970, before the restore began. */
  restoredAt?: number;
  /** The bookmark of before the first attempt to restore, which undoes the restore. */
  undoBookmark?: string;
  isRestored?: true;
  isMigrated?: true;
  isChanged?: true;
  isBroughtBack?: true;
}

/**
 * How far a restore is, in a folder, so that the same command goes on after an interruption. What was kept before the restore is nowhere
 * else after it.
 */
export class Progress {
  readonly folder: string;
  readonly #file: string;
  #state: { finishedAt?: string; databases: Record<string, Done> };

  constructor(folder: string) {
    this.folder = folder;
    this.#file = join(folder, "progress.json");
    this.#state = existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, "utf8")) : { databases: {} };
  }

  get finishedAt(): string | undefined {
    return this.#state.finishedAt;
  }

  of(database: string): Readonly<Done> {
    return this.#state.databases[database] ?? {};
  }

  note(database: string, done: Done): void {
    this.#state.databases[database] = { ...this.of(database), ...done };
    this.#store();
  }

  /** The statements that bring back the opt-outs of a database: it has numbers of people. */
  pathOf(database: string): string {
    return join(this.folder, `${database}.sql`);
  }

  /** Each statement is one line. */
  keptOf(database: string): string[] {
    const path = this.pathOf(database);
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  }

  /** Whole or not at all. */
  keep(database: string, statements: string[]): void {
    mkdirSync(this.folder, { recursive: true });
    this.#write(this.pathOf(database), statements.map((statement) => `${statement}\n`).join(""));
  }

  /** Nothing of people stays. */
  finish(at: string): void {
    for (const path of Object.keys(this.#state.databases).map((database) => this.pathOf(database))) {
      rmSync(path, { force: true });
      rmSync(`${path}.new`, { force: true });
    }
    this.#state.finishedAt = at;
    this.#store();
  }

  #store(): void {
    mkdirSync(this.folder, { recursive: true });
    this.#write(this.#file, JSON.stringify(this.#state, undefined, 2));
  }

  /** The file is for its owner alone. */
  #write(path: string, text: string): void {
    writeFileSync(`${path}.new`, text, { flush: true, mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}
