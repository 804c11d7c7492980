// The version before this one, out of the project's own history.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { findMigrations } from "../../../../scripts/migrations.ts";
import { ROOT } from "../../../../scripts/wrangler.ts";

/** The history does not reach back to a version before this one: there is nothing to upgrade from. */
export class NoHistory extends Error {}

export interface Checkout {
  /** Full hash. */
  commit: string;
  directory: string;
  remove(): void;
}

async function git(...parameters: string[]): Promise<string> {
  return (await promisify(execFile)("git", parameters, { cwd: ROOT })).stdout.trim();
}

/**
 * As long as there are no releases, the version before is the one without the newest migration: the parent of the commit
 * that added it; while that is not committed yet, the last commit.
 * @throws NoHistory
 */
export async function findPrevious(): Promise<string> {
  const newest = (await findMigrations()).at(-1);
  if (!newest) throw new NoHistory("there are no migrations");
  try {
    if ((await git("rev-parse", "--show-prefix")) !== "")
      throw new NoHistory("this directory is no checkout of its own");
    const added = await git("log", "--diff-filter=A", "--format=%H", "-1", "--", `migrations/${basename(newest)}`);
    return await resolveCommit(added === "" ? "HEAD" : `${added}^`);
  } catch (error) {
    if (error instanceof NoHistory) throw error;
    throw new NoHistory("this is no git checkout, or git is not installed");
  }
}

/** @throws NoHistory where the commit is not part of what was cloned */
export async function resolveCommit(name: string): Promise<string> {
  try {
    return await git("rev-parse", "--verify", "--quiet", `${name}^{commit}`);
  } catch {
    throw new NoHistory(`this checkout has no commit ${name}: a shallow clone is deepened by git fetch --unshallow`);
  }
}

/** The files of a commit, with its packages: those that are installed here, if it names the same. */
export async function checkOut(commit: string): Promise<Checkout> {
  const directory = mkdtempSync(join(tmpdir(), "textgate-previous-"));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  process.once("exit", remove);
  const archive = join(directory, "archive.tar");
  await git("archive", "--format=tar", "-o", archive, commit);
  await promisify(execFile)("tar", ["-xf", archive, "-C", directory]);
  rmSync(archive);
  const [own, present] = await Promise.all(
    [directory, ROOT].map((root) => readFile(join(root, "package-lock.json"), "utf8")),
  );
  if (own === present) symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  else await promisify(execFile)("npm", ["ci"], { cwd: directory });
  return { commit, directory, remove };
}

export interface Migrations {
  previous: string[];
  added: string[];
  /** What breaks the rule that a migration which was applied once is never touched again. */
  faults: string[];
}

/** Paths. */
export async function compareMigrations({ directory }: Checkout): Promise<Migrations> {
  const previous = await findMigrations(directory);
  const present = new Map((await findMigrations()).map((path) => [basename(path), path]));
  const faults: string[] = [];
  for (const path of previous) {
    const now = present.get(basename(path));
    if (!now) faults.push(`${basename(path)} is gone, which databases have applied`);
    else if (!(await readFile(now)).equals(await readFile(path))) faults.push(`${basename(path)} was changed since`);
    present.delete(basename(path));
  }
  return { previous, added: [...present.values()], faults };
}
