import { resolve } from "node:path";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

export interface StartOptions {
  help: boolean;
  ip: string;
  /** 0: any free one. */
  port: number;
  /** Absolute. */
  persistTo: string;
  /** Absolute. Of a var that stands in several files, the last counts. */
  varFiles: string[];
  /** Those given with --var: they win over the files. */
  vars: Record<string, string>;
  /** Whether wrangler's own remarks are left out of what is shown. */
  quiet: boolean;
  /** What is handed to `wrangler dev` as it is. */
  passedOn: string[];
}

/** Something that the person at the keyboard can put right: told in a line, without a stack. */
export class StartError extends Error {}

export const START_HELP = `npm start -- [flags]

Runs the whole service on this machine, with a demo website in it.

  --port <n>          8787 when left out
  --ip <address>      127.0.0.1 when left out
  --persist-to <dir>  where its data stays; .wrangler/state when left out
  --var <NAME>:<value>, and any other flag of "wrangler dev", is passed on to it`;

/** Handed to wrangler with the value that was settled here. */
const OWN: ParseArgsOptionsConfig = {
  port: { type: "string", default: "8787" },
  ip: { type: "string", default: "127.0.0.1" },
  "persist-to": { type: "string", default: ".wrangler/state" },
};

const OPTIONS: ParseArgsOptionsConfig = {
  ...OWN,
  var: { type: "string", multiple: true, default: [] },
  "env-file": { type: "string", multiple: true, default: [".dev.vars"] },
  "log-level": { type: "string" },
  help: { type: "boolean", short: "h" },
};

/** @throws StartError */
export function parseStartOptions(args: string[]): StartOptions {
  const { values, positionals, tokens = [] } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true });
  const taken = new Set<number>();
  for (const token of tokens) {
    if (token.kind !== "option" || !(token.name in OPTIONS) || token.name === "help") continue;
    if (token.value === undefined) throw new StartError(`--${token.name} needs a value.`);
    if (!(token.name in OWN)) continue;
    taken.add(token.index);
    if (!token.inlineValue) taken.add(token.index + 1);
  }
  return {
    help: values.help === true,
    ip: String(values.ip),
    port: toPort(String(values.port)),
    persistTo: resolve(String(values["persist-to"])),
    varFiles: (values["env-file"] as string[]).map((path) => resolve(path)),
    // wrangler takes several values after one --var.
    vars: toVars([...(values.var as string[]), ...positionals]),
    quiet: values["log-level"] === undefined,
    passedOn: args.filter((_, index) => !taken.has(index)),
  };
}

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new StartError(`--port must be a number up to 65535, not "${text}".`);
  return port;
}

function toVars(pairs: string[]): Record<string, string> {
  const split = pairs.map((pair) => [pair, pair.indexOf(":")] as const);
  return Object.fromEntries(
    split.filter(([, at]) => at > 0).map(([pair, at]) => [pair.slice(0, at), pair.slice(at + 1)]),
  );
}
