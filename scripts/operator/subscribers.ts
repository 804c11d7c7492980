import { readFileSync } from "node:fs";
import type { SubscriberAnswers } from "../../src/http/operator/subscribers.ts";
import { callOperator } from "./api.ts";
import { type Command, segment, UsageError } from "./command.ts";
import { printable } from "./table.ts";

export const SUBSCRIBER_COMMANDS: Command[] = [
  {
    name: "import-subscribers",
    parameters: ["<websiteId>", "<file.csv or ->"],
    summary: "import subscribers from a CSV file, or from standard input",
    options: {},
    notes: "Columns: phone_numbers, and if wanted email and subscribed (true when left out).",
    run: async (service, [id, file = "-"]) =>
      callOperator(service, "POST", `/websites/${segment(id)}/subscribers`, readInput(file)),
    show: showImport,
  },
];

function readInput(file: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(file === "-" ? 0 : file));
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : error}`);
  }
}

function showImport(answer: string): string {
  const result = JSON.parse(answer) as SubscriberAnswers["ImportAnswer"];
  const { imported, invalidPhoneNumbers, invalidEmails = [], optedOutNumbers = [] } = result;
  const list = (title: string, items: string[]) =>
    items.length === 0 ? [] : [`${title}: ${items.length}`, ...items.map((item) => `  ${printable(item)}`)];
  return [
    `Imported: ${imported}`,
    ...list("Not phone numbers, left out", invalidPhoneNumbers),
    ...list("Not e-mail addresses, their numbers imported without", invalidEmails),
    ...list("Opted out by the person, and not brought back", optedOutNumbers),
  ].join("\n");
}
