// Makes a command of what a call declares.
import type { Call } from "../../src/http/call.ts";
import { callOperator, type Service } from "./api.ts";
import {
  type Command,
  type Option,
  type Outcome,
  type Own,
  segment,
  toQuery,
  UsageError,
  type Values,
} from "./command.ts";
import { optionsOf, readOptions } from "./fields.ts";
import { showAnswer } from "./show-answer.ts";

/** @param calls the one call of the command, or two, of which an option chooses the other */
export function makeCommand(name: string, calls: Call[], own: Own = {}): Command {
  const main = calls.find(({ command }) => !command?.chosenBy);
  const other = calls.find(({ command }) => command?.chosenBy);
  if (!main) throw new Error(`no call is the first of the command ${name}`);
  const by = other?.command?.chosenBy;
  const inPlace = by && !by.fills ? by.option : undefined;
  const [first, ...rest] = argumentsOf(main);
  return {
    name,
    parameters:
      own.parameters ?? [...(first ? [inPlace ? `${first} or --${inPlace}` : first] : []), ...rest].map(bracket),
    inPlace,
    group: main.tag,
    summary: main.summary,
    options: { ...describeOptions(calls), ...own.options },
    notes: notesOf(main, own),
    run: (service, parameters, values) =>
      runCall(other && by && values[by.option] ? other : main, own, service, parameters, values),
  };
}

const bracket = (text: string) => `<${text}>`;

/** Without the parameter that an option gives. */
function argumentsOf({ path, command }: Call): string[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return [...inPath, ...(command?.arguments ?? [])].filter((name) => name !== command?.chosenBy?.fills);
}

function describeOptions(calls: Call[]): Record<string, Option> {
  const options: Record<string, Option> = {};
  for (const call of calls) {
    const { chosenBy, isFinal } = call.command ?? {};
    if (chosenBy) {
      const { option, summary, fills } = chosenBy;
      options[option] = { value: fills && bracket(fills), summary };
    }
    for (const { name, value, summary } of optionsOf(call)) options[name] ??= { value, summary };
    if (isFinal) options.yes = { summary: "Required, because it cannot be undone." };
  }
  return options;
}

function notesOf({ description, command }: Call, own: Own): string {
  const [about = ""] = description.replaceAll("`", "").split("\n");
  return [about, command?.notes, own.notes].filter(Boolean).join("\n");
}

async function runCall(call: Call, own: Own, service: Service, parameters: string[], values: Values): Promise<Outcome> {
  const ask = () => askService(call, service, parameters, values);
  const answer = await (own.run ? own.run(service, parameters, values, ask) : ask());
  const { hasProblem } = call.command ?? {};
  return {
    answer,
    show: () =>
      own.show ? own.show(answer, service) : showAnswer(answer, call, { ...values, ...named(call, parameters) }),
    hasProblem: hasProblem?.(JSON.parse(answer)) ?? false,
  };
}

const named = (call: Call, parameters: string[]): Record<string, string | undefined> =>
  Object.fromEntries(argumentsOf(call).map((name, index) => [name, parameters[index]]));

/**
 * An empty option takes a setting away, or names an empty list. Elsewhere it comes of a variable that is not set, and without it the
 * command would mean more.
 */
function requireValues(call: Call, values: Values): void {
  if (call.method === "PUT" || call.method === "PATCH") return;
  const empty = optionsOf(call).find(({ name, field }) => values[name] === "" && field.schema.type !== "array");
  if (empty) throw new UsageError(`--${empty.name} is empty`);
}

async function askService(call: Call, service: Service, parameters: string[], values: Values): Promise<string> {
  const { command, method, body } = call;
  if (command?.isFinal && !values.yes) throw new UsageError("this cannot be undone: give --yes to do it");
  if (values.csv && values.json) throw new UsageError("--csv and --json exclude each other");
  const given = named(call, parameters);
  const { fills, option = "" } = command?.chosenBy ?? {};
  if (fills) given[fills] = String(values[option]);
  requireValues(call, values);
  const options = readOptions(optionsOf(call), values);
  for (const name of command?.arguments ?? []) options.body[name] = given[name];
  if (method === "PATCH" && Object.keys(options.body).length === 0) throw new UsageError("nothing to change is given");
  const path = call.path.replace("/operator", "").replaceAll(/:(\w+)/g, (_, name: string) => segment(given[name]));
  return callOperator(service, method, path + toQuery(options.query as Values), body && options.body);
}
