// The command that imports a file of subscribers, and what it prints.
import type { SubscriberAnswers } from "../../../src/operator/answers/imports.ts";
import type { Own } from "../command.ts";
import { printable } from "../table.ts";
import { importFile } from "./import-file.ts";

export const IMPORT_FILE: Own = {
  parameters: ["<websiteId>", "<file.csv or ->"],
  notes:
    "Columns: phone_numbers, subscribed (true or false in each row), and optionally email, consented_at and evidence. Give --everyone subscribed for a file without a column subscribed if everyone in it has agreed to be texted. If a number has several rows, an opt-out counts. A large file is sent in several requests, which are one import. If the number of an opt-out cannot be read, the command exits with 4.",
  run: (service, [websiteId = "", file = "-"], values) =>
    importFile(service, {
      ...{ websiteId, file },
      isDry: values["dry-run"] === true,
      resubscribes: values.resubscribe === true,
      everyone: typeof values.everyone === "string" ? values.everyone : undefined,
      importId: typeof values.import === "string" ? values.import : undefined,
    }),
  show: showImport,
};

type ImportAnswer = SubscriberAnswers["ImportAnswer"];

function showImport(answer: string): string {
  const result = JSON.parse(answer) as ImportAnswer;
  const { importId, keptUnsubscribed, optedOutNumbers, unsubscribedNumbers, unreadableOptOuts } = result;
  const { invalidPhoneNumbers, invalidEmails = [], invalidCells = [], withoutProof = 0 } = result;
  const invalid = (items: string[], column: string) => [
    ...invalidCells.filter((it) => it.column === column).map((it) => `line ${it.line}: ${it.value}: ${it.message}`),
    ...withoutCells(items, invalidCells, column),
  ];
  return [
    `Columns read: ${describeColumns(result)}`,
    ...describeCounts(result),
    ...(withoutProof > 0 ? [`Without proof of consent: ${withoutProof} of ${result.rows} rows`] : []),
    ...(unreadableOptOuts > 0
      ? [
          `OPT-OUTS LEFT OUT, because their numbers cannot be read: ${unreadableOptOuts}. Correct these rows, and import them again.`,
        ]
      : []),
    ...list("Not phone numbers, left out", invalid(invalidPhoneNumbers, "phone_numbers")),
    ...list("Not e-mail addresses, their numbers imported without", invalid(invalidEmails, "email")),
    ...(keptUnsubscribed > 0 ? [`Kept unsubscribed: ${keptUnsubscribed}`] : []),
    ...list("Opted out by the person, and not brought back", optedOutNumbers),
    ...list("Unsubscribed before, and brought back only with --resubscribe", unsubscribedNumbers),
    ...(importId ? [`To undo it: undo-import ${importId}`] : []),
  ].join("\n");
}

/** How many are subscribed and opted out: a file that says the opposite of what it should shows here. */
function describeCounts({ importId, ...counts }: ImportAnswer): string[] {
  const { newSubscribed, becameSubscribed, newOptedOut, becameOptedOut } = counts;
  const be = importId ? "" : "Would be ";
  const word = (text: string) => (importId ? text : text.toLowerCase());
  return [
    `${be}${word("Imported")}: ${counts.imported}`,
    `  ${word("Subscribed")}: ${newSubscribed + becameSubscribed} (${newSubscribed} new, ${becameSubscribed} opted out before)`,
    `  ${word("Opted out")}: ${newOptedOut + becameOptedOut} (${newOptedOut} new, ${becameOptedOut} subscribed before)`,
    `  ${word("New address")}: ${counts.newAddress}`,
    `  ${word("Unchanged")}: ${counts.unchanged}`,
  ];
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
function describeColumns({ columns: { phone, email, subscribed }, ignoredColumns }: ImportAnswer): string {
  const others = [`email: ${email ?? "none"}`, `subscribed: ${subscribed ?? "none, and everyone is"}`];
  return printable([phone, ...others, `ignored: ${ignoredColumns.join(", ") || "none"}`].join("; "));
}
