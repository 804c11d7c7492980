// Migrates each database of wrangler.toml, the first one first: a part of `npm run deploy`. It ends with the first that fails, so
// no Worker is deployed beside a database that is behind.
import { spawnSync } from "node:child_process";
import { type Unstable_Config as Config, unstable_readConfig } from "wrangler";

const env = process.env.CLOUDFLARE_ENV ?? "";
const config: Config = unstable_readConfig({ config: "wrangler.toml", env }, { hideWarnings: true });
const bindings = config.d1_databases.map(({ binding }) => binding).filter((binding) => /^DB(_\d+)?$/.test(binding));
const numberOf = (binding: string) => Number(binding.slice("DB_".length));

for (const binding of bindings.sort((a, b) => numberOf(a) - numberOf(b))) {
  const args = ["d1", "migrations", "apply", binding, "--remote", `--env=${env}`];
  // As npm runs a script: wrangler asks before it applies anything, where somebody can answer.
  const { status } = spawnSync("wrangler", args, { stdio: "inherit" });
  if (status !== 0) {
    if (bindings.length > 1) console.error(`${binding} is not migrated, and nothing is deployed.`);
    process.exit(status ?? 1);
  }
}
