// `npm run deploy:check`: says in words what is missing or risky in a deployment, before it and after it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkConfiguration, hostsOf } from "./deploy-check/configuration.ts";
import { type Finding, UsageError } from "./deploy-check/finding.ts";
import { checkService } from "./deploy-check/service.ts";
import { checkSettings, readSecrets, type Secrets } from "./deploy-check/settings.ts";

const EXIT = { fine: 0, found: 1, usage: 2 } as const;

const HELP = `npm run deploy:check -- [flags]

Says what is missing or risky in wrangler.toml, in the settings, and in a running service. Changes nothing.

  --env <name>      environment of wrangler.toml (default: CLOUDFLARE_ENV, or else the top level)
  --secrets <file>  file with the output of "npx wrangler secret list", or with lines of NAME=value; - for standard input
  --url <url>       check the running service at this URL too, with OPERATOR_TOKEN if it is set
  --config <file>   configuration to check (default: wrangler.toml)

Without --url, the command calls no service. Exit code: 0 fine, 1 something to fix, 2 a wrong flag or file.`;

const OPTIONS = {
  env: { type: "string" },
  secrets: { type: "string" },
  url: { type: "string" },
  config: { type: "string", default: "wrangler.toml" },
  help: { type: "boolean", short: "h", default: false },
} as const;

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\nSee: npm run deploy:check -- --help`);
  return EXIT.usage;
});

/** @returns the exit code */
async function main(args: string[]): Promise<number> {
  const flags = readFlags(args);
  if (flags.help) {
    console.log(HELP);
    return EXIT.fine;
  }
  const url = flags.url === undefined ? undefined : readUrl(flags.url);
  const secrets = flags.secrets === undefined ? undefined : readSecretsFile(flags.secrets);
  const token = process.env.OPERATOR_TOKEN || undefined;
  // wrangler takes more than a second to load.
  const { readDeployments } = await import("./deploy-check/deployments.ts");
  const deployments = readDeployments(flags.config, flags.env ?? process.env.CLOUDFLARE_ENV ?? "");
  const { own } = deployments;
  const document = readFileSync(join(import.meta.dirname, "../public/openapi.json"), "utf8");
  const findings = [
    ...checkConfiguration(deployments),
    ...(await checkSettings(own.vars, secrets, hostsOf(own))),
    ...(url === undefined ? [] : await checkService({ url, token, document })),
  ];
  console.log(report(own.name ?? "", findings, listUnchecked(url, token, secrets)));
  return findings.length === 0 ? EXIT.fine : EXIT.found;
}

function readFlags(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? "")) throw new UsageError(`"${text}" is not an http or https URL`);
  return text.replace(/\/+$/, "");
}

function readSecretsFile(path: string): Secrets {
  try {
    return readSecrets(readFileSync(path === "-" ? 0 : path, "utf8"));
  } catch (error) {
    throw new UsageError(`${path} has no secrets: ${(error as Error).message}`);
  }
}

function listUnchecked(url: string | undefined, token: string | undefined, secrets: Secrets | undefined): string[] {
  return [
    ...(secrets === undefined ? ["the secrets and carriers (--secrets)"] : []),
    ...(url === undefined ? ["the running service (--url)"] : []),
    ...(url !== undefined && token === undefined ? ["its problems (OPERATOR_TOKEN)"] : []),
  ];
}

function report(name: string, findings: Finding[], unchecked: string[]): string {
  const parts = findings.map(({ what, why, fix }, at) => `${at + 1}. ${what}\n   Why: ${why}\n   Do:  ${fix}`);
  const sum = findings.length === 0 ? "nothing to fix" : `${findings.length} to fix`;
  const rest = unchecked.length === 0 ? "." : `. Not checked: ${unchecked.join(", ")}.`;
  return [...parts, `${name}: ${sum}${rest}`].join("\n\n");
}
