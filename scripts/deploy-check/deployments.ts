import { type Unstable_Config as Config, experimental_readRawConfig, unstable_readConfig } from "wrangler";
import { UsageError } from "./finding.ts";

/** The environments of a wrangler.toml as wrangler understands them: what they inherit is filled in. */
export interface Deployments {
  /** The one that is checked. */
  own: Config;
  /** By name; the top level is "production". */
  others: Map<string, Config>;
}

/**
 * @param env "" is the top level
 * @throws UsageError when the file cannot be read, or has no such environment
 */
export function readDeployments(path: string, env: string): Deployments {
  const configs = readAll(path);
  const own = configs.get(env);
  if (!own) throw new UsageError(`${path} has no [env.${env}]`);
  const others = [...configs].filter(([name]) => name !== env).map(([name, config]) => [name || "production", config]);
  return { own, others: new Map(others as [string, Config][]) };
}

function readAll(path: string): Map<string, Config> {
  try {
    const { rawConfig } = experimental_readRawConfig({ config: path }, { hideWarnings: true });
    const names = ["", ...Object.keys(rawConfig.env ?? {})];
    return new Map(names.map((env) => [env, unstable_readConfig({ config: path, env }, { hideWarnings: true })]));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
