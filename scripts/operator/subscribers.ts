import type { SubscriberAnswers } from "../../src/http/operator/subscribers.ts";
import { callOperator, type Service } from "./api.ts";
import { type Command, segment } from "./command.ts";
import { importFile } from "./import/import-file.ts";
import { printable } from "./table.ts";

type Undone = SubscriberAnswers["UndoneImport"];

export const SUBSCRIBER_COMMANDS: Command[] = [
  {
    name: "import-subscribers",
    parameters: ["<websiteId>", "<file.csv or ->"],
    summary: "import subscribers from a CSV file, or from standard input",
    options: {
      "dry-run": { summary: "say what it would change, and store nothing" },
      resubscribe: {
        summary: "subscribe also whom a client, an import or an operator has unsubscribed; never whom a STOP has",
      },
      import: { value: "<importId>", summary: "go on with an import that has broken off" },
    },
    notes:
      "Columns: phone_numbers, and if wanted email and subscribed (true when left out). If a number has several rows, an opt-out counts. A large file goes in several requests, which are one import.",
    run: (service, [websiteId = "", file = "-"], values) =>
      importFile(service, {
        ...{ websiteId, file },
        isDry: values["dry-run"] === true,
        resubscribes: values.resubscribe === true,
        importId: typeof values.import === "string" ? values.import : undefined,
      }),
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

type ImportAnswer = SubscriberAnswers["ImportAnswer"];

function showImport(answer: string): string {
  const result = JSON.parse(answer) as ImportAnswer;
  const { importId, imported, changed, unchanged, keptUnsubscribed, optedOutNumbers, unsubscribedNumbers } = result;
  const { invalidPhoneNumbers, invalidEmails = [], invalidCells = [] } = result;
  const invalid = (items: string[], column: string) => [
    ...invalidCells.filter((it) => it.column === column).map((it) => `line ${it.line}: ${it.value}: ${it.message}`),
    ...withoutCells(items, invalidCells, column),
  ];
  return [
    `Columns read: ${describeColumns(result)}`,
    `${importId ? "Imported" : "Would be imported"}: ${imported} (${result.new} new, ${changed} changed, ${unchanged} unchanged)`,
    ...list("Not phone numbers, left out", invalid(invalidPhoneNumbers, "phone_numbers")),
    ...list("Not e-mail addresses, their numbers imported without", invalid(invalidEmails, "email")),
    ...(keptUnsubscribed > 0 ? [`Kept unsubscribed: ${keptUnsubscribed}`] : []),
    ...list("Opted out by the person, and not brought back", optedOutNumbers),
    ...list("Unsubscribed before, and brought back only with --resubscribe", unsubscribedNumbers),
    ...(importId ? [`To undo it: undo-import ${importId}`] : []),
  ].join("\n");
}

function list(title: string, items: string[] = []): string[] {
  return items.length === 0 ? [] : [`${title}: ${items.length}`, ...items.map((item) => `  ${printable(item)}`)];
}

/** The service tells the lines of the first ones. */
function withoutCells(items: string[], cells: NonNullable<ImportAnswer["invalidCells"]>, column: string): string[] {
  const told = new Set(cells.filter((it) => it.column === column).map(({ value }) => value));
  return items.filter((item) => !told.has(item));
}

/** A column has the name of what is read from it, or the same in other letters. */
function describeColumns({ columns: { phone, email, subscribed } }: ImportAnswer): string {
  const others = [`email: ${email ?? "none"}`, `subscribed: ${subscribed ?? "none, so every row is true"}`];
  return printable([phone, ...others].join("; "));
}
