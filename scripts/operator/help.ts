import type { Command, Option } from "./command.ts";
import { COMMANDS } from "./commands.ts";

export const COMMON_OPTIONS: Record<string, Option> = {
  url: { value: "<url>", summary: "The service; TEXTGATE_URL, or http://127.0.0.1:8787, when left out." },
  token: {
    value: "<token>",
    summary:
      "OPERATOR_TOKEN or a token of create-token; OPERATOR_TOKEN of the environment, or of .dev.vars, when left out.",
  },
  json: { summary: "Print the JSON answer as it came; npm run -s operator prints nothing else." },
  help: { summary: "Explain a command." },
};

const EXIT_CODES =
  "Exit codes: 0 done, 1 refused by the service, 2 wrong usage, 3 the service does not answer, 4 health has a problem, or a part failed.";

export function overview(): string {
  const commands = COMMANDS.map((it) => [[it.name, ...it.parameters].join(" "), it.summary] as const);
  return [
    "npm run operator -- <command> [options]",
    "",
    ...align(commands),
    "",
    ...align(describe(COMMON_OPTIONS)),
    "",
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
