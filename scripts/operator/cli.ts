import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { isLoopback } from "../../src/domain/callbacks/callback-url.ts";
import { nearestOf } from "../../src/domain/operations/nearest.ts";
import { readVars } from "../dev-vars.ts";
import { DEFAULT_URL } from "../next-steps.ts";
import { runningUrl } from "../running-service.ts";
import { Refusal, type Service, Unreachable } from "./api.ts";
import { type Command, toParseOptions, UsageError, type Values } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { COMMON_OPTIONS, helpOf, overview } from "./help.ts";
import { printableLines, toTable } from "./table.ts";

const EXIT = { ok: 0, refused: 1, usage: 2, unreachable: 3, problem: 4 } as const;

/** `npm run operator`, with the arguments after its name. @returns the exit code */
export async function main(args: string[]): Promise<number> {
  const loose = parseArgs({ args, options: allOptions(), strict: false });
  const wantsJson = loose.values.json === true;
  const [name] = loose.positionals;
  try {
    const command = name === undefined ? undefined : findCommand(name);
    if (loose.values.help === true || name === "help") console.log(command ? helpOf(command) : overview());
    else if (command) return await runCommand(command, args, wantsJson);
    else throw new UsageError(`a command is missing\n\n${overview()}`);
    return EXIT.ok;
  } catch (error) {
    return explain(error, name, wantsJson, String(loose.values.url ?? serviceUrl()));
  }
}

function allOptions() {
  return toParseOptions(Object.assign({}, COMMON_OPTIONS, ...COMMANDS.map(({ options }) => options)));
}

function findCommand(name: string): Command | undefined {
  const command = COMMANDS.find((it) => it.name === name);
  if (!command && name !== "help")
    throw new UsageError(
      `there is no command "${name}"${guess(
        name,
        COMMANDS.map((it) => it.name),
      )}`,
    );
  return command;
}

function guess(given: string, known: string[]): string {
  const nearest = nearestOf(given, known);
  return nearest ? `: did you mean ${nearest}?` : "";
}

async function runCommand(command: Command, args: string[], wantsJson: boolean): Promise<number> {
  const options = toParseOptions({ ...COMMON_OPTIONS, ...command.options });
  refuseUnknown(args, options);
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const parameters = positionals.slice(1);
  const isInPlace = command.inPlace !== undefined && values[command.inPlace] === true;
  const expected = command.parameters.length - (isInPlace ? 1 : 0);
  if (parameters.length !== expected || parameters.includes("")) {
    throw new UsageError(`it takes ${command.parameters.join(" ") || "no arguments"}`);
  }
  const service = toService(values.url as string | undefined, values.token as string | undefined);
  const { answer, show, hasProblem } = await command.run(service, parameters, values as Values);
  console.log(printableLines(wantsJson ? answer : show(), process.stdout.isTTY));
  return hasProblem ? EXIT.problem : EXIT.ok;
}

/** In our words, because Node's advice about an unknown option is for another case. @throws UsageError */
function refuseUnknown(args: string[], options: ParseArgsOptionsConfig): void {
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const unknown = tokens.find((token) => token.kind === "option" && !Object.hasOwn(options, token.name));
  if (unknown?.kind !== "option") return;
  throw new UsageError(
    `there is no option ${unknown.rawName}${guess(unknown.name, Object.keys(options)).replace("mean ", "mean --")}`,
  );
}

function serviceUrl(): string {
  return process.env.TEXTGATE_URL || runningUrl() || DEFAULT_URL;
}

function toService(url = serviceUrl(), token = process.env.OPERATOR_TOKEN): Service {
  const found = token || readVars([".dev.vars"]).OPERATOR_TOKEN;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) throw new UsageError(`"${url}" is not an http or https URL`);
  if (!found) throw new UsageError("no token: give --token, set OPERATOR_TOKEN, or run npm start once");
  return { url: url.replace(/\/+$/, ""), token: found };
}

const adviseUnreachable = (url: string) =>
  isLoopback(new URL(url))
    ? "Start it with npm start, or name a deployed service with --url or TEXTGATE_URL."
    : "Check the address, and Cloudflare's status page. A change may be made although its answer is lost: see audit.";

/** @returns the exit code */
function explain(error: unknown, name: string | undefined, wantsJson: boolean, url: string): number {
  if (error instanceof Refusal) {
    const words = wantsJson ? JSON.stringify(error.body) : describeRefusal(error, url);
    console.error(printableLines(words, process.stderr.isTTY));
    return EXIT.refused;
  }
  if (error instanceof Unreachable) {
    console.error(`The service does not answer at ${url}. ${adviseUnreachable(url)}`);
    return EXIT.unreachable;
  }
  if (error instanceof UsageError || isParseError(error)) {
    const command = COMMANDS.some((it) => it.name === name) ? `${name} ` : "";
    console.error(`${command.trim()}${command && ": "}${error.message}\nSee: npm run operator -- ${command}--help`);
    return EXIT.usage;
  }
  throw error;
}

function isParseError(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

/** The message has said some details, such as the only one of a body. The faults of a file are a table. */
function describeDetails(all: NonNullable<Refusal["body"]["details"]>, said: string): string[] {
  const details = all.filter(({ message }) => !said.includes(message));
  if (details.length === 0) return [];
  if (details.every(({ line }) => line === undefined))
    return details.map(({ field, message }) => `  ${field}: ${message}`);
  const rows = details.map(({ line, field, value, message }) => [line ?? null, field, value ?? null, message]);
  return [toTable([["line", "column", "value", "cause"], ...rows])];
}

function describeRefusal({ body }: Refusal, url: string): string {
  const { code, message, details = [], requestId } = body;
  const lines = [`${code} ${message}`, ...describeDetails(details, message)];
  if (code >= 50000 && requestId) lines.push(`The log has its cause: requestId ${requestId}`);
  if (code === 40101)
    lines.push(
      `${url} rejected the token: it is wrong, revoked, or for another service. Pass --token, or set OPERATOR_TOKEN.`,
    );
  if (code === 40400) {
    lines.push(`${url} has no OPERATOR_TOKEN, so it has no /operator: npx wrangler secret put OPERATOR_TOKEN`);
  }
  return lines.join("\n");
}
