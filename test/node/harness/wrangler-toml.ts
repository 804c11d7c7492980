import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/wrangler.ts";

const LIMITS = "\n[limits]\ncpu_ms = 300000\nsubrequests = 100000\n";

/** As it comes; until it has its limits, with them. */
export function wranglerToml(): string {
  const toml = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  return toml.includes("[limits]") ? toml : toml + LIMITS;
}

/** @throws Error for a line that does not stand once as a comment */
export function uncomment(toml: string, lines: string[]): string {
  return lines.reduce((text, line) => {
    const parts = text.split(`\n# ${line}\n`);
    if (parts.length !== 2) throw new Error(`wrangler.toml has "# ${line}" ${parts.length - 1} times, not once`);
    return parts.join(`\n${line}\n`);
  }, toml);
}

/** What an operator fills in. */
export const OPERATORS_LINES = [
  'PUBLIC_ORIGIN = "https://sms.example.com"',
  'LIMITER_LOCATION = "enam"',
  'database_id = "00000000-0000-0000-0000-000000000000"',
  "[[routes]]",
  'pattern = "sms.example.com"',
  "custom_domain = true",
  "[placement]",
  'region = "aws:us-east-1"',
];
