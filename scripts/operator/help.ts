import type { Command, Option } from "./command.ts";
import { COMMANDS } from "./commands.ts";

export const COMMON_OPTIONS: Record<string, Option> = {
  url: {
    value: "<url>",
    summary: "The service. Default: TEXTGATE_URL, or the running npm start, or http://127.0.0.1:8787.",
  },
  token: {
    value: "<token>",
    summary: "OPERATOR_TOKEN or a token of create-token. Default: OPERATOR_TOKEN of the environment, or of .dev.vars.",
  },
  json: { summary: "Print the JSON answer as it came; npm run -s operator prints nothing else." },
  help: { summary: "Explain a command." },
};

const TIMES =
  "Times are UTC. A <day> is 2026-11-21, today or yesterday. A <time> is a day, or 2026-11-21T14:00Z, or with an offset such as -05:00.";

const EXIT_CODES =
  "Exit codes: 0 done, 1 refused by the service, 2 wrong usage, 3 the service does not answer, 4 health has a problem, or a part failed.";

export function overview(): string {
  const lines = align(COMMANDS.map((it) => [[it.name, ...it.parameters].join(" "), it.summary] as const));
  const groups = Map.groupBy(lines, (_, index) => COMMANDS[index]?.group ?? "");
  return [
    "npm run operator -- <command> [options]",
    "",
    ...[...groups].flatMap(([group, commands]) => [group, ...commands, ""]),
    ...align(describe(COMMON_OPTIONS)),
    "",
    TIMES,
    EXIT_CODES,
  ].join("\n");
}

export function helpOf({ name, parameters, summary, options, notes }: Command): string {
  return [
    `npm run operator -- ${[name, ...parameters].join(" ")} [options]`,
    "",
    `${summary}.`,
    ...(notes ? [notes] : []),
    "",
    ...align(describe({ ...options, ...COMMON_OPTIONS })),
  ].join("\n");
}

function describe(options: Record<string, Option>) {
  return Object.entries(options).map(([name, { value, summary }]) => [`--${name} ${value ?? ""}`, summary] as const);
}

function align(rows: (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
