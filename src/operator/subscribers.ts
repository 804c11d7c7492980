import * as z from "zod";
import { RequestFailure, readTogether } from "../domain/failure.ts";
import { FigureCounter, sumOf } from "../domain/people/import-figures.ts";
import { toE164 } from "../domain/people/phone.ts";
import { MOST_ROWS, SubscriberFile } from "../domain/people/subscriber-file.ts";
import { without } from "../domain/people/subscribers.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { type Imported, importSubscribers } from "../flows/people/import-subscribers.ts";
import { undoImport } from "../flows/people/undo-import.ts";
import { unlessItFails } from "../flows/unless-it-fails.ts";
import { authorOf, toStoredId } from "../http/api-request.ts";
import { BODY_LIMITS, requireMediaType } from "../http/body.ts";
import { inPath, inQuery, ok, type Resource } from "../http/call.ts";
import { PHONE as A_PHONE, MESSAGE_ID } from "../http/examples.ts";
import { readParts } from "../http/import-parts.ts";
import { countImport, readImport } from "../store/people/imports.ts";
import { subscriberAnswers } from "./answers/imports.ts";
import { operatorCall } from "./operator-call.ts";
import {
  MOST_PARTS,
  readChoice,
  readFileName,
  readPart,
  readYes,
  requireFound,
  requireWebsite,
  WEBSITE,
} from "./params.ts";
import { previewOf, sayUndone } from "./views/import-preview.ts";

/** Generated clients call a file of text plain. */
const CSV_TYPES: [string, ...string[]] = ["text/csv", "text/plain"];

const SWITCH = { type: "boolean", default: false };

const importFile = operatorCall({
  id: "importSubscribers",
  method: "POST",
  path: "/operator/websites/:websiteId/subscribers",
  tag: "People",
  summary: "Import subscribers",
  description: `The file is stored as it comes in, at most ${MOST_ROWS.toLocaleString("en")} rows a request. A larger file is cut: each piece begins with the first line of the file, and goes with the \`importId\` that the first piece was answered with, one piece after the other. So the pieces are one import. Invalid phone numbers and e-mail addresses are left out, and listed with line and reason. A file with more than 100,000 of them is refused. So is a file in which a cell of the column \`subscribed\` is blank, or neither true nor false, or with a time in \`consented_at\` or a text in \`evidence\` that \`POST /text/subscribe\` would refuse. So is a file that has a column such as \`status\`, \`opt_in\` or \`unsubscribed\`, and none headed \`subscribed\`. So is a file in which a row has more fields than the first line, has text behind a closing quote, or names other columns than the first line; or that has a column twice. A file without a column \`subscribed\` is imported only with \`everyone=subscribed\`. Where the rows of a number differ, an opt-out counts, in any order, also in another piece; its address is the last one. If a country writes a number in two ways, an opt-out counts for the other form as well, as far as it is stored or in the file. An import does not subscribe a number that anyone has unsubscribed: \`keptUnsubscribed\` counts these numbers. \`resubscribe=true\` subscribes them too, except people who opted out themselves: only START brings them back. If rows may have been stored before an error, the error has \`import\`: the id for an undo or to continue, and how many rows of this file are stored. If you send stored rows again, nothing changes.`,
  database: "named",
  parameters: [
    WEBSITE,
    inQuery("dryRun", "true: counts what the import would change, and stores nothing.", SWITCH),
    inQuery(
      "resubscribe",
      "true: also subscribes numbers that a client, an import or an operator has unsubscribed before this request. Whoever opted out themselves stays opted out.",
      SWITCH,
    ),
    inQuery(
      "everyone",
      "`subscribed`: everyone in the file has agreed to be texted. Required for a file without a column `subscribed`, and refused for any other.",
      { enum: ["subscribed"] },
    ),
    inQuery("file", "The name of the file, for the list of imports: at most 200 characters."),
    inQuery(
      "importId",
      "Adds the file to this import, which an earlier request into the same website has begun with the same `resubscribe`. The answer has the figures of this request. An import that was undone takes no more rows: 40901.",
      { format: "uuid" },
    ),
    inQuery(
      "part",
      "With `importId`: the number of this piece of the file. If a request is sent again because its answer was lost, the list of imports counts its rows once.",
      { type: "integer", minimum: 1, maximum: MOST_PARTS },
    ),
  ],
  body: {
    mediaTypes: CSV_TYPES,
    schema: z.string(),
    description:
      "CSV with the columns `phone_numbers`, and optionally `email` (an empty cell keeps the present address), `subscribed` (true or false in each row), and, as proof of consent, `consented_at` (a time with its offset) and `evidence` (at most 1,000 characters), as `csv_file` of `POST /text/subscription/status` may be: commas, semicolons or tabs, UTF-8, or UTF-16 with its byte order mark.",
    limitBytes: BODY_LIMITS.subscribers,
    examples: { two: `phone_numbers,email,subscribed\n${A_PHONE},ada@example.com,true\n+12125550101,,false\n` },
  },
  answers: [
    ok(subscriberAnswers.ImportAnswer, "How many numbers were imported, and which were not.", {
      importId: MESSAGE_ID,
      columns: { phone: "phone_numbers", email: "email", subscribed: "subscribed" },
      ignoredColumns: [],
      imported: 2,
      ...{ newSubscribed: 1, newOptedOut: 0, becameSubscribed: 0, becameOptedOut: 1, newAddress: 0, unchanged: 0 },
      ...{ keptUnsubscribed: 0, unreadableOptOuts: 0 },
      invalidPhoneNumbers: [],
    }),
  ],
  errors: ["resource-unknown", "import-closed"],
  command: {
    name: "import-subscribers",
    arguments: ["file"],
    options: { import: { field: "importId", summary: "Continue an import that ended early." } },
    hasProblem: ({ unreadableOptOuts }) => unreadableOptOuts > 0,
  },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const { isDry, resubscribes, everyone, name, part } = readTogether({
      part: () => readPart(request),
      name: () => readFileName(request),
      isDry: () => readYes(request, "dryRun"),
      resubscribes: () => readYes(request, "resubscribe"),
      everyone: () => readChoice(request, "everyone", ["subscribed"]),
    });
    requireMediaType(request, ...CSV_TYPES);
    const joined = toStoredId(String(request.query.importId ?? ""));
    const importId = joined || request.requestId;
    const file = new SubscriberFile(deps.now(), everyone !== undefined);
    const counter = new FigureCounter();
    const done = await importSubscribers(
      deps,
      authorOf(request),
      {
        ...{ websiteId, importId, isJoined: joined !== "", isDry, resubscribes },
        ...{ file: name, operator: authorOf(request).operator },
      },
      readParts(request, file),
      (stored) => ({
        ...countsOf(stored),
        invalid: file.invalid.invalidPhoneNumbers.length,
        ...(resubscribes ? { resubscribe: true } : {}),
        ...(everyone ? { everyone } : {}),
      }),
      counter,
    );
    request.logged = { websiteId, dryRun: isDry, ...countsOf(done) };
    const known = done.knownOptOuts.map(toE164);
    const { rows } = file.counts;
    const refused = file.counts.refused - file.invalid.rowsOf(known);
    const counts = { rows, refused, keptUnsubscribed: done.refused.count };
    if (!isDry) {
      await unlessItFails(deps, "import.not-counted", { importId }, () =>
        countImport(deps.db, importId, part ?? request.requestId, counts),
      );
    }
    const { invalidPhoneNumbers, invalidEmails, invalidCells } = file.invalid;
    return {
      ...(isDry ? {} : { importId }),
      columns: file.columns,
      ignoredColumns: file.ignoredColumns.slice(0, 100).map((title) => title.slice(0, 100)),
      ...countsOf(done),
      unreadableOptOuts: file.invalid.unreadableOptOuts(known),
      invalidPhoneNumbers: without(invalidPhoneNumbers, known),
      ...unlessEmpty("invalidEmails", invalidEmails),
      ...unlessEmpty(
        "invalidCells",
        invalidCells.filter(({ value }) => !known.includes(value)),
      ),
      ...unlessEmpty("optedOutNumbers", done.refused.byPerson.map(toE164)),
      ...unlessEmpty("unsubscribedNumbers", done.refused.byOthers.map(toE164)),
      ...(isDry ? previewOf(file, done, counter, refused) : {}),
    };
  },
});

function countsOf({ refused, knownOptOuts: _, otherForms: __, ...done }: Imported) {
  return { imported: sumOf(done), ...done, keptUnsubscribed: refused.count };
}

const unlessEmpty = <N extends string, T>(name: N, list: T[]) =>
  (list.length === 0 ? {} : { [name]: list }) as Partial<Record<N, T[]>>;

const undo = operatorCall({
  id: "undoImport",
  method: "POST",
  path: "/operator/imports/:importId/undo",
  tag: "People",
  summary: "Undo an import",
  description:
    "Each number gets back its state and address from before the import; a number that was new is unknown again. A number that somebody has set since stays as it is, even if it was set to the same: an opt-out after the import always holds. It takes back what all requests of the import have stored, and closes the import: a request that still goes on ends with 40901. Repeating it restores nothing more. Nobody is told, as of the import.",
  parameters: [inPath("importId", "`importId` of the import.", MESSAGE_ID, { format: "uuid" })],
  answers: [
    ok(subscriberAnswers.UndoneImport, "How many numbers were restored.", {
      ...{ restored: 2, changedSince: 0, restoredBefore: 0, isComplete: true },
    }),
  ],
  errors: ["resource-unknown"],
  command: { name: "undo-import", notes: "website and audit show the id of an import.", next: sayUndone },
  run: async (request, deps) => {
    const importId = toStoredId(request.params.importId ?? "");
    const { answers, missing } = await askEach(deps, async (own) => ({
      own,
      begun: await readImport(own.db, importId),
    }));
    const found = answers.find(({ begun }) => begun);
    if (!found && missing.unavailableDatabases) throw new RequestFailure({ kind: "store-unavailable" });
    const begun = requireFound(found?.begun, "import");
    const { restored, changedSince, undoneTo, lastId } = await undoImport(found?.own ?? deps, authorOf(request), begun);
    const answer = {
      restored: restored - begun.restored,
      changedSince,
      restoredBefore: begun.restored,
      isComplete: undoneTo >= lastId,
    };
    request.logged = { websiteId: begun.websiteId, ...answer };
    return answer;
  },
});

export const subscribers: Resource = { calls: [importFile, undo], schemas: subscriberAnswers };
