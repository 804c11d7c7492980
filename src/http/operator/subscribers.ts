import * as z from "zod/mini";
import { failField, RequestFailure } from "../../domain/failure.ts";
import { toE164 } from "../../domain/phone.ts";
import { SubscriberFile } from "../../domain/subscriber-file.ts";
import type { SubscriptionChange } from "../../domain/subscriber-rows.ts";
import { type Subscribers, without } from "../../domain/subscribers.ts";
import { askEach } from "../../flows/ask-each.ts";
import { audited } from "../../flows/audit.ts";
import { findInvalidOptOuts, type Imported, importSubscribers } from "../../flows/change-subscriptions.ts";
import { inEach } from "../../flows/places.ts";
import { undoImport } from "../../flows/undo-import.ts";
import { readImport } from "../../platform/store/imports.ts";
import { type ApiRequest, authorOf, type Handler } from "../api-request.ts";
import { BODY_LIMITS, readChunks, requireMediaType } from "../body.ts";
import type { Answers } from "./answers.ts";
import { requireFound, requireWebsite } from "./params.ts";

export function subscriberAnswers() {
  return {
    ImportAnswer: z.object({
      importId: z
        .optional(z.uuid())
        .check(z.describe("For an undo; the audit log has it as the subject of the import. Left out with `dryRun`.")),
      imported: z.int().check(z.describe("The sum of the next three.")),
      new: z.int().check(z.describe("Never seen before.")),
      changed: z.int().check(z.describe("Of the others, those with another state or address than before.")),
      unchanged: z.int(),
      invalidPhoneNumbers: z.array(z.string()),
      invalidEmails: z
        .optional(z.array(z.string()))
        .check(z.describe("Left out if empty. Their numbers are imported without an address.")),
      optedOutNumbers: z
        .optional(z.array(z.string()))
        .check(z.describe("Left out if empty. Their owners opted out themselves: they are not subscribed again.")),
    }),
    UndoneImport: z.object({
      restored: z.int().check(z.describe("Numbers that this call has given back what they were.")),
      changedSince: z
        .int()
        .check(z.describe("Numbers that were set again since the import, and stay as they are; of all calls.")),
      restoredBefore: z.int().check(z.describe("Numbers that earlier calls have restored.")),
      isComplete: z.boolean().check(z.describe("false: the call took 20 seconds. Repeat it: it goes on.")),
    }),
  };
}

export type SubscriberAnswers = Answers<typeof subscriberAnswers>;

/** POST /operator/websites/:websiteId/subscribers?dryRun= */
export const importSubscribersHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const isDry = readDryRun(request);
  requireMediaType(request, "text/csv");
  const file = await readFile(request);
  const importId = request.requestId;
  const known = await findInvalidOptOuts(deps, websiteId, file.invalidOptOuts);
  const invalidPhoneNumbers = without(file.invalidPhoneNumbers, known.map(toE164));
  const work = () => importSubscribers(deps, websiteId, changesOf(file, known), { importId, isDry });
  const entry = { action: "import", websiteId, subject: importId } as const;
  const done = isDry
    ? await work()
    : await audited(deps, authorOf(request), entry, work, (stored) => ({
        ...countsOf(stored),
        refused: stored.refused.length,
        invalid: file.invalidPhoneNumbers.length,
      }));
  request.logged = { websiteId, dryRun: isDry, ...countsOf(done) };
  const answer: SubscriberAnswers["ImportAnswer"] = {
    ...(isDry ? {} : { importId }),
    ...countsOf(done),
    invalidPhoneNumbers,
    ...(file.invalidEmails.length > 0 ? { invalidEmails: file.invalidEmails } : {}),
    ...(done.refused.length > 0 ? { optedOutNumbers: done.refused.map(toE164) } : {}),
  };
  return Response.json(answer);
};

function readDryRun({ query }: ApiRequest): boolean {
  const given = query.dryRun || "false";
  return given === "true" || (given === "false" ? false : failField("dryRun", "must be true or false"));
}

function countsOf({ count, added, changed }: Imported) {
  return { imported: count, new: added, changed, unchanged: count - added - changed };
}

/** POST /operator/imports/:importId/undo */
export const undoImportHandler: Handler = async (request, deps) => {
  const importId = request.params.importId ?? "";
  const { answers, missing } = await askEach(inEach(deps), async (own) => ({
    own,
    begun: await readImport(own.db, importId),
  }));
  const found = answers.find(({ begun }) => begun);
  if (!found && missing.unavailableDatabases) throw new RequestFailure({ kind: "store-unavailable" });
  const begun = requireFound(found?.begun, "import");
  const { restored, changedSince, undoneTo, lastId } = await undoImport(found?.own ?? deps, authorOf(request), begun);
  const answer: SubscriberAnswers["UndoneImport"] = {
    restored: restored - begun.restored,
    changedSince,
    restoredBefore: begun.restored,
    isComplete: undoneTo >= lastId,
  };
  request.logged = { websiteId: begun.websiteId, ...answer };
  return Response.json(answer);
};

/** Checked while it comes in, and stored afterwards: neither the file nor its text is in memory at any time. */
async function readFile(request: ApiRequest): Promise<Subscribers> {
  const file = new SubscriberFile();
  for await (const piece of readChunks(request, BODY_LIMITS.subscribers)) file.write(piece);
  return file.end();
}

function* changesOf(file: Subscribers, optOuts: number[]): Generator<SubscriptionChange, void> {
  for (const phone of optOuts) yield { phone, email: null, subscribed: false };
  yield* file.changes();
}
