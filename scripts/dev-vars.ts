import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";

const SECRETS = ["OPERATOR_TOKEN", "SERVICE_KEY"] as const;

export type Secrets = Record<(typeof SECRETS)[number], string>;

/** The vars of files of the form of .dev.vars. If several files have a var, the last file counts. A missing file has none. */
export function readVars(paths: string[]): Record<string, string> {
  return Object.assign({}, ...paths.map((path) => parseEnv(readOrEmpty(path))));
}

/**
 * Makes the secrets that neither the files nor `given` has, and appends them to the last of the files. A new file can
 * be read by its owner only.
 * @param given wins over the files
 */
export function ensureSecrets(paths: string[], given: Record<string, string>): Secrets {
  const known = { ...readVars(paths), ...given };
  const missing = SECRETS.filter((name) => !known[name]).map((name) => [name, newSecret()] as const);
  const path = paths.at(-1);
  if (path && missing.length > 0) append(path, missing.map(([name, value]) => `${name}=${value}\n`).join(""));
  return { ...known, ...Object.fromEntries(missing) } as Secrets;
}

/** 256 bits in hexadecimal. */
function newSecret(): string {
  return Array.from(randomBytes(32), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function append(path: string, lines: string): void {
  const text = readOrEmpty(path);
  const separator = text === "" || text.endsWith("\n") ? "" : "\n";
  writeFileSync(path, separator + lines, { flag: "a", mode: 0o600 });
}

function readOrEmpty(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
