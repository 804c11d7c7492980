import * as z from "zod";
import { failField, RequestFailure, readTogether } from "../domain/failure.ts";
import { toE164 } from "../domain/people/phone.ts";
import { type ColumnsRead, SubscriberFile } from "../domain/people/subscriber-file.ts";
import type { SubscriptionChange } from "../domain/people/subscriber-rows.ts";
import { MOST_INVALID_CELLS, type Subscribers, without } from "../domain/people/subscribers.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { inDatabaseOf, inEach } from "../flows/databases/places.ts";
import { audited } from "../flows/operations/audit.ts";
import { findInvalidOptOuts, type Imported, importSubscribers } from "../flows/people/change-subscriptions.ts";
import { undoImport } from "../flows/people/undo-import.ts";
import { type ApiRequest, authorOf } from "../http/api-request.ts";
import { BODY_LIMITS, readChunks, requireMediaType } from "../http/body.ts";
import { inPath, inQuery, ok, type Resource } from "../http/call.ts";
import { PHONE as A_PHONE, MESSAGE_ID } from "../http/examples.ts";
import { MOST_NAMED } from "../store/people/change-subscriptions.ts";
import { readImport } from "../store/people/imports.ts";
import type { Answers } from "./answers.ts";
import { operatorCall } from "./operator-call.ts";
import { requireFound, requireWebsite, WEBSITE } from "./params.ts";

const subscriberAnswers = {
  ImportAnswer: z.object({
    importId: z
      .uuid()
      .optional()
      .describe("For an undo; the audit log has it as the subject of the import. Left out with `dryRun`."),
    columns: z
      .object({ phone: z.string(), email: z.string().nullable(), subscribed: z.string().nullable() })
      .describe("The columns that were read, as the file writes them. null: it has no such column."),
    imported: z.int().describe("The sum of the next three."),
    new: z.int().describe("Never seen before."),
    changed: z.int().describe("Of the others, those with another state or address than before."),
    unchanged: z.int(),
    keptUnsubscribed: z
      .int()
      .describe(
        "Numbers that the file would subscribe, and that stay unsubscribed: those of the two lists at the end.",
      ),
    invalidPhoneNumbers: z.array(z.string()),
    invalidEmails: z
      .array(z.string())
      .optional()
      .describe("Left out if empty. Their numbers are imported without an address."),
    invalidCells: z
      .array(
        z.object({
          line: z.int().describe("The line of the file on which the row begins, from 1."),
          column: z.enum(["phone_numbers", "email"]),
          value: z.string(),
          message: z.string(),
        }),
      )
      .optional()
      .describe(
        `Left out if empty. Where the values of the two lists before stand first, and what is wrong with each; at most ${MOST_INVALID_CELLS}.`,
      ),
    optedOutNumbers: z
      .array(z.string())
      .optional()
      .describe(
        `Left out if empty. Their owners opted out themselves, or they were erased: no import subscribes them. At most ${MOST_NAMED}.`,
      ),
    unsubscribedNumbers: z
      .array(z.string())
      .optional()
      .describe(
        `Left out if empty. Unsubscribed by a client, an import or an operator: \`resubscribe=true\` subscribes them again. At most ${MOST_NAMED}.`,
      ),
  }),
  UndoneImport: z.object({
    restored: z.int().describe("Numbers that this call has given back what they were."),
    changedSince: z.int().describe("Numbers that were set again since the import, and stay as they are; of all calls."),
    restoredBefore: z.int().describe("Numbers that earlier calls have restored."),
    isComplete: z.boolean().describe("false: the call took 20 seconds. Repeat it: it goes on."),
  }),
};

export type SubscriberAnswers = Answers<typeof subscriberAnswers>;

const SWITCH = { type: "boolean", default: false };

const importFile = operatorCall({
  id: "importSubscribers",
  method: "POST",
  path: "/operator/websites/:websiteId/subscribers",
  tag: "People",
  summary: "Import subscribers",
  description:
    "Invalid phone numbers and e-mail addresses are left out, and listed with line and reason. A file is rejected as a whole that has more than 100,000 of them, a word in the column `subscribed` that is neither true nor false, or a column such as `status`, `opt_in` or `unsubscribed` and none headed `subscribed`. Where the rows of a number differ, an opt-out counts, whatever their order. An import subscribes nobody whom anyone has unsubscribed: `keptUnsubscribed` counts them. With `resubscribe=true` it does, but for those who opted out themselves: only START brings them back.",
  database: "named",
  parameters: [
    WEBSITE,
    inQuery("dryRun", "true: counts what the import would change, and stores nothing.", SWITCH),
    inQuery(
      "resubscribe",
      "true: also subscribes numbers that a client, an import or an operator has unsubscribed. Whoever opted out themselves stays opted out.",
      SWITCH,
    ),
  ],
  body: {
    mediaTypes: ["text/csv"],
    schema: z.string(),
    description:
      "CSV with the columns `phone_numbers`, and optionally `email` (an empty cell keeps the present address) and `subscribed` (default `true`), as `csv_file` of `POST /text/subscription/status` may be: commas, semicolons or tabs, UTF-8, or UTF-16 with its byte order mark.",
    limitBytes: BODY_LIMITS.subscribers,
    examples: { two: `phone_numbers,email,subscribed\n${A_PHONE},ada@example.com,true\n+12125550101,,false\n` },
  },
  answers: [
    ok(subscriberAnswers.ImportAnswer, "How many numbers were imported, and which were not.", {
      importId: MESSAGE_ID,
      columns: { phone: "phone_numbers", email: "email", subscribed: "subscribed" },
      imported: 2,
      new: 1,
      changed: 1,
      unchanged: 0,
      keptUnsubscribed: 0,
      invalidPhoneNumbers: [],
    }),
  ],
  errors: ["resource-unknown"],
  command: { name: "import-subscribers", arguments: ["file"] },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const { isDry, resubscribes } = readTogether({
      isDry: () => readYes(request, "dryRun"),
      resubscribes: () => readYes(request, "resubscribe"),
    });
    requireMediaType(request, "text/csv");
    const { subscribers: file, columns } = await readFile(request);
    const importId = request.requestId;
    const known = await findInvalidOptOuts(deps, websiteId, file.invalidOptOuts);
    const invalidPhoneNumbers = without(file.invalidPhoneNumbers, known.map(toE164));
    const work = () => importSubscribers(deps, websiteId, changesOf(file, known), { importId, isDry, resubscribes });
    const entry = { action: "import", websiteId, subject: importId } as const;
    const done = isDry
      ? await work()
      : await audited(deps, authorOf(request), entry, work, (stored) => ({
          ...countsOf(stored),
          invalid: file.invalidPhoneNumbers.length,
          ...(resubscribes ? { resubscribe: true } : {}),
        }));
    request.logged = { websiteId, dryRun: isDry, ...countsOf(done) };
    return {
      ...(isDry ? {} : { importId }),
      columns,
      ...countsOf(done),
      invalidPhoneNumbers,
      ...unlessEmpty("invalidEmails", file.invalidEmails),
      ...unlessEmpty("invalidCells", invalidCellsOf(file, known)),
      ...unlessEmpty("optedOutNumbers", done.refused.byPerson.map(toE164)),
      ...unlessEmpty("unsubscribedNumbers", done.refused.byOthers.map(toE164)),
    };
  },
});

function readYes({ query }: ApiRequest, name: string): boolean {
  const given = query[name] || "false";
  return given === "true" || (given === "false" ? false : failField(name, "must be true or false"));
}

function countsOf({ count, added, changed, refused }: Imported) {
  return {
    ...{ imported: count, new: added, changed, unchanged: count - added - changed },
    keptUnsubscribed: refused.count,
  };
}

const unlessEmpty = <N extends string, T>(name: N, list: T[]) =>
  (list.length === 0 ? {} : { [name]: list }) as Partial<Record<N, T[]>>;

function invalidCellsOf({ invalidCells }: Subscribers, known: number[]) {
  const optedOut = new Set(known.map(toE164));
  return invalidCells.filter(({ value }) => !optedOut.has(value));
}

/** Checked while it comes in, and stored afterwards: neither the file nor its text is in memory at any time. */
async function readFile(request: ApiRequest): Promise<{ subscribers: Subscribers; columns: ColumnsRead }> {
  const file = new SubscriberFile();
  for await (const piece of readChunks(request, BODY_LIMITS.subscribers)) file.write(piece);
  return file.end();
}

function* changesOf(file: Subscribers, optOuts: number[]): Generator<SubscriptionChange, void> {
  for (const phone of optOuts) yield { phone, email: null, subscribed: false };
  yield* file.changes();
}

const undo = operatorCall({
  id: "undoImport",
  method: "POST",
  path: "/operator/imports/:importId/undo",
  tag: "People",
  summary: "Undo an import",
  description:
    "Each number is again what it was before the import (state, address; unknown if it was new), unless somebody has set it since, even to the same: an opt-out after the import always holds. Repeating it restores nothing more. Nobody is told, as of the import.",
  parameters: [inPath("importId", "`importId` of the import.", MESSAGE_ID, { format: "uuid" })],
  answers: [
    ok(subscriberAnswers.UndoneImport, "How many numbers were restored.", {
      ...{ restored: 2, changedSince: 0, restoredBefore: 0, isComplete: true },
    }),
  ],
  errors: ["resource-unknown", "import-running"],
  command: { name: "undo-import", notes: "website and audit show the id of an import." },
  run: async (request, deps) => {
    const importId = request.params.importId ?? "";
    const { answers, missing } = await askEach(inEach(deps), ({ db }) => readImport(db, importId));
    const found = answers.find((begun) => begun);
    if (!found && missing.unavailableDatabases) throw new RequestFailure({ kind: "store-unavailable" });
    const begun = requireFound(found, "import");
    const own = await inDatabaseOf(deps, { websiteId: begun.websiteId });
    const { restored, changedSince, undoneTo, lastId } = await undoImport(own, authorOf(request), begun);
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
