import { basename, join } from "node:path";
import { ROOT, runWrangler } from "./wrangler.ts";

/**
 * Bundles a Worker as a deploy does, and runs the build command of wrangler.toml.
 * @param entry from the root of the checkout
 * @returns the path of the bundle, in the directory
 * @throws WranglerFailure
 */
export async function bundle(directory: string, entry = "src/index.ts", checkout = ROOT): Promise<string> {
  // Without its configuration, wrangler looks for one beside the entry.
  const place = ["--cwd", checkout, "--config", join(checkout, "wrangler.toml")];
  await runWrangler(directory, "deploy", entry, "--dry-run", "--outdir", directory, ...place);
  return join(directory, basename(entry).replace(/ts$/, "js"));
}
