import * as z from "zod";
import { failField, RequestFailure, readTogether } from "../../domain/failure.ts";
import { MOST_NAMED } from "../../domain/people/import-figures.ts";
import { toE164 } from "../../domain/people/phone.ts";
import { SubscriberFile } from "../../domain/people/subscriber-file.ts";
import { MOST_INVALID_CELLS, without } from "../../domain/people/subscribers.ts";
import { askEach } from "../../flows/databases/ask-each.ts";
import { inDatabaseOf, inEach } from "../../flows/databases/places.ts";
import { type Imported, importSubscribers } from "../../flows/people/import-subscribers.ts";
import { undoImport } from "../../flows/people/undo-import.ts";
import { readImport } from "../../store/people/imports.ts";
import { type ApiRequest, authorOf, type Handler, toStoredId } from "../api-request.ts";
import { requireMediaType } from "../body.ts";
import { readParts } from "../import-parts.ts";
import type { Answers } from "./answers.ts";
import { requireFound, requireWebsite } from "./params.ts";

export const subscriberAnswers = {
  ImportAnswer: z.object({
    importId: z
      .uuid()
      .optional()
      .describe(
        "For an undo, and for further requests of the import; the audit log has it as the subject of the import. Left out with `dryRun`.",
      ),
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

/** POST /operator/websites/:websiteId/subscribers?dryRun=&resubscribe=&importId= */
export const importSubscribersHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const { isDry, resubscribes } = readTogether({
    isDry: () => readYes(request, "dryRun"),
    resubscribes: () => readYes(request, "resubscribe"),
  });
  requireMediaType(request, "text/csv");
  const joined = toStoredId(String(request.query.importId ?? ""));
  const importId = joined || request.requestId;
  const file = new SubscriberFile();
  const done = await importSubscribers(
    deps,
    authorOf(request),
    { websiteId, importId, isJoined: joined !== "", isDry, resubscribes },
    readParts(request, file),
    (stored) => ({
      ...countsOf(stored),
      invalid: file.invalid.invalidPhoneNumbers.length,
      ...(resubscribes ? { resubscribe: true } : {}),
    }),
  );
  request.logged = { websiteId, dryRun: isDry, ...countsOf(done) };
  const known = done.knownOptOuts.map(toE164);
  const { invalidPhoneNumbers, invalidEmails, invalidCells } = file.invalid;
  const answer: SubscriberAnswers["ImportAnswer"] = {
    ...(isDry ? {} : { importId }),
    columns: file.columns,
    ...countsOf(done),
    invalidPhoneNumbers: without(invalidPhoneNumbers, known),
    ...unlessEmpty("invalidEmails", invalidEmails),
    ...unlessEmpty(
      "invalidCells",
      invalidCells.filter(({ value }) => !known.includes(value)),
    ),
    ...unlessEmpty("optedOutNumbers", done.refused.byPerson.map(toE164)),
    ...unlessEmpty("unsubscribedNumbers", done.refused.byOthers.map(toE164)),
  };
  return Response.json(answer);
};

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

/** POST /operator/imports/:importId/undo */
export const undoImportHandler: Handler = async (request, deps) => {
  const importId = request.params.importId ?? "";
  const { answers, missing } = await askEach(inEach(deps), ({ db }) => readImport(db, importId));
  const found = answers.find((begun) => begun);
  if (!found && missing.unavailableDatabases) throw new RequestFailure({ kind: "store-unavailable" });
  const begun = requireFound(found, "import");
  const own = await inDatabaseOf(deps, { websiteId: begun.websiteId });
  const { restored, changedSince, undoneTo, lastId } = await undoImport(own, authorOf(request), begun);
  const answer: SubscriberAnswers["UndoneImport"] = {
    restored: restored - begun.restored,
    changedSince,
    restoredBefore: begun.restored,
    isComplete: undoneTo >= lastId,
  };
  request.logged = { websiteId: begun.websiteId, ...answer };
  return Response.json(answer);
};
