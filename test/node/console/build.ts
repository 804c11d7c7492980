import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Bundles the console, as the build command of wrangler.toml does. */
export function buildConsole(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, "../../../scripts/console-assets.ts")]);
}
