import { resolve } from "node:path";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { LOG_LEVELS, type LogLevel } from "./worker-log.ts";

export interface StartOptions {
  help: boolean;
  ip: string;
  /** 0: any free one. */
  port: number;
  /** Absolute. */
  persistTo: string;
  /** Absolute. If several files have a var, the last file counts. */
  varFiles: string[];
  /** Those given with --var: they win over the files. */
  vars: Record<string, string>;
  databases: number;
  /** Whether an empty service is filled with a month of two brands. */
  demo: boolean;
  logLevel: LogLevel;
}

/** A fault that the person at the keyboard can mend: shown as one line, without a stack. */
export class StartError extends Error {}

export const START_HELP = `npm start -- [flags]

Runs the whole service on this machine, with a demo website in it.

  --port <n>            port to listen on (default: 8787; 0 picks a free port)
  --ip <address>        address to listen on (default: 127.0.0.1)
  --persist-to <dir>    folder for the data (default: .wrangler/state)
  --var <NAME>:<value>  setting in place of the one in wrangler.toml; can be repeated
  --env-file <file>     file with the secrets (default: .dev.vars); can be repeated
  --databases <n>       number of databases (default: 1)
  --no-demo             do not fill the console with a month of two brands at the first start
  --log-level <level>   lowest level to show (default: log): ${LOG_LEVELS.join(", ")}

For the other flags of "wrangler dev", run it in place of this: npx wrangler dev --help`;

/** Where the data of `npm start` stays, and where the operator's command looks for it. */
export const DEFAULT_PERSIST_TO = ".wrangler/state";

const OPTIONS = {
  port: { type: "string", default: "8787" },
  ip: { type: "string", default: "127.0.0.1" },
  "persist-to": { type: "string", default: DEFAULT_PERSIST_TO },
  var: { type: "string", multiple: true, default: [] as string[] },
  databases: { type: "string", default: "1" },
  "no-demo": { type: "boolean", default: false },
  "env-file": { type: "string", multiple: true, default: [".dev.vars"] as string[] },
  "log-level": { type: "string", default: "log" },
  help: { type: "boolean", short: "h", default: false },
} satisfies ParseArgsOptionsConfig;

/** @throws StartError */
export function parseStartOptions(args: string[]): StartOptions {
  const { tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true });
  for (const token of tokens) if (token.kind === "option") requireKnown(token.name, token.rawName, token.value);
  const { values, positionals } = parseStrictly(args);
  return {
    help: values.help,
    ip: values.ip,
    port: toPort(values.port),
    persistTo: resolve(values["persist-to"]),
    varFiles: values["env-file"].map((path) => resolve(path)),
    // wrangler takes several values after one --var.
    vars: Object.fromEntries([...values.var, ...positionals].map(toVar)),
    databases: toDatabases(values.databases),
    demo: !values["no-demo"],
    logLevel: toLogLevel(values["log-level"]),
  };
}

function parseStrictly(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}

function requireKnown(name: string, rawName: string, value: string | undefined): void {
  if (!(name in OPTIONS)) {
    throw new StartError(
      `npm start has no flag ${rawName}: see npm start -- --help. If it is one of wrangler's: npx wrangler dev ${rawName}`,
    );
  }
  if (OPTIONS[name as keyof typeof OPTIONS].type !== "boolean" && value === undefined)
    throw new StartError(`${rawName} needs a value.`);
}

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new StartError(`--port must be a number up to 65535, not "${text}".`);
  return port;
}

const MOST_DATABASES = 100;

function toDatabases(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= MOST_DATABASES) return count;
  throw new StartError(`--databases must be a number from 1 to ${MOST_DATABASES}, not "${text}".`);
}

function toVar(pair: string): [string, string] {
  const at = pair.indexOf(":");
  if (at < 1) throw new StartError(`--var must be <NAME>:<value>, not "${pair}".`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

function toLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((it) => it === text);
  if (!level) throw new StartError(`--log-level must be one of ${LOG_LEVELS.join(", ")}, not "${text}".`);
  return level;
}
