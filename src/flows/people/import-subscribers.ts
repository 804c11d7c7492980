import type { Deps } from "../../deps.ts";
import { failField, RequestFailure } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { FigureCounter, type ImportFigures } from "../../domain/people/import-figures.ts";
import type { SubscriptionChange } from "../../domain/people/subscriber-rows.ts";
import type { SubscriberPart } from "../../domain/people/subscribers.ts";
import { changeSubscriptions } from "../../store/people/change-subscriptions.ts";
import { beginImport, readImport, requireOpenImport } from "../../store/people/imports.ts";
import type { Target } from "../../store/people/part-decision.ts";
import { audited } from "../operations/audit.ts";
import { beforeEach, findInvalidOptOuts, findOtherForms } from "./change-subscriptions.ts";

/** A request of an import. */
export interface ImportRequest {
  websiteId: string;
  importId: string;
  /** Whether earlier requests have begun the import. */
  isJoined: boolean;
  /** Stores nothing, and counts what would be stored. */
  isDry: boolean;
  /** Subscribes again whom anybody else than the person has unsubscribed. */
  resubscribes: boolean;
  /** The name of the file, for the list of imports. */
  file: string | null;
  operator: string;
}

/** How far a request has come. */
interface Progress {
  /** Rows of the import may be stored. */
  hasBegun: boolean;
  /** At least so many rows of the file are stored, from its first row on. */
  storedRows: number;
}

/** What a request has done. */
export interface Imported extends ImportFigures {
  /** The invalid numbers to opt out that the website knows, as digits. */
  knownOptOuts: number[];
  /** How many numbers are opted out of which the file has another form. */
  otherForms: number;
}

/**
 * Sets subscriptions as a file says, part by part as it comes in, so that it can be undone. Whom anyone has unsubscribed, it leaves so.
 * Within an import an opt-out wins, whatever the order; of subscriptions, the last counts.
 * @param parts throws where the file is refused. If that is before its first part, nothing is stored, and the audit log has no entry
 * @param toAfter see audited
 * @param counter tells afterwards what has come of a number
 * @throws RequestFailure fields-wrong, import-closed; import-interrupted around the cause where rows of the import may be stored
 */
export async function importSubscribers(
  deps: Deps,
  author: Author,
  request: ImportRequest,
  parts: AsyncGenerator<SubscriberPart, void>,
  toAfter: (imported: Imported) => Record<string, unknown>,
  counter = new FigureCounter(),
): Promise<Imported> {
  const { websiteId, importId, isJoined, isDry } = request;
  if (isJoined) await requireJoinable(deps, request);
  const progress: Progress = { hasBegun: isJoined && !isDry, storedRows: 0 };
  try {
    const all = await begin(parts);
    if (isDry) return await storeParts(deps, request, all, progress, counter);
    const entry = { action: "import", websiteId, subject: importId } as const;
    return await audited(deps, author, entry, () => storeParts(deps, request, all, progress, counter), toAfter);
  } catch (error) {
    if (!progress.hasBegun) throw error;
    const because = error instanceof RequestFailure ? error.failure : ({ kind: "fault" } as const);
    if ("because" in because) throw error;
    const stored = { importId, storedRows: progress.storedRows };
    throw new RequestFailure({ kind: "import-interrupted", because, import: stored }, { cause: error });
  }
}

/** @throws RequestFailure fields-wrong, import-closed */
async function requireJoinable(deps: Deps, { websiteId, importId, resubscribes }: ImportRequest): Promise<void> {
  const begun = await readImport(deps.db, importId);
  if (begun?.websiteId !== websiteId) failField("importId", "must be the id of an import into this website");
  requireOpenImport(!begun.isClosed);
  if (begun.resubscribes !== resubscribes) {
    failField("resubscribe", `must be ${begun.resubscribes}, as in the first request of the import`);
  }
}

/** @returns all parts, once the first of them has been read */
async function begin(parts: AsyncGenerator<SubscriberPart, void>): Promise<AsyncIterable<SubscriberPart>> {
  const first = await parts.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* parts;
  })();
}

const toOptOut = (phone: number): SubscriptionChange => ({ phone, email: null, subscribed: false });

/** @param progress is kept up to date, also where it throws */
export async function storeParts(
  deps: Deps,
  request: ImportRequest,
  parts: AsyncIterable<SubscriberPart>,
  progress: Progress,
  counter = new FigureCounter(),
): Promise<Imported> {
  const { websiteId, importId, isJoined, isDry, resubscribes } = request;
  const latestId = isDry ? 0 : await beginImport(deps.db, request, deps.now());
  progress.hasBegun = !isDry;
  const run = { isJoined, isDry, resubscribes, latestId, begunAt: deps.now() };
  const knownOptOuts = new Set<number>();
  let otherForms = 0;
  for await (const part of parts) {
    const known = await findInvalidOptOuts(deps, websiteId, part.invalidOptOuts);
    for (const phone of known) knownOptOuts.add(phone);
    const given = counter.withOptOuts([...known.map(toOptOut), ...part.changes]);
    const others = await findOtherForms(deps, websiteId, given);
    const changes = [...given, ...others.map(toOptOut)];
    otherForms += others.length;
    const origin = { source: "import", proof: importId, now: deps.now() } as const;
    // No event is posted for an import.
    const target: Target = { db: deps.db, websiteId, origin, newRun: null, due: [], import: run };
    counter.add(changes, await changeSubscriptions(target, changes, beforeEach(deps, websiteId)));
    progress.storedRows += part.rows;
  }
  return { ...counter.figures(), knownOptOuts: [...knownOptOuts], otherForms };
}
