import { readFileSync } from "node:fs";
import type { SubscriberAnswers } from "../../src/http/operator/subscribers.ts";
import { callOperator, type Service } from "./api.ts";
import { type Command, segment, UsageError } from "./command.ts";
import { printable } from "./table.ts";

type Undone = SubscriberAnswers["UndoneImport"];

export const SUBSCRIBER_COMMANDS: Command[] = [
  {
    name: "import-subscribers",
    parameters: ["<websiteId>", "<file.csv or ->"],
    summary: "import subscribers from a CSV file, or from standard input",
    options: { "dry-run": { summary: "say what it would change, and store nothing" } },
    notes: "Columns: phone_numbers, and if wanted email and subscribed (true when left out).",
    run: async (service, [id, file = "-"], values) => {
      const query = values["dry-run"] ? "?dryRun=true" : "";
      return callOperator(service, "POST", `/websites/${segment(id)}/subscribers${query}`, readInput(file));
    },
    show: showImport,
  },
  {
    name: "undo-import",
    parameters: ["<importId>"],
    summary: "give each number back what it was before an import; twice is harmless",
    options: {},
    notes: "website and audit show the id of an import. What was set again since the import stays as it is.",
    run: undoImport,
    show: showUndone,
  },
];

/** A large import takes several calls. @returns the last answer, as if one call had done it all */
async function undoImport(service: Service, [id]: string[]): Promise<string> {
  const path = `/imports/${segment(id)}/undo`;
  let answer = JSON.parse(await callOperator(service, "POST", path)) as Undone;
  const { restoredBefore } = answer;
  while (!answer.isComplete) answer = JSON.parse(await callOperator(service, "POST", path)) as Undone;
  return JSON.stringify({
    ...answer,
    restored: answer.restoredBefore + answer.restored - restoredBefore,
    restoredBefore,
  });
}

function showUndone(answer: string): string {
  const { restored, changedSince, restoredBefore } = JSON.parse(answer) as Undone;
  return [
    `Restored: ${restored}`,
    ...(restoredBefore > 0 ? [`Restored before: ${restoredBefore}`] : []),
    `Set again since the import, and left as they are: ${changedSince}`,
  ].join("\n");
}

function readInput(file: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(file === "-" ? 0 : file));
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : error}`);
  }
}

function showImport(answer: string): string {
  const result = JSON.parse(answer) as SubscriberAnswers["ImportAnswer"];
  const {
    importId,
    imported,
    changed,
    unchanged,
    invalidPhoneNumbers,
    invalidEmails = [],
    optedOutNumbers = [],
  } = result;
  const list = (title: string, items: string[]) =>
    items.length === 0 ? [] : [`${title}: ${items.length}`, ...items.map((item) => `  ${printable(item)}`)];
  return [
    `${importId ? "Imported" : "Would be imported"}: ${imported} (${result.new} new, ${changed} changed, ${unchanged} unchanged)`,
    ...list("Not phone numbers, left out", invalidPhoneNumbers),
    ...list("Not e-mail addresses, their numbers imported without", invalidEmails),
    ...list("Opted out by the person, and not brought back", optedOutNumbers),
    ...(importId ? [`To undo it: undo-import ${importId}`] : []),
  ].join("\n");
}
